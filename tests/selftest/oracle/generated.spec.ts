import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { setV8Flags } from '../../../src/cli/judge-target.js';
import { judgeNumber, shown } from '../../generator/judged.js';
import { tallyOf, told } from '../../generator/tally.js';
import { expect, test } from '../support/test.js';

/**
 * Services that nobody wrote by hand, judged by the real rules in memory. `npm test` judges the
 * same 5,000 each time; `npm run fuzz -- oracle` fresh ones for `FUZZ_MS`, on all processors.
 * `ORACLE_SEED` repeats a seed, and with `ORACLE_SERVICE` one service of it, exchange by exchange.
 */

const { FUZZ_MS, ORACLE_SEED, ORACLE_SERVICE } = process.env;
/** Judges become fast as they run, so one process costs least. */
const parts = FUZZ_MS === undefined ? 1 : availableParallelism();
const fixed = 5_000;

test.setTimeout(Number(FUZZ_MS ?? 0) * 2 + 600_000);

test('a service of the generator is the same one again', () => {
  const once = judgeNumber('again', 7);
  const twice = judgeNumber('again', 7);
  assert.deepEqual(twice.service.spec, once.service.spec);
  assert.deepEqual([...twice.sent.keys()], [...once.sent.keys()]);
});

for (const part of Array.from({ length: parts }, (_, index) => index))
  test(`generated services: no conforming one is accused, no faulty one passes, few are unclear (${part + 1} of ${parts})`, async () => {
    if (ORACLE_SERVICE !== undefined) {
      if (part === 0) console.log(shown(judgeNumber(ORACLE_SEED ?? `fixed ${part}`, Number(ORACLE_SERVICE))));
      return;
    }
    const seed = ORACLE_SEED ?? (FUZZ_MS === undefined ? `fixed ${part}` : `${Date.now()} ${part}`);
    const end = Date.now() + Number(FUZZ_MS);
    setV8Flags(0);
    const tally = await tallyOf(seed, (services) => (FUZZ_MS === undefined ? services < fixed : Date.now() < end));
    if (FUZZ_MS !== undefined) console.log(told(tally));
    expect(tally.accused * 10_000, told(tally)).toBeLessThanOrEqual(tally.conforming);
    expect(tally.passed * 1_000, told(tally)).toBeLessThanOrEqual(tally.faulty);
    expect(tally.ordinaryUnclear * 20, told(tally)).toBeLessThanOrEqual(tally.ordinary);
    // A generator of nothing but what is easy shows nothing.
    expect(tally.faulty * 5, told(tally)).toBeGreaterThan(tally.services);
    expect(tally.ordinary * 6, told(tally)).toBeGreaterThan(tally.services);
    expect(tally.undecidable * 5, told(tally)).toBeLessThan(tally.services);
  });
