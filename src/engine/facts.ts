import { byText, canonical, canonicalText, type Json, memoize, present } from '../collections.js';
import { endedKeyFactId } from '../rules/support/observation.js';
import { isOpen } from './outcomes.js';
import type { Drift, FactResult, Finding, GateResult, Observation, Results } from './results.js';

/** Comparable observations of a run, and how they differ from a baseline. */

/** The comparable observations of a run, sorted by id. */
export const factsOf = (
  checks: readonly Finding[],
  observations: readonly Observation[],
  gates: readonly GateResult[] = [],
): readonly FactResult[] => {
  const operations = new Map(checks.map(({ id, operation }) => [id, operation]));
  const canonicalOf = memoize(canonical);
  const facts = observations
    .flatMap(({ check, gap, fact, exchanges, id, value = null, reads = 0, volatile }): FactResult[] => {
      const operation = operations.get(check);
      if (id === undefined || operation === undefined) return [];
      return [
        present({
          id: `${id}@${operation}`,
          check,
          gap,
          operation: operation === 'service' ? undefined : operation,
          value: canonicalOf(value),
          words: fact,
          reads,
          volatile: volatile || undefined,
          exchanges,
        }),
      ];
    })
    .sort((a, b) => byText(a.id, b.id));
  return asAtTheirGates(facts, gates);
};

/**
 * Operations of a gate refuse alike. So a fact that was read only once is volatile if it is
 * volatile at another operation of the gate.
 */
const asAtTheirGates = (facts: readonly FactResult[], gates: readonly GateResult[]): readonly FactResult[] => {
  const gateOf = new Map(
    gates.flatMap(({ id, operations }) => operations.map((operation) => [operation, id] as const)),
  );
  const placeOf = (fact: FactResult): string | undefined => {
    const gate = gateOf.get(fact.operation ?? '');
    return gate === undefined ? undefined : `${factName(fact)}@${gate}`;
  };
  const changing = new Set(facts.filter(({ volatile }) => volatile).map(placeOf));
  return facts.map((fact) => {
    const place = placeOf(fact);
    return fact.reads === 1 && place !== undefined && changing.has(place)
      ? { ...fact, value: null, volatile: true }
      : fact;
  });
};

/** The id of a fact without its operation, whose own id may contain `@`. */
export const factName = ({ id, operation = 'service' }: Pick<FactResult, 'id' | 'operation'>): string =>
  id.slice(0, -`@${operation}`.length);

/** All observations of recorded results, including those that cannot be compared. */
export const observationsIn = ({ facts = [], gaps }: Pick<Results, 'facts' | 'gaps'>): readonly Observation[] => {
  const comparable = facts.map(
    ({ id, check, operation, gap, value, words, reads, volatile, exchanges }): Observation => ({
      check,
      gap,
      fact: words,
      id: factName({ id, ...(operation === undefined ? {} : { operation }) }),
      value,
      reads,
      ...(volatile ? { volatile } : {}),
      exchanges,
    }),
  );
  const known = new Set(facts.map(({ check, words }) => `${check} ${words}`));
  return [
    ...comparable,
    ...gaps.flatMap(({ id, observations }) =>
      observations.filter(({ check, fact }) => !known.has(`${check} ${fact}`)).map((one) => ({ ...one, gap: id })),
    ),
  ];
};

/** Whether the value of a fact can be compared with another run. */
export const isComparable = ({ reads, volatile }: FactResult): boolean => reads > 0 && volatile !== true;

/** Values of facts by id, as a baseline stores them. */
export type BaselineFacts = Readonly<Record<string, Json>>;

/** The facts that every run is compared with. */
export interface Baseline {
  readonly facts: BaselineFacts;
  /** The contract that the baseline was recorded with. */
  readonly contract: { readonly sha256: string };
  /** `FAIL_ON_DRIFT`: differences decide the verdict. */
  readonly fails: boolean;
}

/** What is compared with the baseline. */
interface DriftInput {
  readonly facts: readonly FactResult[];
  readonly checks: readonly Finding[];
  /** The run was complete and covered the whole contract. */
  readonly whole: boolean;
  /** The baseline has the same contract. Another contract may lead to other observed facts. */
  readonly sameContract: boolean;
}

/** The operation of a fact in a baseline: the longest known operation id at the end of its id. */
const operationIn = (id: string, known: ReadonlySet<string>): string | undefined => {
  for (let at = id.indexOf('@'); at >= 0; at = id.indexOf('@', at + 1))
    if (known.has(id.slice(at + 1))) return id.slice(at + 1);
  return undefined;
};

/** Facts that are only observed when a key ends, which does not happen in every run. */
const isOccasional = (id: string): boolean => id.startsWith(`${endedKeyFactId}@`);

/**
 * The facts that are new, missing or changed compared with a baseline. A fact is missing only where
 * a whole run observed its operation. Facts that not every run or not every contract shows are
 * never reported as new or missing.
 */
export const driftOf = (
  baseline: BaselineFacts,
  { facts, checks, whole, sameContract }: DriftInput,
): readonly Drift[] => {
  const known = new Map(facts.map((fact) => [fact.id, fact]));
  const unseen = new Set(checks.filter(({ outcome }) => isOpen(outcome)).map(({ operation }) => operation));
  const operations = new Set(checks.map(({ operation }) => operation));
  const isLooked = (id: string): boolean => !unseen.has(operationIn(id, operations) ?? '') && !unseen.has('service');
  const gone = Object.keys(baseline)
    .filter((id) => !known.has(id) && whole && sameContract && !isOccasional(id) && isLooked(id))
    .map((id): Drift => ({ id, was: baseline[id] ?? null, reads: 0, exchanges: [] }));
  const changed = facts.filter(isComparable).flatMap(({ id, value, words, reads, exchanges }): Drift[] => {
    const was = Object.hasOwn(baseline, id) ? baseline[id] : undefined;
    if (was === undefined ? isOccasional(id) || !sameContract : canonicalText(was) === canonicalText(value)) return [];
    return [{ id, ...(was === undefined ? {} : { was }), is: value, words, reads, exchanges }];
  });
  return [...changed, ...gone].sort((a, b) => byText(a.id, b.id));
};
