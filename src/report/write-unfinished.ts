import { randomBytes } from 'node:crypto';
import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { unfinishedRun } from '../engine/unfinished-run.js';
import { exchangesName, reportNames } from './reports-folder.js';
import { resultsJson } from './results-file.js';

/**
 * Writes `results.json` of a run that hangs, and removes the reports of an earlier run.
 * @param journal file descriptor of the run's journal
 * @param dir the reports folder; its subfolder `conformance` exists
 * @returns whether there was anything to write
 */
export const writeUnfinished = async (journal: number, dir: string): Promise<boolean> => {
  const record = await unfinishedRun(journal);
  if (!record) return false;
  const folder = join(dir, 'conformance');
  const temporary = join(folder, `.writing-${randomBytes(6).toString('hex')}`);
  try {
    await pipeline(Readable.from(resultsJson(record)), createWriteStream(temporary));
    const { results, ...others } = reportNames;
    for (const name of [...Object.values(others), exchangesName]) rmSync(join(folder, name), { force: true });
    renameSync(temporary, join(folder, results));
  } finally {
    rmSync(temporary, { force: true });
  }
  return true;
};
