import { present } from '../collections.js';
import type { Contract } from '../contract/model.js';
import { rules } from '../rules/index.js';
import type { Blocker } from '../rules/support/judgement.js';
import { isMissed, mustBeJudged } from './coverage.js';
import { isBroken, judges, type Outcome, outcomes, type Verdict, worst } from './outcomes.js';
import type { ClauseResult, Finding, GapResult, Observation, OperationResult } from './results.js';

/** The verdict of a run, its counts, clauses and gaps. */

/** Rules whose checks explain why a keyed control is unusable. */
const controlRules = rules.flatMap(({ id, explains }) => (explains === 'keyed-read' ? [id] : []));

/** The members of a finding that decide whether it leaves something open. */
type Weighed = Pick<Finding, 'id' | 'outcome' | 'blockedBy' | 'blockers'>;

/** Whether a blocker of a check failed. The blocked check then leaves nothing open. */
const blockerFailed = (finding: Weighed, byId: ReadonlyMap<string, Weighed>): boolean =>
  blockingChecks(finding).some((id) => byId.get(id)?.outcome === 'failed');

/**
 * Ids of the checks that a blocked check depends on. A control is replaced by the checks that
 * explain why it is unusable.
 */
export const blockingChecks = (finding: Weighed): readonly string[] =>
  blockersOf(finding).flatMap((blocker) =>
    blocker.kind === 'check' ? [blocker.id] : controlRules.map((rule) => `${rule}@${blocker.operation}`),
  );

/** Older files have only names: those of checks are ids, those of controls match no check. */
const blockersOf = ({ blockers, blockedBy = [] }: Weighed): readonly Blocker[] =>
  blockers ?? blockedBy.map((id) => ({ kind: 'check', id }));

/** Whether something could not be judged, other than because of a failed blocker. */
const leavesOpen = (findings: readonly Weighed[]): boolean => {
  const byId = new Map(findings.map((finding) => [finding.id, finding]));
  return findings.some(
    (finding) => finding.outcome === 'inconclusive' || (finding.outcome === 'blocked' && !blockerFailed(finding, byId)),
  );
};

interface Circumstances {
  readonly strict: boolean;
  readonly complete: boolean;
  readonly operations: readonly OperationResult[];
  /** Whether facts differ from the baseline, and `FAIL_ON_DRIFT` is set. */
  readonly drifted: boolean;
}

/**
 * The verdict of a run. Order of precedence: non-conformant, drifted, incomplete, deviating,
 * conformant. A run that judged nothing is never conformant.
 */
export const verdictOf = (
  findings: readonly Finding[],
  { strict, complete, operations, drifted }: Circumstances,
): Verdict => {
  const breaks = ({ outcome, deviation }: Finding): boolean => deviation === undefined && isBroken(outcome, strict);
  if (findings.some(breaks)) return 'non-conformant';
  if (drifted) return 'drifted';
  if (!complete || !findings.some(({ outcome }) => judges(outcome)) || leavesOpen(findings)) return 'incomplete';
  const needed = operations.filter(mustBeJudged);
  const leftOut = needed.filter(({ why }) => why === 'left-out');
  if (needed.some(isMissed) || (leftOut.length > 0 && leftOut.length === needed.length)) return 'incomplete';
  return leftOut.length > 0 || findings.some(({ deviation }) => deviation !== undefined) ? 'deviating' : 'conformant';
};

export const countsOf = (findings: readonly Finding[]): Record<Outcome, number> => {
  const counts = Object.fromEntries(outcomes.map(({ outcome }) => [outcome, 0])) as Record<Outcome, number>;
  for (const { outcome } of findings) counts[outcome] += 1;
  return counts;
};

export const clausesOf = ({ clauses }: Pick<Contract, 'clauses'>, findings: readonly Finding[]): ClauseResult[] => {
  const byClause = new Map<string, Finding[]>(clauses.map(({ id }) => [id, []]));
  for (const finding of findings) for (const id of finding.clauses) byClause.get(id)?.push(finding);
  return clauses.map(({ id, short, text, source, position, excluded }) => {
    const checks = byClause.get(id) ?? [];
    return present({
      id,
      short,
      text,
      source,
      outcome: excluded === undefined ? worst(checks.map(({ outcome }) => outcome)) : 'excluded',
      reason: excluded,
      checks: checks.map((check) => check.id),
      position: position && `${position.file}:${position.line}`,
    });
  });
};

export const gapsOf = (contract: Pick<Contract, 'gaps'>, observations: readonly Observation[]): GapResult[] =>
  contract.gaps.map((gap) => ({
    id: gap.id,
    question: gap.question,
    observations: observations
      .filter((one) => one.gap === gap.id)
      .map(({ check, fact, exchanges }) => ({ check, fact, exchanges })),
    ...(gap.excluded === undefined ? {} : { excluded: gap.excluded }),
  }));
