import type { Check } from '../../../src/engine/plan.js';
import { type Fault, faults, type Variant, variants } from '../../../src/reference/index.js';
import type { Slice } from '../../../src/rules/rule.js';
import { judgeReference } from '../support/judge.js';
import { judgeRecorded } from '../support/judge-recorded.js';
import { readRecordings, recordCommand } from '../support/recordings.js';
import { expect, sample, test } from '../support/test.js';
import { isOutOfReach, servers } from '../support/zoo.js';

/**
 * The zoo where batteries are spread: three operations behind one gate get a third of the tricks
 * each. What one of them shows is what the gate lacks.
 */

const operations = 3;

/** What one of three operations gets. */
const third =
  (operation: number) =>
  ({ battery }: Check): Slice | undefined => {
    if (!battery) return undefined;
    const own = new Set(battery.tricks().filter((_, index) => index % operations === operation));
    for (const trick of battery.everywhere ?? []) own.add(trick);
    return { has: (trick) => own.has(trick) };
  };

/**
 * Recordings of whole runs that lack what a third of the tricks asks for. A server that answers
 * unusual requests in one way of its own looks as if it had banned the client, and is asked once
 * more. One that takes the key in other forms, or opens by several tricks, is asked by a check that
 * a whole run blocks.
 */
const isAskedForMore = new RegExp(
  [
    'firewall|odd-paths|like-(?:nginx|cloudflare|django-rest)|^bans|hangs-up|unanswered|goes-down-half-way',
    'any-(?:key-accepted|white-space|word)|in-any-case|query-too|unknown-scheme-opens|bare-value-opens',
    'opens-after-refusals|address-remembers-key|breaks-off-now-and-then|cache-(?:ignores-key|keeps-by-client)',
    'one-server-unguarded|connection-checks-key-once',
  ].join('|'),
);
const recorded = servers.filter(({ name }) => !isAskedForMore.test(name));

for (const { name, settings } of sample(recorded, 48))
  test(`three operations with a third of the tricks each show what ${name} lacks, and no more`, async () => {
    const recording = readRecordings().get(name);
    if (!recording) throw new Error(`${name} was never recorded: ${recordCommand(name)}`);
    const failed = new Set<string>();
    for (let operation = 0; operation < operations; operation += 1) {
      const { failedClauses } = await judgeRecorded(recording, settings, undefined, third(operation));
      for (const clause of failedClauses) failed.add(clause);
    }
    const fault = faults.find((one) => one.name === name);
    expect([...failed].sort()).toEqual(fault && fault.twin === undefined ? [...fault.clauses].sort() : []);
  });

for (const [kind, all] of [
  ['fault', faults],
  ['variant', variants],
] as const)
  for (const { name, settings, ...one } of sample<Fault | Variant>(all, 150))
    test(`PROBES=spread judges ${name} as it is, over real sockets`, { tag: '@ci' }, async () => {
      test.skip(isOutOfReach(one), 'this machine has no IPv6');
      const { failedClauses } = await judgeReference({ [kind]: name, settings: { ...settings, PROBES: 'spread' } });
      expect(failedClauses).toEqual('clauses' in one && one.twin === undefined ? [...one.clauses].sort() : []);
    });
