import { randomBytes } from 'node:crypto';
import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { unfinishedRun } from '../engine/unfinished.js';
import { reportNames } from './report-names.js';
import { resultsJson } from './results-file.js';

/**
 * Writes `results.json` of a run that cannot end by itself, and no other report: those of an earlier run, which would tell
 * something else beside it, are removed.
 * @param journal its descriptor
 * @param dir the reports folder, whose folder `conformance` is there
 * @returns whether there was anything to write
 */
export const writeUnfinished = async (journal: number, dir: string): Promise<boolean> => {
  const record = await unfinishedRun(journal);
  if (!record) return false;
  const folder = join(dir, 'conformance');
  const aside = join(folder, `.writing-${randomBytes(6).toString('hex')}`);
  try {
    await pipeline(Readable.from(resultsJson(record)), createWriteStream(aside));
    const { results, ...others } = reportNames;
    for (const name of Object.values(others)) rmSync(join(folder, name), { force: true });
    renameSync(aside, join(folder, results));
  } finally {
    rmSync(aside, { force: true });
  }
  return true;
};
