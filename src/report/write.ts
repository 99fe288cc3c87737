import { randomBytes } from 'node:crypto';
import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RunRecord } from '../engine/results.js';
import { jsonText } from '../visible.js';
import type { Exchange } from '../wire/types.js';
import { badgeOf, junitXml } from './ci-formats.js';
import type { Comparison } from './compare.js';
import type { Explain } from './describe-finding.js';
import { Evidence } from './evidence.js';
import { appendRun, historyPath, pastRunOf, readHistory } from './history.js';
import { markdownSummary } from './markdown.js';
import { comparePageHtml, type LinkOf } from './page/compare-page.js';
import { pageHtml } from './page/page.js';
import { exchangesName, failedTo, otherFolder, reportNames } from './reports-folder.js';
import { workTreeAt } from './repository.js';
import { inBlocks, isLongRun, resultsJson, writeExchanges } from './results-file.js';
import { sarifLog } from './sarif.js';

export { decisiveExchanges } from './evidence.js';

/** Paths of the written reports; they begin with `dir` as given. */
export interface ReportPaths {
  readonly results: string;
  readonly page: string;
  readonly junit: string;
  /** SARIF 2.1.0, for code scanning. */
  readonly sarif: string;
  readonly markdown: string;
  readonly badge: string;
  /** The exchanges of a run of more than 4,000 requests; those of others are in `results`. */
  readonly exchanges?: string;
}

export interface ReportOptions {
  /** The reports folder (`REPORTS_DIR`). Files go to its subfolder `conformance`. */
  readonly dir: string;
  readonly explain?: Explain;
  readonly stale?: readonly string[];
  /**
   * Add the run to `<dir>/history.jsonl`, and show the runs of that file on the page (`HISTORY`).
   */
  readonly history?: boolean;
  /** For `GITHUB_STEP_SUMMARY`, the work tree and the pipeline. Default: `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * Writes the reports of `ReportPaths` to `<dir>/conformance/`. They are moved there together at the
 * end, so that a folder never holds files of two runs. Exchanges are never all in memory.
 * @throws ReportError with one line when the folder cannot be written
 */
export const writeReports = async (record: RunRecord, options: ReportOptions): Promise<ReportPaths> => {
  const folder = join(options.dir, 'conformance');
  const temporary = join(folder, `.writing-${randomBytes(6).toString('hex')}`);
  const run = record.results;
  const evidence = new Evidence(run);
  const { decisive } = evidence;
  const environment = options.environment ?? process.env;
  try {
    await mkdir(temporary, { recursive: true });
    const own = options.history === true ? pastRunOf(run, environment) : undefined;
    const history = historyPath(options.dir);
    const runs = own ? [...readHistory(history, run.target.baseUrl), own] : [];
    const seen = (exchange: Exchange): void => evidence.take(exchange);
    const exchangesFile = isLongRun(run) ? await writeExchanges(record, temporary, seen) : undefined;
    await write(
      join(temporary, reportNames.results),
      resultsJson(record, exchangesFile ? { exchangesFile } : { seen }),
    );
    await write(join(temporary, reportNames.page), pageHtml(record, evidence, { ...options, history: runs }));
    await write(join(temporary, reportNames.junit), junitXml(run, decisive));
    const sarif = sarifLog(run, workTreeAt(process.cwd(), environment), options.explain);
    await write(join(temporary, reportNames.sarif), [`${jsonText(sarif, 2)}\n`]);
    const markdown = markdownSummary(run, decisive, options.stale);
    await write(join(temporary, reportNames.markdown), [markdown]);
    await write(join(temporary, reportNames.badge), [`${JSON.stringify(badgeOf(run), null, 2)}\n`]);
    // Synchronous, so that no other run of this process comes in between.
    for (const name of Object.values(reportNames)) renameSync(join(temporary, name), join(folder, name));
    if (exchangesFile) renameSync(join(temporary, exchangesName), join(folder, exchangesName));
    else rmSync(join(folder, exchangesName), { force: true });
    if (own) appendRun(history, own);
    await summarise(markdown, environment);
  } catch (error) {
    throw failedTo(`write reports to ${resolve(folder)}`, folder, error, otherFolder);
  } finally {
    await rm(temporary, { recursive: true, force: true }).catch(() => undefined);
  }
  const names = { ...reportNames, ...(isLongRun(run) ? { exchanges: exchangesName } : {}) };
  const paths = Object.entries(names).map(([report, name]) => [report, join(folder, name)]);
  return Object.fromEntries(paths) as Record<keyof typeof reportNames, string>;
};

const write = (file: string, pieces: Iterable<string> | AsyncIterable<string>): Promise<void> =>
  pipeline(Readable.from(inBlocks(pieces), { objectMode: false }), createWriteStream(file));

/** Appends the summary for GitHub. A failure here is ignored, since the reports are written. */
const summarise = async (markdown: string, environment: ReportOptions['environment']): Promise<void> => {
  const file = environment?.GITHUB_STEP_SUMMARY;
  if (file === undefined || file === '') return;
  await appendFile(file, markdown).catch(() => undefined);
};

const linkFrom =
  (dir: string): LinkOf =>
  ({ page }) =>
    page && relative(resolve(dir), resolve(page)).split(/[\\/]/).map(encodeURIComponent).join('/');

/**
 * Writes the comparison page to `<dir>/compare.html`, and returns its path.
 * @throws ReportError with one line when the folder cannot be written
 */
export const writeComparison = async (comparison: Comparison, dir: string): Promise<string> => {
  const path = join(dir, 'compare.html');
  try {
    await mkdir(dir, { recursive: true });
    await writeFile(path, [...comparePageHtml(comparison, linkFrom(dir))].join(''));
  } catch (error) {
    throw failedTo(`write ${resolve(path)}`, path, error, otherFolder);
  }
  return path;
};
