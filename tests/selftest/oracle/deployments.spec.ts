import { setV8Flags } from '../../../src/cli/judge-target.js';
import { tallyDeployments } from '../../generator/deployment-runs.js';
import { expect, inFull, test } from '../support/test.js';

/**
 * Whole deployments that nobody wrote by hand, judged by every rule in memory: how the key is taken,
 * where, and what answers plain HTTP. `npm run fuzz -- oracle` judges fresh ones for `FUZZ_MS`;
 * `ORACLE_SEED` repeats a seed.
 */

const { FUZZ_MS, ORACLE_SEED } = process.env;

test.setTimeout(Number(FUZZ_MS ?? 0) * 2 + 600_000);

const judge = async (seed: string, goOn: (count: number) => boolean): Promise<void> => {
  setV8Flags(0);
  const { counts, unclear, wrong } = await tallyDeployments(seed, goOn);
  const words = JSON.stringify({ seed, ...counts, unclear });
  if (FUZZ_MS !== undefined) console.log(words);
  expect(wrong, words).toEqual([]);
  expect(unclear * 20, words).toBeLessThanOrEqual(counts.conforming);
  // A generator of nothing but what is easy shows nothing.
  expect(counts.faulty * 4, words).toBeGreaterThan(counts.conforming);
  expect(counts.undecidable * 10, words).toBeLessThan(counts.faulty);
};

test('generated deployments: no kept clause fails, no broken one passes', async () => {
  const end = Date.now() + Number(FUZZ_MS);
  if (FUZZ_MS !== undefined) await judge(ORACLE_SEED ?? String(Date.now()), () => Date.now() < end);
  else await judge(ORACLE_SEED ?? 'fixed', (count) => count < 20);
});

test('fifty generated deployments more', inFull, async () => {
  await judge('more', (count) => count < 50);
});
