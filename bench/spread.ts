/**
 * What a budget catches: services in memory with 1,000 operations, 1 to 20 gates and 0 to 5 faults,
 * judged with everything, with `standard`, with `spread`, and with a limit. Prints the share of
 * faults that are caught beside the requests of an operation, and draws both into bench/spread.svg.
 * Usage: spread.js [SERVICES] [SERVICES_WITH_OTHER_BUDGETS]
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Budget } from '../src/engine/budget/budget.js';
import { catchesOf, judgeGated } from '../tests/generator/gated-runs.js';
import { gatedService, type SeededFault } from '../tests/generator/gated-services.js';
import { curveOf, type Point } from './curve.js';

const operations = 1_000;
const services = Number(process.argv[2] ?? 100);
/** Services that are also judged with the other budgets. */
const compared = Number(process.argv[3] ?? 12);
const limits = [8, 10, 14, 24, 60];

const budgets: readonly (readonly [name: string, budget: Budget])[] = [
  ['standard', { probes: 'standard' }],
  ...limits.map((each) => [`${each} an operation`, { probes: 'extended', maxRequests: each * operations }] as const),
  ['spread', { probes: 'spread' }],
  ['extended', { probes: 'extended' }],
];

/**
 * Each number of gates from 1 to 20 comes once in twenty services, and the first are of all sizes.
 */
const gatesOf = (index: number): number => 1 + ((index * 7) % 20);

/** Faults that are told apart. */
const groups: readonly (readonly [name: string, holds: (fault: SeededFault) => boolean])[] = [
  ['missing gate at one operation', ({ kind }) => kind === 'operation without its gate'],
  [
    'missing gate of a prefix or of item routes',
    ({ kind }) => kind === 'prefix without its gate' || kind === 'item routes',
  ],
  ['trick or method at a gate', ({ kind }) => kind === 'gate falls to a trick' || kind === 'method'],
  ['trick at one operation alone', ({ kind }) => kind === 'trick at one operation'],
];

interface Row {
  readonly name: string;
  /** Requests an operation that are planned: the mean, and the most. */
  readonly perOperation: number;
  readonly worst: number;
  /** The mean of those that were sent, where it was taken: what opens once is tried on its gate. */
  readonly sent: number | undefined;
  /** Caught and all, by group. */
  readonly caught: readonly (readonly [number, number])[];
}

const share = ([caught, all]: readonly [number, number]): number => (all === 0 ? 1 : caught / all);
const percent = (value: number): string => `${(100 * value).toFixed(value > 0.99 && value < 1 ? 2 : 1)} %`;

const tallies = budgets.map(() => ({
  caught: groups.map((): [number, number] => [0, 0]),
  costs: [] as number[],
  sent: [] as number[],
}));
const byGates = new Map<number, number[]>();
for (let index = 0; index < services; index += 1) {
  const service = gatedService(`spread ${index}`, { operations, gates: gatesOf(index) });
  for (const [at, [name, budget]] of budgets.entries()) {
    const tally = tallies[at];
    if (!tally || (name !== 'spread' && index >= compared)) continue;
    const found = await catchesOf(service, budget);
    const cost = found.requests / operations;
    tally.costs.push(cost);
    if (name === 'spread') {
      tally.sent.push((await judgeGated(service, budget)).sent / operations);
      byGates.set(service.gates, [...(byGates.get(service.gates) ?? []), cost]);
    }
    for (const [fault, seeded] of service.faults.entries())
      for (const [group, [, holds]] of groups.entries()) {
        const pair = tally.caught[group];
        if (!pair || !holds(seeded)) continue;
        pair[1] += 1;
        if (found.caught[fault]) pair[0] += 1;
      }
  }
  if (index % 10 === 9) console.error(`${index + 1} of ${services} services`);
}
const mean = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;
const rows = budgets.flatMap(([name], at): Row[] => {
  const { caught = [], costs = [], sent = [] } = tallies[at] ?? {};
  if (costs.length === 0) return [];
  return [
    {
      name,
      perOperation: mean(costs),
      worst: Math.max(...costs),
      sent: sent.length > 0 ? mean(sent) : undefined,
      caught,
    },
  ];
});

console.log(
  `${services} services (${compared} for budgets other than spread) of ${operations} operations, 1 to 20 gates, 0 to 5 faults each`,
);
console.log(
  `| budget | requests an operation that are planned (most), and sent | ${groups.map(([name]) => name).join(' | ')} |`,
);
console.log(`|---|---|${groups.map(() => '---|').join('')}`);
for (const { name, perOperation, worst, sent, caught } of rows)
  console.log(
    `| ${name} | ${perOperation.toFixed(2)} (${worst.toFixed(1)})${sent === undefined ? '' : `, ${sent.toFixed(2)}`} | ${caught.map((each) => `${percent(share(each))} of ${each[1]}`).join(' | ')} |`,
  );
console.log(
  `requests an operation under spread, by gates: ${[...byGates]
    .sort(([a], [b]) => a - b)
    .map(([gates, costs]) => `${gates}: ${mean(costs).toFixed(1)}`)
    .join(', ')}`,
);

const points = (group: number): readonly Point[] =>
  rows
    .filter(({ name }) => name !== 'standard' && name !== 'spread')
    .map(({ perOperation, caught }) => ({ x: perOperation, y: share(caught[group] ?? [0, 0]) }));
const marks = rows
  .filter(({ name }) => name === 'standard' || name === 'spread')
  .flatMap(({ name, perOperation, caught }) =>
    caught.map((each, series) => ({ name, series, x: perOperation, y: share(each) })),
  );
writeFileSync(
  fileURLToPath(new URL('../../bench/spread.svg', import.meta.url)),
  curveOf({ series: groups.map(([name], group) => ({ name, points: points(group) })), marks }),
);

const spread = rows.find(({ name }) => name === 'spread');
const kept =
  spread !== undefined &&
  share(spread.caught[0] ?? [0, 1]) === 1 &&
  share(spread.caught[2] ?? [0, 1]) >= 0.99 &&
  spread.perOperation < 12;
console.log({ kept });
process.exitCode = kept ? 0 : 1;
