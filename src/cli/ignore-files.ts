import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, ReportError, whyNot } from '../report/errors.js';

/**
 * Adds the names that are missing to `.gitignore` in a folder. Lines that are there stay.
 * @returns the names that were added
 * @throws {ReportError} when the file cannot be read or written
 */
export const ignoreFiles = async (folder: string, names: readonly string[]): Promise<readonly string[]> => {
  const path = join(folder, '.gitignore');
  try {
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return '';
      throw error;
    });
    const there = new Set(text.split(/\r?\n/).map((line) => line.trim().replace(/^\//, '').replace(/\/$/, '')));
    const added = names.filter((name) => !there.has(name.replace(/\/$/, '')));
    const before = text === '' || text.endsWith('\n') ? '' : '\n';
    if (added.length > 0) await appendFile(path, `${before}${added.join('\n')}\n`);
    return added;
  } catch (error) {
    throw new ReportError(`cannot write ${path}: ${whyNot(error)}`, path, { cause: error });
  }
};
