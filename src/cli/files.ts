import { appendFile, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf, failedTo } from '../report/reports-folder.js';
import { readSettings } from '../settings/settings.js';

/**
 * Writes a new file and its folder. A file that could not be written in full is removed.
 * @returns false when there is one already, which stays as it is
 * @throws {ReportError} one line that names the file
 */
export const writeNew = async (path: string, text: string, mode?: number): Promise<boolean> => {
  try {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(path, 'wx', mode).catch((error: unknown) => {
      if (codeOf(error) === 'EEXIST') return undefined;
      throw error;
    });
    if (file === undefined) return false;
    try {
      await file.writeFile(text);
    } catch (error) {
      await rm(path, { force: true }).catch(() => undefined);
      throw error;
    } finally {
      await file.close().catch(() => undefined);
    }
    return true;
  } catch (error) {
    throw failedTo(`write ${path}`, path, error);
  }
};

/**
 * Writes a file, in place of the one that may be there.
 * @param shown the path as the user named it
 * @throws {ReportError} one line that names the file
 */
export const writeAnew = (path: string, text: string, shown = path): Promise<void> =>
  writeFile(path, text).catch((error: unknown) => {
    throw failedTo(`write ${shown}`, path, error);
  });

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
    throw failedTo(`write ${path}`, path, error);
  }
};

/**
 * REPORTS_DIR of a command that takes no other setting. `.env` is for runs.
 * @throws {SettingsError} where the value is none
 */
export const reportsDirOf = (cwd: string, env: NodeJS.ProcessEnv, flag?: string): string =>
  readSettings({ flags: { REPORTS_DIR: flag }, env: { REPORTS_DIR: env.REPORTS_DIR }, cwd, envFile: false }).values
    .REPORTS_DIR;

export const resultsIn = (reportsDir: string): string => join(reportsDir, 'conformance', 'results.json');
