import { groupBy, present } from '../collections.js';
import type { Contract } from '../contract/model.js';
import { rules } from '../rules/index.js';
import type { Blocker } from '../rules/support/judgement.js';
import { jsonText } from '../visible.js';
import { isBroken, judges, type Outcome, outcomes, type Verdict, worst } from './outcomes.js';
import type { ClauseResult, Coverage, Finding, GapResult, Observation, OperationResult } from './results.js';

/** The verdict of a run, its counts, clauses, gaps and coverage. */

/** Rules whose checks explain why a keyed control is unusable. */
const controlRules = rules.flatMap(({ id, explains }) => (explains === 'keyed-read' ? [id] : []));

/** The members of a finding that decide whether it leaves something open. */
export type Weighed = Pick<Finding, 'id' | 'outcome' | 'blockedBy' | 'blockers'>;

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

/** The observations of each gap. */
export const gapsOf = (contract: Pick<Contract, 'gaps'>, observations: readonly Observation[]): GapResult[] =>
  contract.gaps.map((gap) => ({
    id: gap.id,
    question: gap.question,
    observations: observations
      .filter((one) => one.gap === gap.id)
      .map(({ check, fact, exchanges }) => ({ check, fact, exchanges })),
    ...(gap.excluded === undefined ? {} : { excluded: gap.excluded }),
  }));

/** An operation before its findings are known. */
export type PlannedOperation = Omit<OperationResult, 'judged'>;

/** Removes what was derived from findings. */
export const plannedAs = (operation: OperationResult): PlannedOperation => {
  const { judged: _judged, judgedBy: _judgedBy, ...planned } = operation;
  if (!planned.probed) return planned;
  const { why: _why, reason: _reason, mend: _mend, ...probed } = planned;
  return probed;
};

/** Reasons that are deliberate decisions; an operation with any other reason was missed. */
const onPurpose: ReadonlySet<string> = new Set(['write', 'method', 'left-out', 'not-selected']);

/** The rule, by access, whose check tells whether an operation was judged. */
const accessRule = new Map<string, string>(
  rules.flatMap(({ id, unprobed }) =>
    unprobed?.givesReason && unprobed.access !== 'any' ? [[unprobed.access, id]] : [],
  ),
);

export const isLeftOut = ({ judged, why = '' }: OperationResult): boolean => judged === false && onPurpose.has(why);
export const isMissed = ({ judged, why = '' }: OperationResult): boolean => judged === false && !onPurpose.has(why);

const isRead = ({ method }: Pick<OperationResult, 'method'>): boolean => method === 'GET' || method === 'HEAD';

/** Whether a conformant run must judge the operation: a read that is not public. */
const mustBeJudged = (operation: OperationResult): boolean => isRead(operation) && operation.access !== 'public';

/**
 * Adds to each operation whether it was judged.
 * @param isPart only selected checks were judged
 */
export const withCoverage = (
  operations: readonly PlannedOperation[],
  checks: readonly Finding[],
  isPart: boolean,
): readonly OperationResult[] => {
  const findings = new Map(checks.map((finding) => [finding.id, finding]));
  const covered = (operation: PlannedOperation): OperationResult => {
    const finding = findings.get(`${accessRule.get(operation.access) ?? ''}@${operation.id}`);
    if (!operation.probed)
      return { ...operation, judged: false, ...(isPart && !finding ? { why: 'not-selected' } : {}) };
    if (!finding) return { ...operation, judged: false, why: 'not-selected' };
    if (judges(finding.outcome))
      return { ...operation, judged: true, ...(finding.cause?.id === 'refusal-alone' ? { judgedBy: 'refusal' } : {}) };
    return { ...operation, judged: false, why: finding.cause?.id ?? finding.outcome, reason: finding.reason };
  };
  return operations.map((operation): OperationResult => {
    const result = covered(operation);
    const mend = result.judged ? undefined : mendOf(result);
    return mend === undefined ? result : { ...result, mend };
  });
};

export const coverageOf = (operations: readonly OperationResult[], checks: readonly Finding[]): Coverage => {
  const sliced = new Set(checks.flatMap(({ operation, tried }) => (tried ? [operation] : [])));
  const inPart = operations.filter(({ id, judged }) => judged === true && sliced.has(id)).length;
  const byRefusal = operations.filter(({ judgedBy }) => judgedBy === 'refusal').length;
  const left = operations.filter(({ judged }) => judged === false);
  return {
    operations: operations.length,
    judged: operations.length - left.length,
    leftOut: left.filter(isLeftOut).length,
    missed: left.filter(isMissed).length,
    ...(inPart > 0 ? { inPart } : {}),
    ...(byRefusal > 0 ? { byRefusal } : {}),
    byReason: Object.fromEntries([...groupBy(left, ({ why = '' }) => why)].map(([why, of]) => [why, of.length])),
  };
};

/**
 * Suggests a change that makes an operation judgeable: an entry of PARAMETERS, or the target of an
 * overlay action. Only the owner knows the right action, so none is suggested.
 */
const mendOf = ({
  why,
  id,
  path,
  method,
  details = [],
}: Pick<OperationResult, 'why' | 'id' | 'path' | 'method' | 'details'>): string | undefined => {
  switch (why) {
    case 'access-unstated':
      return 'overlay target: $.paths.*[?@.responses && !@.security]  # public (security: []), or who needs which key?';
    case 'answers-everybody':
      return `overlay target: $.paths[${jsonText(path)}].${method.toLowerCase()}  # hole in the service, or error of the document?`;
    case 'no-value':
      return details.length === 0
        ? undefined
        : `PARAMETERS: ${jsonText(id)}: {${details.map((named) => `${jsonText(named.slice(named.indexOf(' ') + 1))}: …`).join(', ')}}`;
    default:
      return undefined;
  }
};
