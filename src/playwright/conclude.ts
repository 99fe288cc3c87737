import { join } from 'node:path';
import { staleDeviations } from '../engine/deviations.js';
import { exitCodeWith, worstCode } from '../engine/outcomes.js';
import type { RunRecord } from '../engine/results.js';
import { compareTargets } from '../report/compare-targets.js';
import { consoleSummary } from '../report/console.js';
import type { Explain } from '../report/explain.js';
import { visible } from '../report/text.js';
import { decisiveExchanges, type ReportPaths, writeReports } from '../report/write.js';
import { explain } from '../rules/explain.js';
import type { Head } from './head.js';

/** Where a conclusion is told. */
export interface Told {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly color: boolean;
  readonly width: number;
  /** Paths as they are told. */
  readonly shown: (path: string) => string;
}

/** The run of one deployment. */
export interface Part {
  readonly head: Head;
  readonly record: RunRecord;
}

/** Writes the reports of a run that was put together, tells it, and gives the exit code of `access-conformance run`. */
const conclude = async ({ record, head }: Part, reportsDir: string, told: Told): Promise<number> => {
  const { results } = record;
  const explained: Explain = explain;
  const stale = staleDeviations(head.deviations, head.checks, results.checks);
  const written = await writeReports(record, { dir: reportsDir, explain: explained, stale });
  const paths = Object.fromEntries(
    Object.entries(written).map(([name, path]) => [name, told.shown(path)]),
  ) as unknown as ReportPaths;
  const decisive = await decisiveExchanges(record);
  told.out(consoleSummary(results, { color: told.color, width: told.width, decisive, paths }));
  for (const line of stale) told.err(`access-conformance: ${visible(line)}\n`);
  return exitCodeWith(results, stale);
};

/**
 * Concludes the run of each deployment, those of several to a folder each, and sets several beside each other.
 * @returns the exit code, the worst of several
 */
export const concludeAll = async (parts: readonly Part[], reportsDir: string, told: Told): Promise<number> => {
  const codes: number[] = [];
  for (const part of parts) {
    if (part.head.project !== '') told.out(`\n${visible(part.head.target.name)}\n`);
    codes.push(await conclude(part, join(reportsDir, part.head.project), told));
  }
  if (parts.length > 1) {
    const heads = parts.map(({ record }) => record.results);
    told.out(`\n${await compareTargets(heads, reportsDir, told)}`);
  }
  return worstCode(codes);
};
