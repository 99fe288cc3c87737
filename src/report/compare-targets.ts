import { join } from 'node:path';
import picocolors from 'picocolors';
import { compareRuns, comparisonSentence, differencesSentence } from './compare.js';
import { comparisonTable } from './comparison-table.js';
import { reportNames } from './report-names.js';
import type { RunSummary } from './run-summary.js';
import { visible } from './text.js';
import { writeComparison } from './write-comparison.js';

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
