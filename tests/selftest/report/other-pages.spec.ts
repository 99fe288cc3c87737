import { pathToFileURL } from 'node:url';
import type { Browser, Page } from '@playwright/test';
import type { RunRecord } from '../../../src/engine/results.js';
import { compareRuns } from '../../../src/report/compare.js';
import { writeComparison, writeReports } from '../../../src/report/write.js';
import { violationsOn } from '../support/axe.js';
import { broken, conforming, hostileText, incomplete } from '../support/sample-runs.js';
import { expect, rowsOfTable, test } from '../support/test.js';

/** Pages beside the plain report of one run: comparisons, targets, a history, many identities. */

const as = (name: string, { results }: RunRecord): RunRecord['results'] => ({
  ...results,
  target: { ...results.target, name },
});

/** A run in which nine more identities asked. */
const withIdentities = (): RunRecord => {
  const record = conforming();
  const identities = Array.from({ length: 9 }, (_, at) => ({ name: `member-${at}`, peers: [], alive: true as const }));
  const matrix = record.results.operations.flatMap((operation) =>
    identities.map(({ name }) => ({
      operation: operation.id,
      identity: name,
      documented: 'refuses' as const,
      seen: 'notAsked' as const,
    })),
  );
  const { identities: own = [], matrix: cells = [] } = record.results;
  const all = record.results.operations.flatMap(({ id }) =>
    [...cells, ...matrix].filter(({ operation }) => operation === id),
  );
  return { ...record, results: { ...record.results, identities: [...own, ...identities], matrix: all } };
};

const report = async (dir: string, record: RunRecord): Promise<string> =>
  (await writeReports(record, { dir, environment: {} })).page;

const pages: Readonly<Record<string, (dir: string) => Promise<string>>> = {
  'a comparison': (dir) =>
    writeComparison(compareRuns([conforming().results, broken(hostileText).results, incomplete().results]), dir),
  'a comparison of targets': (dir) =>
    writeComparison(
      compareRuns([as('eu', conforming()), as('us', broken()), as('old', incomplete())], { kind: 'targets' }),
      dir,
    ),
  'a history': async (dir) => {
    for (const record of [conforming(), broken()]) await writeReports(record, { dir, history: true, environment: {} });
    return (await writeReports(incomplete(), { dir, history: true, environment: {} })).page;
  },
  'many identities': (dir) => report(dir, withIdentities()),
};

const opened = async (browser: Browser, file: string): Promise<Page> => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, bypassCSP: true });
  await page.goto(pathToFileURL(file).href);
  return page;
};

const row = rowsOfTable();
for (const [name, write] of Object.entries(pages))
  test(`the page of ${name} has nothing that axe finds, and nothing sticks out`, row(), async ({ cwd, chromium }) => {
    const page = await opened(chromium, await write(cwd));
    expect(await violationsOn(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violationsOn(page, ['color-contrast', 'link-in-text-block'])).toEqual([]);
    for (const width of [390, 1100, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth), `${width}`).toBeLessThanOrEqual(width);
    }
    await page.close();
  });

test('on paper the matrix of many identities has all of its columns', async ({ cwd, chromium }) => {
  const page = await opened(chromium, await report(cwd, withIdentities()));
  await page.emulateMedia({ media: 'print' });
  // A4 within the margins of the page.
  await page.setViewportSize({ width: 688, height: 900 });
  expect(await page.locator('.access').evaluate((table) => table.getBoundingClientRect().right)).toBeLessThanOrEqual(
    688,
  );
  await expect(page.locator('.access thead th').last()).toBeVisible();
  await page.close();
});

test('the numbers of the most likely reasons are within a narrow screen', async ({ cwd, chromium }) => {
  const page = await opened(chromium, await report(cwd, incomplete()));
  await page.setViewportSize({ width: 390, height: 900 });
  const paddings = await page
    .locator('details.cause > ol')
    .evaluateAll((lists) => lists.map((list) => Number.parseFloat(getComputedStyle(list).paddingLeft)));
  expect(paddings.length).toBeGreaterThan(0);
  expect(Math.min(...paddings)).toBeGreaterThan(15);
  await page.close();
});
