import { groupBy } from '../../collections.js';
import { nameOfOperation } from '../../engine/causes/same-cause.js';
import { outcomes } from '../../engine/outcomes.js';
import type { Finding } from '../../engine/results.js';
import { visible } from '../../visible.js';
import { capitalised } from '../../words.js';
import type { RunSummary } from '../run-summary.js';
import { jsonForScript as json } from './components.js';

/** What the page's script makes rows of: JSON in a script element. All texts are visible ones. */

/** A clause or a gap, with the checks that are listed under it. */
export interface CheckGroup {
  /** `''` for checks of neither. */
  readonly id: string;
  readonly checks: readonly Finding[];
  /** Ids of its checks that are listed under another clause. */
  readonly elsewhere: readonly string[];
  /** What was observed of a gap, with the ids of the checks that saw it. */
  readonly facts: readonly (readonly [fact: string, checks: readonly string[]])[];
}

/** Places of a run, each check in one of them. */
export interface Places {
  readonly clauses: readonly CheckGroup[];
  readonly gaps: readonly CheckGroup[];
  /** Checks of no clause and no gap. */
  readonly rest: CheckGroup;
}

export const placesOf = (run: RunSummary): Places => {
  const known = new Set(run.clauses.map(({ id }) => id));
  // Of several gaps that a check observes, the first one lists it.
  const gapOf = new Map(
    [...run.gaps].reverse().flatMap((gap) => gap.observations.map(({ check }) => [check, gap.id] as const)),
  );
  const under = groupBy(
    run.checks,
    ({ id, clauses }) => clauses.find((clause) => known.has(clause)) ?? gapOf.get(id) ?? '',
  );
  const checksOf = (id: string): readonly Finding[] => under.get(id) ?? [];
  return {
    clauses: run.clauses.map(({ id, checks }) => {
      const own = new Set(checksOf(id).map((check) => check.id));
      return { id, checks: checksOf(id), elsewhere: checks.filter((check) => !own.has(check)), facts: [] };
    }),
    gaps: run.gaps.map(({ id, observations }) => ({
      id,
      checks: checksOf(id),
      elsewhere: [],
      facts: [...groupBy(observations, ({ fact }) => fact)].map(
        ([fact, seen]) => [fact, seen.map(({ check }) => check)] as const,
      ),
    })),
    rest: { id: '', checks: checksOf(''), elsewhere: [], facts: [] },
  };
};

/** Numbers strings in the order of their first appearance. */
const numbering = (first: readonly string[] = []) => {
  const numbers = new Map(first.map((text, number) => [text, number]));
  return {
    texts: () => numbers.keys(),
    of: (text: string): number => {
      const number = numbers.get(text) ?? numbers.size;
      numbers.set(text, number);
      return number;
    },
  };
};

interface PageData {
  readonly run: RunSummary;
  readonly places: readonly CheckGroup[];
  /** Position of a check in the run; -1 for none. */
  readonly numberOf: (check: string) => number;
  /** HTML of a rule's explanation. */
  readonly explanation: (rule: string) => string;
  readonly checksInBlock: number;
}

/**
 * The data in pieces:
 * - `outcomes`: name, sign and colour family;
 * - `operations`: id, name, access and cells of the matrix, each `[documented, seen, check]`;
 * - `rules`: id, title, clauses and explanation;
 * - `checks`: numbers of rule, operation, outcome and reason;
 * - `places`: the clauses and gaps, with their checks and facts.
 */
export function* pageData({ run, places, numberOf, explanation, checksInBlock }: PageData): Generator<string> {
  const reasons = numbering();
  const operations = numbering(run.operations.map(({ id }) => id));
  const rules = numbering();
  const cells = groupBy(run.matrix, ({ operation }) => operation);
  const known = new Map(run.operations.map((operation) => [operation.id, operation]));

  yield '<script type="application/json" id="data">{';
  yield `"checksInBlock":${checksInBlock},`;
  yield `"outcomes":${json(outcomes.map(({ outcome, glyph, tone }) => [outcome, glyph, tone]))},`;
  yield* list('checks', run.checks, ({ rule, operation, outcome, reason }) => {
    const number = outcomes.findIndex((each) => each.outcome === outcome);
    return [rules.of(rule), operations.of(operation), number, reasons.of(reason)];
  });
  yield ',';
  yield* list('operations', operations.texts(), (id) => [
    visible(id),
    visible(nameOfOperation(id, known)),
    known.get(id)?.access ?? '',
    (cells.get(id) ?? []).map(({ documented, seen, check = '' }) => [documented, seen, numberOf(check)]),
  ]);
  yield ',';
  yield* list('reasons', reasons.texts(), (reason) => capitalised(visible(reason)));
  yield ',';
  const byRule = groupBy(run.checks, ({ rule }) => rule);
  yield* list('rules', rules.texts(), (id) => {
    const own = byRule.get(id) ?? [];
    const clauses = new Set(own.flatMap((check) => check.clauses.map(visible)));
    return [visible(id), capitalised(visible(own.at(-1)?.title ?? id)), [...clauses], explanation(id)];
  });
  yield ',';
  yield* list('places', places, ({ id, checks, elsewhere, facts }) => ({
    id: visible(id),
    checks: checks.map((check) => numberOf(check.id)),
    elsewhere: elsewhere.map(numberOf),
    facts: facts.map(([fact, seen]) => [
      capitalised(visible(fact)),
      seen.map(numberOf).filter((number) => number >= 0),
    ]),
  }));
  yield '}</script>\n';
}

/** A member of the data, an item at a time. */
function* list<T>(name: string, items: Iterable<T>, row: (item: T) => unknown): Generator<string> {
  let before = `"${name}":[`;
  for (const item of items) {
    yield `${before}${json(row(item))}`;
    before = ',';
  }
  yield before === ',' ? ']' : `${before}]`;
}
