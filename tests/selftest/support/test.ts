import { createHash, X509Certificate } from 'node:crypto';
import { _baseTest, type Browser } from '@playwright/test';
import { certificateOf } from '../../../src/reference/certificates.js';
import { launchBrowser } from './browser.js';
import { folder } from './command.js';

export { expect } from '@playwright/test';

/**
 * Base64 of the SHA-256 of a certificate's public key, as `--ignore-certificate-errors-spki-list`
 * of Chromium takes it.
 */
const spkiPinOf = (certificate: string | Buffer): string => {
  const spki = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(spki).digest('base64');
};

/**
 * The browser of the self-tests, which trusts the certificate of their servers.
 * @param disabled features that this one lacks
 */
export const launchTrusting = async (disabled: readonly string[] = []): Promise<Browser> => {
  const { cert } = await certificateOf('valid');
  return launchBrowser([`--ignore-certificate-errors-spki-list=${spkiPinOf(cert)}`], disabled);
};

/**
 * A slow test of whole processes, browsers or documents, of which quicker ones prove the parts: CI
 * alone runs it.
 */
export const inCi = { tag: '@ci' } as const;

/** A test of which others prove the most: only a run with `ZOO=all` has it. */
export const inFull = { tag: '@all' } as const;

interface Tagged {
  readonly tag?: string;
}

/** Numbers the rows of a table, from 0. */
const byRow = (tagged: (row: number) => Tagged): (() => Tagged) => {
  let next = 0;
  return () => {
    next += 1;
    return tagged(next - 1);
  };
};

/**
 * How the slow tests of a table of like ones are run: the first row by `npm test`, the last of each
 * `every` by CI too, all rows with `ZOO=all`. What the rows have in common is proved each time.
 */
export const rowsOfTable = (every = 24, first: Tagged = {}): (() => Tagged) =>
  byRow((row) => (row === 0 ? first : row % every === every - 1 ? inCi : inFull));

/**
 * The same for a table of which other tests prove the most: CI runs the first row, and the last of
 * each `every`.
 */
export const rowsInCi = (every = 40): (() => Tagged) => rowsOfTable(every, inCi);

/**
 * How quick tests of a table of like ones are run: one of three, the first among them, and all rows
 * with `ZOO=all`. For rows that have a number.
 */
export const oneOfThree = (row: number): Tagged => (row % 3 === 0 ? {} : inFull);

/** The same for rows without a number. */
export const someOfTable = (): (() => Tagged) => byRow(oneOfThree);

/**
 * How quick tests of what keeps secrets out of artefacts are run: one of three rows by `npm test`,
 * all by CI.
 */
export const tableOfSecrets = (): (() => Tagged) => byRow((row) => (row % 3 === 0 ? {} : inCi));

/**
 * The tests of all files: each worker serves them all, since one more kind of worker is six more
 * processes. Playwright's own `test` would add a recorder of traces to each, which costs four
 * fifths of an empty test's time and is of no use here.
 */
export const test = _baseTest.extend<
  {
    /** An empty folder for this test alone. */
    cwd: string;
  },
  {
    /**
     * One browser a worker: it trusts the certificate that every reference service of this process
     * shows.
     */
    chromium: Browser;
  }
>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of a fixture's needs from its first parameter.
  cwd: async ({}, use) => {
    const { path, remove } = await folder();
    await use(path);
    await remove();
  },
  chromium: [
    // biome-ignore lint/correctness/noEmptyPattern: as above
    async ({}, use) => {
      const browser = await launchTrusting();
      await use(browser);
      await browser.close();
    },
    { scope: 'worker' },
  ],
});

/**
 * Some of a large table, so that CI ends in time: each row takes a second or two of two processors.
 * `ZOO=all` takes every row.
 * @param every takes one of so many, the first among them
 */
export const sample = <T>(rows: readonly T[], every: number): readonly T[] =>
  process.env.ZOO === 'all' ? rows : rows.filter((_, index) => index % every === 0);
