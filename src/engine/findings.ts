import { present } from '../collections.js';
import type { Judgement } from '../rules/rule.js';
import { headlineOf } from '../rules/support/headlines.js';
import { restingOn } from '../rules/support/judgement.js';
import { counted } from '../words.js';
import type { SlicedChecks } from './budget/sliced-checks.js';
import { isBroken } from './outcomes.js';
import type { PlannedCheck } from './plan.js';
import type { Finding, Observation } from './results.js';

/** Findings: judgements as the results name them. */

/** Turns a judgement into a finding, in which exchanges are named by their ids. */
export const findingOf = (
  check: PlannedCheck,
  judgement: Judgement,
  durationMs: number,
  tried?: Finding['tried'],
): Finding =>
  present({
    id: check.id,
    rule: check.rule.id,
    clauses: check.clauses,
    operation: check.operation,
    title: check.rule.title,
    outcome: judgement.outcome,
    reason: reasonOf(judgement, tried),
    cause: judgement.cause,
    headline: headlineOf(check.rule, judgement),
    note: judgement.note,
    expected: judgement.expected,
    seen: judgement.seen,
    ...(judgement.blockedBy === undefined ? {} : restingOn(judgement.blockedBy)),
    exchanges: [...new Set(judgement.exchanges.map(({ id }) => id))],
    steps: judgement.steps?.map(({ id }) => id),
    readings: keptReadings(judgement),
    asked: judgement.asked,
    comparedWith: [...new Set((judgement.comparedWith ?? []).map(({ id }) => id))],
    tried,
    durationMs: Math.round(durationMs),
  });

/** The reason of a check that passed with a part of its battery states how much was tried. */
const reasonOf = ({ outcome, reason }: Judgement, tried: Finding['tried']): string =>
  outcome === 'passed' && tried
    ? `${reason} Tried here: ${tried.tricks.length} of ${counted(tried.of, 'trick')}.`
    : reason;

/** Readings explain an outcome, so they are kept only where the check did not pass. */
const keptReadings = ({ outcome, readings = [] }: Judgement): Finding['readings'] =>
  outcome === 'passed' || readings.length === 0
    ? undefined
    : readings.map(({ exchange, line, verdict }) => ({ exchange: exchange.id, line, verdict }));

/**
 * The facts of a judgement, each with the id of its check. Members are listed one by one: V8 keeps
 * a hidden class for each object made by spreading the rest of another.
 */
export const observationsOf = (check: string, { facts = [] }: Pick<Judgement, 'facts'>): readonly Observation[] =>
  facts.map(({ gap, fact, id, value, reads, volatile, exchanges }) =>
    present({ gap, fact, id, value, reads, volatile, check, exchanges: exchanges.map((exchange) => exchange.id) }),
  );

/** Cache size; the cache is cleared when it is exceeded. */
const mostInterned = 5_000;

/** Members that often have equal values in many findings and observations. */
const internedMembers: ReadonlySet<string> = new Set<keyof Finding | keyof Observation>([
  'reason',
  'exchanges',
  'comparedWith',
  'cause',
  'asked',
  'headline',
  'note',
  'expected',
  'seen',
  'fact',
  'value',
]);

/** Longer lists of ids differ from check to check, so they are not interned. */
const longestList = 16;

/** Interns repeated values of findings and observations, to save memory. */
const createInterner = (): (<T extends object>(value: T) => T) => {
  const known = new Map<string, unknown>();
  const first = (value: unknown): unknown => {
    if (value === undefined || (Array.isArray(value) && value.length > longestList)) return value;
    // No list or object begins with a quotation mark in JSON.
    const name = typeof value === 'string' ? `"${value}` : JSON.stringify(value);
    if (known.size >= mostInterned) known.clear();
    if (!known.has(name)) known.set(name, value);
    return known.get(name);
  };
  return <T extends object>(value: T) => {
    const interned = { ...value } as Record<string, unknown>;
    for (const name of internedMembers) if (name in interned) interned[name] = first(interned[name]);
    return interned as T;
  };
};

export interface FindingsParts {
  readonly strict: boolean;
  /** Called with each finding as soon as it is made. */
  readonly onFinding: (finding: Finding) => void;
}

/** The findings and observations of a run. */
export class Findings {
  readonly #parts: FindingsParts;
  readonly #byCheck = new Map<PlannedCheck, Finding>();
  readonly #interned = createInterner();
  #observations: Observation[] = [];
  /** Set once it is known which checks send a part of their battery. */
  sliced: SlicedChecks | undefined;

  constructor(parts: FindingsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#byCheck.size;
  }

  get observations(): readonly Observation[] {
    return this.#observations;
  }

  of(check: PlannedCheck): Finding | undefined {
    return this.#byCheck.get(check);
  }

  /** @param started from `performance.now()` */
  conclude(check: PlannedCheck, judgement: Judgement, started: number): void {
    // A lenient finding (outside STRICT) affects only the key's owner, so nothing more is sent.
    if (isBroken(judgement.outcome, this.#parts.strict)) this.sliced?.noteOpening(check, judgement);
    this.sliced?.noteBlockers(judgement);
    this.sliced?.noteBlocked(check, judgement);
    const finding = this.#interned(
      findingOf(check, judgement, performance.now() - started, this.sliced?.triedBy(check)),
    );
    this.#byCheck.set(check, finding);
    this.observe(check, judgement);
    this.#parts.onFinding(finding);
  }

  /** Records what a check observed, without a finding. */
  observe(check: PlannedCheck, judgement: Pick<Judgement, 'facts'>): void {
    for (const each of observationsOf(check.id, judgement)) this.#observations.push(this.#interned(each));
  }

  /** Drops all references: connections that are still closing keep the run in memory. */
  release(): void {
    this.#byCheck.clear();
    this.#observations = [];
    this.sliced = undefined;
  }

  /** Drops the findings of checks that are judged again. */
  forget(checks: readonly PlannedCheck[]): void {
    if (checks.length === 0) return;
    const ids = new Set(checks.map(({ id }) => id));
    for (const check of checks) this.#byCheck.delete(check);
    this.#observations = this.#observations.filter(({ check }) => !ids.has(check));
  }
}
