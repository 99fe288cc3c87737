import { randomBytes } from 'node:crypto';
import { createWriteStream, renameSync } from 'node:fs';
import { appendFile, mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RunRecord } from '../engine/results.js';
import { badgeOf } from './badge.js';
import { ReportError, whyNot } from './errors.js';
import { Evidence } from './evidence.js';
import type { Explain } from './explain.js';
import { junitXml } from './junit.js';
import { markdownSummary } from './markdown.js';
import { pageHtml } from './page/page.js';
import { reportNames } from './report-names.js';
import { resultsJson } from './results-file.js';

export { decisiveExchanges } from './evidence.js';

/** Paths of the written reports, `dir` in front as it was given. */
export interface ReportPaths {
  readonly results: string;
  readonly page: string;
  readonly junit: string;
  readonly markdown: string;
  readonly badge: string;
}

export interface ReportOptions {
  /** The reports folder (`REPORTS_DIR`); files go to its folder `conformance`. */
  readonly dir: string;
  readonly explain?: Explain;
  /** Entries of `DEVIATIONS` that accept nothing any more, a line each. */
  readonly stale?: readonly string[];
  /** `GITHUB_STEP_SUMMARY` and so on; `process.env` unless told. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * Writes results.json, index.html, junit.xml, summary.md and badge.json to `<dir>/conformance/`. They are made aside and moved into place
 * together at the end, so two runs in one folder leave the files of one of them, never a mixture, and a run that cannot finish leaves the old ones.
 * Exchanges stream through and are never all in memory.
 * @throws ReportError with one line when the folder cannot be written.
 */
export const writeReports = async (record: RunRecord, options: ReportOptions): Promise<ReportPaths> => {
  const folder = join(options.dir, 'conformance');
  const aside = join(folder, `.writing-${randomBytes(6).toString('hex')}`);
  const head = record.results;
  const evidence = new Evidence(head);
  const { decisive } = evidence;
  try {
    await mkdir(aside, { recursive: true });
    await write(
      join(aside, reportNames.results),
      resultsJson(record, (exchange) => evidence.take(exchange)),
    );
    await write(join(aside, reportNames.page), pageHtml(record, evidence, options));
    await write(join(aside, reportNames.junit), junitXml(head, decisive));
    const markdown = markdownSummary(head, decisive, options.stale);
    await write(join(aside, reportNames.markdown), [markdown]);
    await write(join(aside, reportNames.badge), [`${JSON.stringify(badgeOf(head), null, 2)}\n`]);
    // Synchronous and in one go: another run in the same folder comes before or after, not in between.
    for (const name of Object.values(reportNames)) renameSync(join(aside, name), join(folder, name));
    await summarise(markdown, options.environment ?? process.env);
  } catch (error) {
    if (error instanceof ReportError) throw error;
    throw new ReportError(
      `cannot write reports to ${resolve(folder)}: ${whyNot(error)}; name another folder with --reports-dir or REPORTS_DIR`,
      folder,
      { cause: error },
    );
  } finally {
    await rm(aside, { recursive: true, force: true }).catch(() => undefined);
  }
  const path = (name: keyof typeof reportNames): string => join(folder, reportNames[name]);
  return {
    results: path('results'),
    page: path('page'),
    junit: path('junit'),
    markdown: path('markdown'),
    badge: path('badge'),
  };
};

const write = (file: string, pieces: Iterable<string> | AsyncIterable<string>): Promise<void> =>
  pipeline(Readable.from(inBlocks(pieces), { objectMode: false }), createWriteStream(file));

/** Joins small pieces, so that a file of a hundred thousand lines is not as many writes. */
async function* inBlocks(pieces: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let block = '';
  for await (const piece of pieces) {
    block += piece;
    if (block.length > 1 << 18) {
      yield block;
      block = '';
    }
  }
  if (block !== '') yield block;
}

/** A summary that GitHub cannot take is no reason to lose the reports. */
const summarise = async (markdown: string, environment: ReportOptions['environment']): Promise<void> => {
  const file = environment?.GITHUB_STEP_SUMMARY;
  if (file === undefined || file === '') return;
  await appendFile(file, markdown).catch(() => undefined);
};
