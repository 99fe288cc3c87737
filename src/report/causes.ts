import { groupBy } from '../collections.js';
import { nameOfOperation, operationNames } from '../engine/causes/same-cause.js';
import { isBroken, isOpen } from '../engine/outcomes.js';
import type { CauseResult, Finding } from '../engine/results.js';
import { withoutLines } from '../rules/support/judgement.js';
import { counted, firstOf } from '../words.js';
import { findingsById, isStrict, type RunSummary } from './run-summary.js';

/** A cause with its first finding, whose texts stand for all. */
export interface ShownCause extends CauseResult {
  readonly first: Finding;
  /**
   * Distinct reasons of its findings, those of most operations first; where there are several, with
   * their operations. Line numbers do not make a difference.
   */
  readonly reasons: readonly string[];
}

export interface ShownCauses {
  readonly broken: readonly ShownCause[];
  readonly accepted: readonly ShownCause[];
  readonly open: readonly ShownCause[];
  readonly lenient: readonly ShownCause[];
}

/** Operations of one of several reasons that are named. */
const mostNamed = 3;

const reasonsOf = (findings: readonly Finding[]): readonly string[] => {
  const saying = [...groupBy(findings, ({ reason }) => withoutLines(reason)).values()].map((alike) => ({
    reason: alike[0]?.reason ?? '',
    operations: [...new Set(alike.map(({ operation }) => operation))],
  }));
  if (saying.length === 1) return saying.map(({ reason }) => reason);
  return saying
    .toSorted((a, b) => b.operations.length - a.operations.length)
    .map(({ reason, operations }) => `At ${firstOf(operations, mostNamed)}: ${reason}`);
};

/** The causes of a run by what a reader has to do about them, worst first. */
export const shownCauses = (run: RunSummary): ShownCauses => {
  const findings = findingsById(run);
  const all = run.causes.flatMap((cause): readonly ShownCause[] => {
    const own = cause.checks.flatMap((id) => findings.get(id) ?? []);
    const [first] = own;
    return first ? [{ ...cause, first, reasons: reasonsOf(own) }] : [];
  });
  const breaks = ({ outcome }: CauseResult): boolean => isBroken(outcome, isStrict(run));
  return {
    broken: all.filter((cause) => breaks(cause) && !cause.accepted),
    accepted: all.filter(({ accepted }) => accepted),
    open: all.filter(({ outcome }) => isOpen(outcome)),
    lenient: all.filter((cause) => cause.outcome === 'lenient' && !breaks(cause) && !cause.accepted),
  };
};

/**
 * Lines that would get its operations judged: entries of PARAMETERS, targets of overlay actions.
 */
export const mendsOf = ({ operations, first }: ShownCause, run: Pick<RunSummary, 'operations'>): readonly string[] => {
  const own = new Set(operations);
  return run.operations.flatMap(({ id, why, mend }) =>
    own.has(id) && why === first.cause?.id && mend !== undefined ? [mend] : [],
  );
};

/** `3 checks wait for this.`; empty where none does. */
export const waitingWords = ({ waiting }: CauseResult): string =>
  waiting.length === 0 ? '' : `${counted(waiting.length, 'check waits', 'checks wait')} for this.`;

/** `GET /orders (listOrders)` for each operation of a cause. */
export const operationsIn = ({ operations }: CauseResult, run: Pick<RunSummary, 'operations'>): readonly string[] => {
  const names = operationNames(run.operations);
  return operations.map((id) => {
    const name = nameOfOperation(id, names);
    return name === id ? id : `${name} (${id})`;
  });
};

/**
 * `AUTH-3: refuses a request without a key (listWorkouts)`: what is asked, below what was found.
 */
export const requirementOf = ({ clauses, operations, first }: ShownCause): string => {
  const [only, ...others] = operations;
  const where = only !== undefined && others.length === 0 ? ` (${only})` : '';
  return `${clauses.length === 0 ? '' : `${clauses.join(', ')}: `}${first.title}${where}`;
};
