import type { Operation } from '../contract/model.js';
import { type Estimate, estimateOf, requestsIn, unspreadEstimate } from '../engine/budget/estimate.js';
import type { Check } from '../engine/plan.js';
import type { Target } from '../settings/target.js';
import type { Terminal } from './terminal.js';

interface Plans {
  readonly selected: readonly Check[];
  /** The checks of `PROBES=standard`. */
  readonly standard: readonly Check[];
  readonly operations: readonly Operation[];
  readonly target: Pick<Target, 'probes' | 'maxRequests'>;
}

/** Prints what each budget would send. */
export const printBudgets = ({ selected, standard, operations, target }: Plans, { out, colours }: Terminal): void => {
  const { maxRequests } = target;
  const rows: readonly (readonly [name: string, estimate: Estimate])[] = [
    ['PROBES=extended', unspreadEstimate(selected, 'every trick at every operation')],
    ['PROBES=spread', estimateOf(selected, operations, { probes: 'spread' })],
    ['PROBES=standard', unspreadEstimate(standard, 'no spellings of the path, proxy fields or overrides')],
    ...(maxRequests === undefined
      ? []
      : [[`MAX_REQUESTS=${maxRequests}`, estimateOf(selected, operations, target)] as const]),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  out(`\n${colours.bold('What a budget buys:')}\n`);
  for (const [name, estimate] of rows) out(`  ${name.padEnd(width)}  ${requestsIn(estimate)}: ${estimate.words}\n`);
  out('\n');
};
