import { judgeWithEndingKeys } from '../support/ending-keys.js';
import { type JudgedRun, judgeReference } from '../support/judge.js';
import { expect, rowsOfTable, test } from '../support/test.js';

/** Keys that end in the middle of a run. */

const outcomesOf = ({ results }: JudgedRun): readonly string[] =>
  results.checks.map(({ id, outcome }) => `${id} ${outcome}`);

const services: readonly { readonly fault?: string; readonly variant?: string }[] = [
  {},
  { variant: 'refuses-with-200-error' },
  { variant: 'refuses-with-request-ids' },
  { fault: 'compares-first-half' },
  { fault: 'connection-remembers-key' },
  { fault: 'no-key-asked' },
];

/** How long a key lasts, what is said of it, and milliseconds that an answer takes. */
const lives = [
  { words: 'say when they end', lasts: { ms: 2_000 }, latencyMs: 60 },
  { words: 'do not say when they end', lasts: { uses: 8 }, latencyMs: 0 },
  { words: 'open six times only', lasts: { uses: 6 }, latencyMs: 0 },
];

const lastingRuns = new Map<object, Promise<JudgedRun>>();

/** A run with a key that lasts, once for each service and worker. */
const judgeLasting = (service: (typeof services)[number]): Promise<JudgedRun> => {
  const run = lastingRuns.get(service) ?? judgeReference(service);
  lastingRuns.set(service, run);
  return run;
};

const row = rowsOfTable();
/** Of keys that end by their uses, which need no clock. */
const rowOfUses = rowsOfTable(6);
for (const service of services)
  for (const { words, ...life } of lives) {
    const name = service.fault ?? service.variant ?? 'conforming';
    test(
      `${name}: keys that ${words}, and the outcomes of one that lasts`,
      'ms' in life.lasts ? row() : rowOfUses(),
      async () => {
        const lasting = await judgeLasting(service);
        // On a busy machine, a key lasts as long as a run without latency takes.
        const lasts = 'ms' in life.lasts ? { ms: Math.max(life.lasts.ms, lasting.results.durationMs) } : life.lasts;
        const run = await judgeWithEndingKeys({ ...life, lasts, ...service });
        expect(outcomesOf(run)).toEqual(outcomesOf(lasting));
        expect(run.results.verdict).toBe(lasting.results.verdict);
        if ('uses' in life.lasts) expect(run.given.length).toBeGreaterThan(1);
        const written = JSON.stringify([run.results, run.exchanges]);
        for (const key of run.given)
          for (const form of [
            key,
            key.slice(0, 20),
            Buffer.from(key).toString('base64').slice(0, -2),
            key.toUpperCase(),
          ])
            expect(written).not.toContain(form);
      },
    );
  }

for (const [foretells, shown] of [
  ['in a field', '"x-next","<API_KEY>"'],
  ['in a redirect', '/log-in?next=<API_KEY>'],
] as const)
  test(`keys that a server gives away ${foretells} before they are fetched are in no answer`, async () => {
    const { given, exchanges, results } = await judgeWithEndingKeys({ lasts: { uses: 8 }, foretells });
    expect(given.length).toBeGreaterThan(1);
    const written = JSON.stringify([results, exchanges]);
    expect(written.includes(shown)).toBe(true);
    expect(given.filter((key) => written.includes(key))).toEqual([]);
  });
