import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { Comparison } from './compare.js';
import { failedTo, otherFolder } from './errors.js';
import { comparePageHtml, type LinkOf } from './page/compare-page.js';

const linkFrom =
  (dir: string): LinkOf =>
  ({ page }) =>
    page && relative(resolve(dir), resolve(page)).split(/[\\/]/).map(encodeURIComponent).join('/');

/**
 * Writes the comparison page to `<dir>/compare.html`, and returns its path.
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
