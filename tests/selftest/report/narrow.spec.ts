import { pathToFileURL } from 'node:url';
import type { Finding } from '../../../src/engine/results.js';
import { writeReports } from '../../../src/report/write.js';
import { largeRun } from '../support/large-run.js';
import { recordOf } from '../support/run-record.js';
import { expect, inCi, test } from '../support/test.js';

/** The page of a run of many operations that was cut short, on a telephone. */
test(
  'a long tally leaves clauses readable, and operations are named once before any twice',
  inCi,
  async ({ chromium, cwd }) => {
    const { checks, operations } = largeRun(150, 1).results;
    const cut = checks.map(
      (check, at): Finding => ({
        ...check,
        ...(at % 3 === 0 ? { outcome: 'passed' } : { outcome: at % 3 === 1 ? 'lenient' : 'inconclusive' }),
        ...(at % 3 === 2
          ? { cause: { id: 'run-stopped' }, reason: 'The run was stopped before this was judged.' }
          : {}),
      }),
    );
    const { page: file } = await writeReports(recordOf(cut, [], { operations }), { dir: cwd, environment: {} });
    const page = await chromium.newPage({ viewport: { width: 390, height: 844 } });
    await page.goto(pathToFileURL(file).href);
    const tall = await page
      .locator('details.clause > summary .id')
      .evaluateAll((ids) => ids.filter((id) => id.getBoundingClientRect().height > 30).map((id) => id.textContent));
    expect(tall).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    const names = await page.locator('#open .links a').allInnerTexts();
    expect(names.length).toBeGreaterThan(5);
    expect(new Set(names).size).toBe(names.length);
    await page.close();
  },
);
