import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { Comparison } from './compare.js';
import { ReportError, whyNot } from './errors.js';
import { comparePageHtml, type LinkOf } from './page/compare-page.js';

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
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(dir, { recursive: true });
    await writeFile(temporary, [...comparePageHtml(comparison, linkFrom(dir))].join(''));
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw new ReportError(
      `cannot write ${resolve(path)}: ${whyNot(error)}; name another folder with --reports-dir or REPORTS_DIR`,
      path,
      { cause: error },
    );
  }
  return path;
};
