import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import picocolors from 'picocolors';
import { type Comparison, compareRuns, comparisonSentence, differencesSentence } from './compare.js';
import { comparisonTable } from './comparison-table.js';
import { failedTo, otherFolder } from './errors.js';
import { comparePageHtml, type LinkOf } from './page/compare-page.js';
import { reportNames } from './report-names.js';
import type { RunSummary } from './run-summary.js';
import { visible } from './text.js';

const linkFrom =
  (dir: string): LinkOf =>
  ({ page }) =>
    page && relative(resolve(dir), resolve(page)).split(/[\\/]/).map(encodeURIComponent).join('/');

/**
 * Writes the comparison page to `<dir>/compare.html`.
 * @returns its path
 * @throws ReportError with one line when the folder cannot be written
 */
export const writeComparison = async (comparison: Comparison, dir: string): Promise<string> => {
  const path = join(dir, 'compare.html');
  try {
    await mkdir(dir, { recursive: true });
    await writeFile(path, [...comparePageHtml(comparison, linkFrom(dir))].join(''));
  } catch (error) {
    throw failedTo(`write ${resolve(path)}`, path, error, otherFolder);
  }
  return path;
};

/** The results of one of several targets, and the reports folder of its own. */
export interface TargetResults {
  readonly results: RunSummary;
  readonly reportsDir: string;
}

/**
 * Compares the results of several targets: writes the comparison page to `dir`.
 * @returns text for the console
 * @throws ReportError when the page cannot be written
 */
export const compareTargets = async (
  targets: readonly TargetResults[],
  dir: string,
  { color, shown }: { readonly color: boolean; readonly shown: (path: string) => string },
): Promise<string> => {
  const comparison = compareRuns(
    targets.map(({ results }) => results),
    { kind: 'targets', pages: targets.map(({ reportsDir }) => join(reportsDir, 'conformance', reportNames.page)) },
  );
  const page = await writeComparison(comparison, dir);
  const table = comparisonTable(comparison, { colours: picocolors.createColors(color) });
  return `${table}\n${visible(comparisonSentence(comparison))}. ${visible(differencesSentence(comparison))}.\nCompared  ${shown(page)}\n`;
};
