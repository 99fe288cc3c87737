import { loadContract } from '../../../src/contract/load.js';
import { judgeAgain } from '../../../src/engine/judge-again.js';
import { asset } from '../../../src/package.js';
import { rules } from '../../../src/rules/index.js';
import type { Deployment } from '../../../src/rules/rule.js';
import { exchangeId } from '../../../src/wire/types.js';
import { judgeReference } from '../support/judge.js';
import { expect, inCi, test } from '../support/test.js';

/**
 * A read with the key is repeated after the bypasses of each rule, and what one rule reads is never
 * taken for what another one reads.
 */

const shipped = () => loadContract(asset('openapi', 'fitness-data-service.yaml'), { keys: ['API_KEY'] });

const deployment: Deployment = {
  origin: 'https://service.example',
  basePath: '',
  httpBaseUrl: 'none',
  keys: { API_KEY: { mixesCase: true } },
  probes: 'extended',
  probeKeyInUrl: false,
  insecureTls: false,
  seed: 'self-test',
};

test('each rule has a read of its own after its requests, told by its id', async () => {
  const contract = await shipped();
  const readers = new Map<string, Set<string>>();
  const own: string[] = [];
  for (const rule of rules) {
    if (rule.scope !== 'operation') continue;
    for (const operation of contract.operations) {
      const subject = { contract, deployment, operation };
      if (rule.appliesTo(subject) !== true) continue;
      for (const probe of rule.probes(subject)) {
        // The first read and its second try are everybody's; no number tells the requests of one
        // rule from those of another.
        expect(probe.round, `${rule.id}: ${probe.name}`).toBeLessThanOrEqual(2);
        if (probe.occasion === undefined) continue;
        const id = exchangeId(probe);
        readers.set(id, (readers.get(id) ?? new Set()).add(rule.id));
        if (probe.occasion === `after ${rule.id}`) own.push(rule.id);
      }
    }
  }
  for (const [, read] of readers) expect([...read]).toHaveLength(1);
  expect(own.sort()).toEqual([
    'refuses-leftovers',
    'refuses-other-spellings',
    'refuses-proxy-fields',
    'refuses-worthless-keys',
    'takes-key-nowhere-else',
    'takes-no-other-format',
  ]);
});

test('a recording in which such reads had numbers is judged as far as it goes, and says so', inCi, async () => {
  const run = await judgeReference({ exchanges: true });
  const numbered = run.exchanges.map((exchange, index) => {
    const { occasion, ...probe } = exchange.probe;
    if (occasion === undefined) return exchange;
    const before = { ...probe, round: 100 + index };
    return { ...exchange, id: exchangeId(before), probe: before };
  });
  expect(numbered.filter((exchange, index) => exchange !== run.exchanges[index])).not.toEqual([]);
  const { record } = await judgeAgain(
    {
      results: run.results,
      async *exchanges() {
        yield* numbered;
      },
      dispose: async () => {},
    },
    await shipped(),
  );
  expect(record.results.verdict).toBe('incomplete');
  const outcomeOf = (rule: string) => record.results.checks.find((check) => check.rule === rule);
  expect(outcomeOf('refuses-missing-key')?.outcome).toBe('passed');
  expect(outcomeOf('refuses-leftovers')).toMatchObject({
    outcome: 'inconclusive',
    reason: expect.stringMatching(/^The recording has no answer .* Run the suite again\.$/),
  });
});
