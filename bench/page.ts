/**
 * How long the page of a run of 1,000 operations and 15,000 checks takes to open, to filter, to
 * unfold a check and to follow a link, and its elements.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, expect as expectSoon } from '@playwright/test';
import { writeReports } from '../src/report/write.js';
import { findChromium } from '../src/settings/setting-parser.js';
import { largeRun } from '../tests/selftest/support/large-run.js';

const limits = { opened: 1_500, filtered: 2_000, unfolded: 2_000, linked: 2_000 } as const;
const rounds = 3;
/** Before anything is opened. */
const mostElements = 15_000;
let elements = 0;
const expect = expectSoon.configure({ timeout: 120_000 });

const timed = async (act: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await act();
  return Math.round(performance.now() - start);
};

const found = findChromium(process.env);
if (found.path === undefined) throw new Error(found.missing);
const dir = mkdtempSync(join(tmpdir(), 'access-conformance-bench-'));
const browser = await chromium.launch({ executablePath: found.path, chromiumSandbox: false });
try {
  const { page: file } = await writeReports(largeRun(1_000, 5), { dir, environment: {} });
  const figures: Record<keyof typeof limits, number>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const opened = await timed(async () => {
      await page.goto(pathToFileURL(file).href);
      await expect(page.locator('html.scripted')).toBeAttached();
    });
    elements = await page.locator('*').count();
    const filtered = await timed(async () => {
      await page.locator('input[type=search]').fill('refuses-missing-key@listThing107');
      await expect(page.locator('output')).toHaveText('1 of 15,000 checks');
    });
    const unfolded = await timed(async () => {
      await page.locator('details.check:visible > summary').click();
      await expect(page.locator('details.check:visible .exchange').first()).toBeVisible();
    });
    const linked = await timed(async () => {
      await page.evaluate("location.hash = '#documented-body@listThing999'");
      await expect(page.locator('[id="documented-body@listThing999"] .exchange').first()).toBeVisible();
    });
    figures.push({ opened, filtered, unfolded, linked });
    await page.close();
  }
  for (const [name, limit] of Object.entries(limits) as [keyof typeof limits, number][]) {
    const best = Math.min(...figures.map((each) => each[name]));
    console.log(`${name}: ${best} ms, limit ${limit} ms: ${best < limit ? 'holds' : 'does not hold'}`);
    if (best >= limit) process.exitCode = 1;
  }
  console.log(`elements: ${elements}, limit ${mostElements}: ${elements < mostElements ? 'holds' : 'does not hold'}`);
  if (elements >= mostElements) process.exitCode = 1;
} finally {
  await browser.close();
  rmSync(dir, { recursive: true, force: true });
}
