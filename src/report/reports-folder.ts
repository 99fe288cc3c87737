import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { failedTo, otherFolder } from './errors.js';

/** File names of a run's reports, in the subfolder `conformance`. */
export const reportNames = {
  results: 'results.json',
  page: 'index.html',
  junit: 'junit.xml',
  sarif: 'results.sarif',
  markdown: 'summary.md',
  badge: 'badge.json',
} as const;

/** Where a long run keeps its exchanges, beside `results.json`. */
export const exchangesName = 'exchanges.jsonl.gz';

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
