import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { ReportError, whyNot } from './errors.js';

/** One folder after the other: the recursive mkdir of Node never returns where a file system answers ENOENT, as /proc does. */
const makeFolder = (folder: string): void => {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another run in the same folder was quicker.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
};

/**
 * Finds out before anything is sent whether reports can be written.
 * @throws {ReportError} one line that names the folder
 */
export const prepareReports = (folder: string): void => {
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new ReportError(
      `cannot write reports to ${folder}: ${whyNot(error)}; name another folder with --reports-dir or REPORTS_DIR`,
      folder,
      { cause: error },
    );
  }
};
