import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from '@playwright/test';
import { writeReports } from '../../../src/report/write.js';
import { app } from '../support/app.js';
import { broken, conforming, incomplete } from '../support/sample-runs.js';
import { expect, rowsInCi, sample, someOfTable, test } from '../support/test.js';

/** The page on paper, and text that keeps its words together on paper and on every screen. */

/** Page objects of a PDF; Chromium writes them uncompressed. */
const pagesOf = (pdf: Buffer): number => pdf.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;

/**
 * Elements whose text stands in more lines than it has words: what a column of one letter's width
 * does.
 */
const brokenWords = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = [];
    for (const element of document.querySelectorAll('h1, h2, h3, h4, h5, p, li, dt, dd, summary, blockquote, th, td')) {
      const text = element instanceof HTMLElement ? element.innerText : '';
      const range = document.createRange();
      range.selectNodeContents(element);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top / 8))).size;
      // Long paths and addresses are broken anywhere, so they count by their length.
      const words = text.split(/\s+/).reduce((sum, word) => sum + Math.ceil(word.length / 12), 0);
      if (element.checkVisibility() && text !== '' && lines > 2 && lines > words * 1.5)
        found.push(`${element.tagName} in ${lines} lines: ${text.slice(0, 80)}`);
    }
    return found;
  });

const row = rowsInCi();
for (const [name, words] of [
  ['conforming', []],
  ['faulty', ['--fault', 'no-key-asked']],
] as const)
  test(
    `the report of a ${name} service on the shipped contract is at most 12 pages`,
    row(),
    async ({ cwd, chromium }) => {
      await app(['run', '--reference', ...words, '--quiet'], { cwd });
      const page = await chromium.newPage({ viewport: { width: 1280, height: 800 } });
      await page.goto(pathToFileURL(join(cwd, 'reports', 'conformance', 'index.html')).href);
      for (const format of ['A4', 'Letter'])
        for (const own of sample(format === 'A4' ? [true, false] : [false, true], 2)) {
          // With the margins of the page's own style, and with those of the printer's settings.
          const margin = own ? {} : { margin: { top: '1cm', right: '1cm', bottom: '1cm', left: '1cm' } };
          const pages = pagesOf(await page.pdf({ format, preferCSSPageSize: own, ...margin }));
          expect(pages, `${format} ${own}`).toBeGreaterThan(1);
          expect(pages, `${format} ${own}`).toBeLessThanOrEqual(12);
        }
      await page.close();
    },
  );

const textRow = someOfTable();
for (const [name, run] of Object.entries({ broken, conforming, incomplete }))
  test(
    `no text of a ${name} run is broken letter by letter, on screen and on paper`,
    textRow(),
    async ({ cwd, chromium }) => {
      const { page: file } = await writeReports(run(), { dir: cwd, environment: {} });
      const page = await chromium.newPage();
      await page.goto(pathToFileURL(file).href);
      for (const media of ['screen', 'print'] as const)
        for (const width of [390, 794, 1280]) {
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ media });
          expect(await brokenWords(page), `${media} ${width}`).toEqual([]);
        }
      await page.close();
    },
  );
