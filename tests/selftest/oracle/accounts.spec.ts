import { judgeAccounts, tallyAccounts } from '../../generator/account-runs.js';
import { accountSpec } from '../../generator/account-spec.js';
import { expect, inCi, inFull, test } from '../support/test.js';

/**
 * Services with several accounts that nobody wrote by hand: whose rows a list gives, what opens to
 * whom, and how they refuse. `npm run fuzz -- oracle` judges fresh ones for `FUZZ_MS`;
 * `ORACLE_SEED` repeats a seed.
 */

const { FUZZ_MS, ORACLE_SEED } = process.env;

test.setTimeout(Number(FUZZ_MS ?? 0) * 2 + 600_000);

const judge = async (seed: string, goOn: (count: number) => boolean): Promise<void> => {
  const { counts, wrong } = await tallyAccounts(seed, goOn);
  const words = JSON.stringify({ seed, ...counts });
  if (FUZZ_MS !== undefined) console.log(words);
  expect(wrong, words).toEqual([]);
};

test('generated accounts: no kept clause fails, no broken one passes', async () => {
  const end = Date.now() + Number(FUZZ_MS);
  if (FUZZ_MS !== undefined) await judge(ORACLE_SEED ?? String(Date.now()), () => Date.now() < end);
  else await judge(ORACLE_SEED ?? 'fixed', (count) => count < 5);
});

test('twenty generated services with accounts more', inFull, async () => {
  await judge('more', (count) => count < 20);
});

/** Conforming services that were accused once, and faulty ones that passed. */
const found = {
  'whose items have comments, and ids counted for each account': ['nov30-other', 205],
  'whose pages are of rows in another order each time': ['s65d', 858],
  'whose items open below any account': ['s65b', 300],
  'whose items open below any account, in part': ['s65c', 268],
} as const;

for (const [what, [seed, number]] of Object.entries(found))
  test(`a generated service ${what}`, inCi, async () => {
    expect((await judgeAccounts(accountSpec(seed, number))).wrong).toBeUndefined();
  });
