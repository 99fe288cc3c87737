import picocolors from 'picocolors';
import { compareRuns, comparisonSentence } from './compare.js';
import { matrixOf } from './matrix.js';
import type { RunHead } from './sentences.js';
import { visible } from './text.js';
import { writeComparison } from './write-comparison.js';

/**
 * Sets the results of several targets beside each other: writes the matrix page to `dir`, and gives what a console shows of it.
 * @throws ReportError when the page cannot be written
 */
export const compareTargets = async (
  heads: readonly RunHead[],
  dir: string,
  { color, shown }: { readonly color: boolean; readonly shown: (path: string) => string },
): Promise<string> => {
  const comparison = compareRuns(heads);
  const page = await writeComparison(comparison, dir);
  const matrix = matrixOf(comparison, { colours: picocolors.createColors(color) });
  return `${matrix}\n${visible(comparisonSentence(comparison))}.\nCompared  ${shown(page)}\n`;
};
