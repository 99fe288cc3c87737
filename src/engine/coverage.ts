import { groupBy } from '../collections.js';
import { rules } from '../rules/index.js';
import { jsonText } from '../visible.js';
import { judges } from './outcomes.js';
import type { Coverage, Finding, OperationResult } from './results.js';

/** How much of the document was judged. */

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
export const mustBeJudged = (operation: OperationResult): boolean => isRead(operation) && operation.access !== 'public';

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
