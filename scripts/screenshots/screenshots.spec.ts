import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from '@playwright/test';
import { asset } from '../../src/package.js';
import { writeReports } from '../../src/report/write.js';
import { broken, conforming, incomplete } from '../../tests/selftest/support/sample-runs.js';

const runs = { conforming, broken, incomplete };

/**
 * `SCREENSHOTS=all` makes every combination at full length, to be looked at; otherwise the pictures
 * that the README shows.
 */
const everything = process.env.SCREENSHOTS === 'all';
const folder = everything ? asset('test-results', 'screenshots') : asset('docs', 'images');

for (const [name, run] of Object.entries(runs)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      if (
        !everything &&
        (width === 390 || name === 'incomplete' || (colorScheme === 'dark') !== (name === 'conforming'))
      )
        continue;
      test(`${name} ${colorScheme} ${width}`, async ({ browser }) => {
        const dir = await mkdtemp(join(tmpdir(), 'screenshots-'));
        try {
          const { page: file } = await writeReports(run(), { dir, environment: {} });
          const page = await browser.newPage({
            colorScheme,
            viewport: { width, height: 860 },
            deviceScaleFactor: everything ? 1 : 2,
          });
          await page.goto(pathToFileURL(file).href);
          const path = join(folder, everything ? `${name}-${colorScheme}-${width}.png` : `${name}.png`);
          if (everything) {
            await page.locator('#AUTH-4 > summary').click();
            const check = page.locator('details.check').first();
            await check.locator('summary').click();
            await check.locator('details.exchange summary').first().click();
            await page.mouse.move(0, 0);
          }
          if (everything) await copyFile(file, join(folder, `${name}.html`));
          await page.screenshot({ path, fullPage: everything });
        } finally {
          await rm(dir, { recursive: true, force: true });
        }
      });
    }
  }
}

/** The matrix of a run with several identities, made by the command: it needs `npm run build`. */
for (const colorScheme of everything ? (['light', 'dark'] as const) : (['light'] as const))
  test(`identities ${colorScheme}`, async ({ browser }) => {
    const dir = await mkdtemp(join(tmpdir(), 'screenshots-'));
    try {
      const words = ['run', '--reference', '--demo', 'roles', '--fault', 'scope-not-checked', '--reports-dir', dir];
      await new Promise<void>((resolve) => {
        // It ends with 1: a clause is broken.
        execFile(process.execPath, [asset('dist', 'src', 'cli', 'main.js'), ...words], () => resolve());
      });
      const page = await browser.newPage({
        colorScheme,
        viewport: { width: 1280, height: 860 },
        deviceScaleFactor: everything ? 1 : 2,
      });
      await page.goto(pathToFileURL(join(dir, 'conformance', 'index.html')).href);
      await page
        .locator('#access')
        .screenshot({ path: join(folder, everything ? `identities-${colorScheme}.png` : 'identities.png') });
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });
