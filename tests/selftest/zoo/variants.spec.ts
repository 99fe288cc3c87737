import { variants } from '../../../src/reference/index.js';
import { isOutOfReach } from '../support/ipv6.js';
import { judgeReference } from '../support/judge.js';
import { expect, test } from '../support/test.js';

/** No conforming server is accused, however unusual its way, over real sockets: the whole suite against the real service. */

/** The ones that wait longest go first, so that the others fill the time beside them. */
const slow = [
  'plain-http-silent',
  'bans-by-hanging-up',
  'hangs-up-half-way',
  'five-a-second',
  'limits-wrong-keys',
  'slow',
  'resets',
];
const rank = (name: string): number => {
  const index = slow.findIndex((prefix) => name.startsWith(prefix));
  return index < 0 ? slow.length : index;
};

for (const variant of [...variants].sort((a, b) => rank(a.name) - rank(b.name)))
  test(`${variant.name}: ${variant.title}`, { tag: '@ci' }, async () => {
    test.skip(isOutOfReach(variant), 'this machine has no IPv6');
    const run = await judgeReference({ variant: variant.name });
    const accused = run.results.checks
      .filter(({ outcome }) => outcome === 'failed')
      .map(({ id, reason }) => `${id}: ${reason}`);
    expect(accused, 'accusations').toEqual([]);
    const open = run.results.checks.filter(({ outcome }) => outcome === 'inconclusive' || outcome === 'blocked');
    expect(run.results.verdict, open.map(({ id, reason }) => `${id}: ${reason}`).join('\n')).toBe(
      variant.verdict ?? 'conformant',
    );
    for (const [rule, outcome] of Object.entries(variant.outcomes ?? {}))
      expect(run.outcomesOf(rule), rule).toContain(outcome);
  });
