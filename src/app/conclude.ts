import { join } from 'node:path';
import picocolors from 'picocolors';
import { exitCodeWith } from '../engine/outcomes.js';
import type { RunRecord } from '../engine/results.js';
import { shortPath } from '../package.js';
import { compareRuns, comparisonSentence, differencesSentence } from '../report/compare.js';
import { comparisonTable, consoleSummary } from '../report/console.js';
import { ReportError, reportNames } from '../report/reports-folder.js';
import { githubAnnotations } from '../report/repository.js';
import { resultsJson } from '../report/results-file.js';
import { type RunSummary, verdictSentence } from '../report/run-summary.js';
import { decisiveExchanges, type ReportPaths, writeComparison, writeReports } from '../report/write.js';
import { explain } from '../rules/index.js';
import { revokedKeyWarning } from '../settings/target.js';
import { visible } from '../visible.js';
import type { FinishedRun } from './run.js';

/** The output streams of a front-end. */
export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly color: boolean;
  readonly width: number;
}

export interface Conclusion {
  readonly reportsDir: string;
  readonly cwd: string;
  /** Keep a history of whole runs (`HISTORY`). */
  readonly history?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly quiet?: boolean;
  /** Print results.json on the standard output, and everything else on the error output. */
  readonly json?: boolean;
  /** Print annotations for GitHub Actions, if `env` says that it runs there. */
  readonly annotate?: boolean;
}

/**
 * Writes the reports of a run and prints its summary.
 * @returns the exit code of the run
 * @throws {ReportError} if the reports cannot be written; the summary is printed all the same
 */
export const concludeRun = async (
  { record, stale, ended }: FinishedRun,
  conclusion: Conclusion,
  output: Output,
): Promise<number> => {
  const { reportsDir, env, history = false } = conclusion;
  const written = await writeReports(record, { dir: reportsDir, explain, environment: env, stale, history }).catch(
    (error: unknown) => {
      if (error instanceof ReportError) return error;
      throw error;
    },
  );
  await printSummary(record, written instanceof ReportError ? undefined : written, conclusion, output);
  const { red } = picocolors.createColors(output.color);
  for (const name of ended) output.err(`${red(revokedKeyWarning(name))}\n`);
  for (const line of stale) output.err(`${red(`access-conformance: ${visible(line)}`)}\n`);
  if (written instanceof ReportError) throw written;
  return exitCodeWith(record.results, stale);
};

const printSummary = async (
  record: RunRecord,
  written: ReportPaths | undefined,
  { cwd, env, quiet = false, json = false, annotate = false }: Conclusion,
  { out, err, color, width }: Output,
): Promise<void> => {
  const print = json ? err : out;
  const { results } = record;
  const shown = (path: string): string => shortPath(path, cwd);
  const paths = written && { page: shown(written.page), results: shown(written.results) };
  const decisive = quiet ? undefined : await decisiveExchanges(record);
  print(
    decisive
      ? consoleSummary(results, { color, width, decisive, paths })
      : `${verdictSentence(results)}.${paths ? ` ${paths.page}` : ''}\n`,
  );
  if (annotate && env.GITHUB_ACTIONS === 'true')
    for (const line of githubAnnotations(results, { cwd, workspace: env.GITHUB_WORKSPACE || cwd })) print(`${line}\n`);
  if (json) for await (const piece of resultsJson(record)) out(piece);
};

/** The results of one of several targets, and its reports folder. */
export interface TargetResults {
  readonly results: RunSummary;
  readonly reportsDir: string;
}

/**
 * Prints the results of several deployments side by side, and writes the page that compares them.
 */
export const concludeTargets = async (
  targets: readonly TargetResults[],
  { reportsDir, cwd }: Pick<Conclusion, 'reportsDir' | 'cwd'>,
  { out, color }: Output,
): Promise<void> => {
  if (targets.length < 2) return;
  const pages = targets.map((target) => join(target.reportsDir, 'conformance', reportNames.page));
  const summaries = targets.map(({ results }) => results);
  const comparison = compareRuns(summaries, { kind: 'targets', pages });
  const page = await writeComparison(comparison, reportsDir);
  const table = comparisonTable(comparison, picocolors.createColors(color));
  const words = `${comparisonSentence(comparison)}. ${differencesSentence(comparison)}.`;
  out(`\n${table}\n${visible(words)}\nCompared  ${shortPath(page, cwd)}\n`);
};
