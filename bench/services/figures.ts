import type { OperationResult } from '../../src/engine/results.js';
import type { Run } from './judge.js';

/** Clauses that say who may read an operation. */
const ofAccess: readonly string[] = ['AUTH-3', 'AUTH-4'];
/** Outcomes of a check that looked at the server and came to an end. */
const decided: readonly string[] = ['passed', 'failed', 'lenient'];

/** One line for each cause, those that concern most operations first. */
const byCount = (causes: readonly string[]): readonly string[] => {
  const counts = new Map<string, number>();
  for (const cause of causes) counts.set(cause, (counts.get(cause) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([cause, count]) => `${String(count).padStart(5)}  ${cause}`);
};

/** Names of operations, parameters and media types taken out: what is left is the cause. */
const causeOf = (reason: string): string =>
  reason
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\b(?:GET|HEAD|POST|PUT|PATCH|DELETE) \S+/g, '…')
    .slice(0, 160);

const share = (part: number, whole: number): string =>
  `${part} of ${whole}${whole === 0 ? '' : ` (${Math.round((part / whole) * 100)} %)`}`;

/** What the measurement prints of one service. */
export const figuresOf = (name: string, { exitCode, seconds, results }: Run): string => {
  const { checks, operations, requestsSent, verdict } = results;
  const isJudged = ({ id }: OperationResult): boolean => {
    const own = checks.filter(
      ({ operation, clauses }) => operation === id && clauses.some((clause) => ofAccess.includes(clause)),
    );
    return own.some(({ outcome }) => decided.includes(outcome));
  };
  const judged = operations.filter(isJudged);
  const reads = operations.filter(({ method }) => method === 'GET');
  const writes = operations.filter(({ method, probed }) => !probed && method !== 'GET');
  const missed = operations.filter((operation) => !judged.includes(operation) && !writes.includes(operation));
  const whyMissed = missed.map(({ id, reason }) => {
    const own = checks.find(({ operation, rule }) => operation === id && /without-credentials|missing-key/.test(rule));
    return causeOf(reason ?? own?.reason ?? 'no check of its access');
  });
  const failed = checks.filter(({ outcome }) => outcome === 'failed');
  return [
    `${name}: ${verdict}, exit ${exitCode}`,
    `  operations  ${operations.length}, of them ${reads.length} GET`,
    `  judged      ${share(judged.length, operations.length)}; of the GETs ${share(judged.filter((one) => reads.includes(one)).length, reads.length)}`,
    `  left out    ${writes.length} that may change something`,
    `  missed      ${missed.length}`,
    ...byCount(whyMissed),
    `  requests    ${requestsSent}`,
    `  time        ${seconds.toFixed(1)} s`,
    `  failed      ${failed.length} checks of ${new Set(failed.map(({ operation }) => operation)).size} operations`,
    ...byCount(failed.map(({ rule, reason }) => `${rule}: ${causeOf(reason)}`)),
    '',
  ].join('\n');
};
