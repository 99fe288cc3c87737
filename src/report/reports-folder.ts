import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../errors.js';

/** Reports could not be written, or a results file not be read. The message is for the user. */
export class ReportError extends Error {
  override readonly name = 'ReportError';
  readonly path: string;

  constructor(message: string, path: string, options?: ErrorOptions) {
    super(message, options);
    this.path = path;
  }
}

/** Advice for a reports folder that cannot be written. */
export const otherFolder = '; name another folder with --reports-dir or REPORTS_DIR';

/**
 * Makes a ReportError that says what could not be done and why. A ReportError is returned
 * unchanged. The advice is for errors of the file system.
 */
export const failedTo = (what: string, path: string, error: unknown, advice = ''): ReportError =>
  error instanceof ReportError
    ? error
    : new ReportError(`cannot ${what}: ${whyNot(error)}${codeOf(error) === undefined ? '' : advice}`, path, {
        cause: error,
      });

const causes: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is larger than may be written here',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a file stands where the folder should be',
  EISDIR: 'a folder stands where the file should be',
  ENOENT: 'it does not exist',
  ENAMETOOLONG: 'the path is too long',
};

/** `permission denied (EACCES)`; for other codes the first line of the error's message. */
export const whyNot = (error: unknown): string => {
  const code = codeOf(error);
  const cause = code === undefined ? undefined : causes[code];
  if (cause) return `${cause} (${code})`;
  return error instanceof Error ? (error.message.split('\n', 1)[0] ?? error.name) : String(error);
};

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
    if (codeOf(error) !== 'EEXIST') throw error;
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
