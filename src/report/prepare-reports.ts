import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { failedTo, otherFolder } from './errors.js';

/**
 * Recursive. Node's own recursive mkdir never returns on file systems that answer ENOENT, as /proc.
 */
const makeFolder = (folder: string): void => {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another run has just made it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
};

/**
 * Checks before anything is sent that reports can be written.
 * @throws {ReportError} one line that names the folder
 */
export const prepareReports = (folder: string): void => {
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw failedTo(`write reports to ${folder}`, folder, error, otherFolder);
  }
};
