import { staleDeviations } from '../engine/deviations.js';
import { exitCodes } from '../engine/outcomes.js';
import type { RunRecord } from '../engine/results.js';
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
  readonly shown?: (path: string) => string;
}

/** Writes the reports of a run that was put together, tells it, and gives the exit code of `access-conformance run`. */
export const conclude = async (record: RunRecord, head: Head, reportsDir: string, told: Told): Promise<number> => {
  const { results } = record;
  const explained: Explain = explain;
  const written = await writeReports(record, { dir: reportsDir, explain: explained });
  const { shown = (path) => path } = told;
  const paths = Object.fromEntries(
    Object.entries(written).map(([name, path]) => [name, shown(path)]),
  ) as unknown as ReportPaths;
  const decisive = await decisiveExchanges(record);
  told.out(consoleSummary(results, { color: told.color, width: told.width, decisive, paths }));
  const stale = staleDeviations(head.deviations, head.checks, results.checks);
  for (const line of stale) told.err(`access-conformance: ${visible(line)}\n`);
  if (stale.length > 0) return exitCodes.usage;
  return results.complete || results.verdict === 'non-conformant' ? exitCodes[results.verdict] : exitCodes.incomplete;
};
