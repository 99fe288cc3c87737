import { isLeftOut } from '../../src/engine/coverage.js';
import type { CauseResult, OperationResult } from '../../src/engine/results.js';
import { counted } from '../../src/words.js';
import type { Run } from './judge.js';

const share = (part: number, whole: number): string =>
  `${part} of ${whole}${whole === 0 ? '' : ` (${Math.round((part / whole) * 100)} %)`}`;

/** Causes that are printed of each kind. */
const most = 12;

const linesOf = (causes: readonly CauseResult[]): readonly string[] => [
  ...causes.slice(0, most).map(({ title, operations }) => `${String(operations.length).padStart(5)}  ${title}`),
  ...(causes.length > most ? [`       and ${causes.length - most} more`] : []),
];

/** What the measurement prints of one service. */
export const figuresOf = (name: string, { exitCode, seconds, results }: Run): string => {
  const { causes = [], operations, requestsSent, verdict } = results;
  const judged = operations.filter((operation) => operation.judged === true);
  const reads = operations.filter(({ method }) => method === 'GET');
  const missed = operations.filter((operation) => operation.judged === false && !isLeftOut(operation));
  const readsJudged = reads.filter((operation: OperationResult) => judged.includes(operation));
  const failed = causes.filter(({ outcome }) => outcome === 'failed');
  const open = causes.filter(({ outcome }) => outcome === 'inconclusive' || outcome === 'blocked');
  return [
    `${name}: ${verdict}, exit ${exitCode}`,
    `  operations  ${operations.length}, of them ${reads.length} GET`,
    `  judged      ${share(judged.length, operations.length)}; of the GETs ${share(readsJudged.length, reads.length)}`,
    `  left out    ${operations.filter(isLeftOut).length} on purpose`,
    `  missed      ${missed.length}`,
    `  requests    ${requestsSent}`,
    `  time        ${seconds.toFixed(1)} s`,
    `  failed      ${counted(failed.length, 'cause')}, by number of operations`,
    ...linesOf(failed),
    `  open        ${counted(open.length, 'cause')}`,
    ...linesOf(open),
    '',
  ].join('\n');
};
