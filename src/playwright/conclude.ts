import { join } from 'node:path';
import { staleDeviations } from '../engine/deviations.js';
import { exitCodes, worstCode } from '../engine/outcomes.js';
import type { RunRecord } from '../engine/results.js';
import { compareWritten } from '../report/compare-written.js';
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

/** The run of one deployment. */
export interface Part {
  readonly head: Head;
  readonly record: RunRecord;
}

interface Concluded {
  readonly code: number;
  /** Path of the results file. */
  readonly results: string;
}

const shownBy = ({ shown = (path) => path }: Told): ((path: string) => string) => shown;

/** Writes the reports of a run that was put together, tells it, and gives the exit code of `access-conformance run`. */
const conclude = async ({ record, head }: Part, reportsDir: string, told: Told): Promise<Concluded> => {
  const { results } = record;
  const explained: Explain = explain;
  const written = await writeReports(record, { dir: reportsDir, explain: explained });
  const shown = shownBy(told);
  const paths = Object.fromEntries(
    Object.entries(written).map(([name, path]) => [name, shown(path)]),
  ) as unknown as ReportPaths;
  const decisive = await decisiveExchanges(record);
  told.out(consoleSummary(results, { color: told.color, width: told.width, decisive, paths }));
  const stale = staleDeviations(head.deviations, head.checks, results.checks);
  for (const line of stale) told.err(`access-conformance: ${visible(line)}\n`);
  const verdict =
    results.complete || results.verdict === 'non-conformant' ? exitCodes[results.verdict] : exitCodes.incomplete;
  return { code: stale.length > 0 ? exitCodes.usage : verdict, results: written.results };
};

/**
 * Concludes the run of each deployment, those of several to a folder each, and sets several beside each other.
 * @returns the exit code, the worst of several
 */
export const concludeAll = async (parts: readonly Part[], reportsDir: string, told: Told): Promise<number> => {
  const concluded: Concluded[] = [];
  for (const part of parts) {
    if (part.head.project !== '') told.out(`\n${visible(part.head.target.name)}\n`);
    concluded.push(await conclude(part, join(reportsDir, part.head.project), told));
  }
  if (concluded.length > 1) {
    const files = concluded.map(({ results }) => results);
    told.out(`\n${await compareWritten(files, reportsDir, { color: told.color, shown: shownBy(told) })}`);
  }
  return worstCode(concluded.map(({ code }) => code));
};
