import picocolors from 'picocolors';
import { compareRuns, comparisonSentence } from './compare.js';
import { matrixOf } from './matrix.js';
import { readResults } from './results-file.js';
import { visible } from './text.js';
import { writeComparison } from './write-comparison.js';

/**
 * Sets the results files of several targets beside each other: writes the matrix page to `dir`, and gives what a console shows of it.
 * @throws ReportError when a file cannot be read or the page not be written
 */
export const compareWritten = async (
  files: readonly string[],
  dir: string,
  { color, shown }: { readonly color: boolean; readonly shown: (path: string) => string },
): Promise<string> => {
  const heads = [];
  for (const file of files) {
    const record = await readResults(file);
    heads.push(record.results);
    await record.dispose();
  }
  const comparison = compareRuns(heads);
  const page = await writeComparison(comparison, dir);
  const matrix = matrixOf(comparison, { colours: picocolors.createColors(color) });
  return `${matrix}\n${visible(comparisonSentence(comparison))}.\nCompared  ${shown(page)}\n`;
};
