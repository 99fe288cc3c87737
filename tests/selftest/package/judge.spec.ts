import { judgeReference } from '../support/judge.js';
import { expect, inCi, test } from '../support/test.js';

test('a conforming service is conformant, a fault breaks its clause and no other', inCi, async () => {
  const [good, bad] = await Promise.all([
    judgeReference({ exchanges: true }),
    judgeReference({ fault: 'no-key-asked' }),
  ]);
  expect(good.results.verdict).toBe('conformant');
  expect(good.failedClauses).toEqual([]);
  expect(good.exchanges.length).toBeGreaterThan(50);
  expect(bad.results.verdict).toBe('non-conformant');
  expect(bad.failedClauses).toEqual(['AUTH-3']);
  expect(bad.check('refuses-missing-key').outcome).toBe('failed');
  expect(bad.check('refuses-missing-key@listWorkouts').exchanges[0]).toMatch(/^[0-9a-f]{12}$/);
  expect(() => bad.check('refuses-nothing')).toThrow(/0 checks are called refuses-nothing/);
});

test('a selection judges these checks alone, and settings of the caller outrank the rest', async () => {
  const { results, outcomesOf } = await judgeReference({
    only: ['refuses-other-*@listWorkouts', 'refuses-proxy-*'],
    settings: { PROBES: 'standard' },
  });
  expect(results.checks.map(({ rule }) => rule)).toEqual(['refuses-other-spellings', 'refuses-proxy-fields']);
  expect(outcomesOf('refuses-proxy-fields')).toEqual(['excluded']);
});
