import picocolors from 'picocolors';
import { compareRuns, comparisonSentence } from './compare.js';
import { comparisonTable } from './comparison-table.js';
import type { RunSummary } from './run-summary.js';
import { visible } from './text.js';
import { writeComparison } from './write-comparison.js';

/**
 * Compares the results of several targets: writes the comparison page to `dir`.
 * @returns text for the console
 * @throws ReportError when the page cannot be written
 */
export const compareTargets = async (
  summaries: readonly RunSummary[],
  dir: string,
  { color, shown }: { readonly color: boolean; readonly shown: (path: string) => string },
): Promise<string> => {
  const comparison = compareRuns(summaries);
  const page = await writeComparison(comparison, dir);
  const table = comparisonTable(comparison, { colours: picocolors.createColors(color) });
  return `${table}\n${visible(comparisonSentence(comparison))}.\nCompared  ${shown(page)}\n`;
};
