import { judgeWithEndingKeys } from '../support/ending-keys.js';
import { type JudgedRun, judgeReference } from '../support/judge.js';
import { expect, test } from '../support/test.js';

/** Keys that live two seconds, in runs that take longer. */

const outcomesOf = ({ results }: JudgedRun): readonly string[] =>
  results.checks.map(({ id, outcome }) => `${id} ${outcome}`);

const latencyMs = 60;

const services: readonly { readonly fault?: string; readonly variant?: string }[] = [
  {},
  { variant: 'refuses-with-200-error' },
  { variant: 'refuses-with-request-ids' },
  { fault: 'compares-first-half' },
  { fault: 'connection-remembers-key' },
  { fault: 'no-key-asked' },
];

for (const service of services)
  for (const says of [true, false]) {
    const name = service.fault ?? service.variant ?? 'conforming';
    test(`${name}: keys that ${says ? 'say' : 'do not say'} when they end, and the outcomes of one that lasts`, async () => {
      const lasting = await judgeReference(service);
      const run = await judgeWithEndingKeys({ lastsMs: 2_000, says, latencyMs, ...service });
      expect(outcomesOf(run)).toEqual(outcomesOf(lasting));
      expect(run.results.verdict).toBe(lasting.results.verdict);
      expect(run.given.length).toBeGreaterThan(1);
      const written = JSON.stringify([run.results, run.exchanges]);
      for (const key of run.given)
        for (const form of [key, key.slice(0, 20), Buffer.from(key).toString('base64').slice(0, -2), key.toUpperCase()])
          expect(written).not.toContain(form);
    });
  }
