import type { FullConfig, FullResult, Reporter, Suite, TestCase, TestResult } from '@playwright/test/reporter';
import { exitCodes } from '../engine/outcomes.js';
import type { RunRecord } from '../engine/results.js';
import { ReportError } from '../report/errors.js';
import { assemble } from './assemble-results.js';
import { concludeAll, type Part } from './conclude.js';
import { type Evidence, evidenceName } from './judge-operation.js';
import { isListing } from './process-state.js';
import { removeRunFolder } from './run-folder.js';
import { type Head, type Heads, metadataName } from './run-metadata.js';

/** The evidence that a test attached. */
export const evidenceIn = ({ attachments }: TestResult): readonly Evidence[] =>
  attachments.flatMap(({ name, body }) =>
    name === evidenceName && body ? [JSON.parse(body.toString('utf8')) as Evidence] : [],
  );

/** Name of a test's project; `''` for the only deployment. */
export const projectOf = (test: TestCase): string => test.parent.project()?.name ?? '';

/**
 * Assembles the results from what the tests attached, writes the same reports as
 * `access-conformance run`, and fails the Playwright run unless the command would exit 0.
 */
export default class ConformanceReporter implements Reporter {
  #heads: Heads | undefined;
  readonly #evidence: Evidence[] = [];
  /** Projects of the selected tests. */
  #chosen: ReadonlySet<string> = new Set();
  /** Selected tests without evidence so far, by id, with their projects. */
  readonly #open = new Map<string, string>();
  #startedAt = new Date();
  /** `1/3` for a shard. */
  #shard: string | undefined;
  #exitCode = 0;

  printsToStdio(): boolean {
    return false;
  }

  onBegin(config: FullConfig, suite: Suite): void {
    this.#heads = config.metadata[metadataName] as Heads | undefined;
    this.#shard = config.shard ? `${config.shard.current}/${config.shard.total}` : undefined;
    this.#startedAt = new Date();
    for (const test of suite.allTests()) this.#open.set(test.id, projectOf(test));
    this.#chosen = new Set(this.#open.values());
  }

  onTestEnd({ id }: TestCase, result: TestResult): void {
    const evidence = evidenceIn(result);
    this.#evidence.push(...evidence);
    // A test without evidence judged nothing, even if it passed.
    if (evidence.length > 0) this.#open.delete(id);
  }

  async onEnd(result: FullResult): Promise<{ status?: FullResult['status'] }> {
    if (isListing) return {};
    // Playwright has printed that no test was found. The reports of the last run stay.
    if (this.#chosen.size === 0 && this.#shard === undefined) {
      this.#exitCode = exitCodes.usage;
      return {};
    }
    const all = this.#heads?.heads ?? [];
    if (all.length === 0 || result.status === 'interrupted') this.#exitCode = exitCodes.incomplete;
    if (all.length === 0 || (this.#shard !== undefined && this.#evidence.length === 0)) return {};
    const chosen = all.filter(({ project }) => this.#chosen.has(project));
    const interrupted = result.status === 'interrupted' || result.status === 'timedout';
    const parts = (chosen.length > 0 ? chosen : all).map((head) => ({
      head,
      record: this.#recordOf(head, interrupted),
    }));
    process.stdout.write('\n');
    this.#exitCode = await this.#conclude(parts);
    return { status: this.#exitCode === 0 ? result.status : 'failed' };
  }

  async #conclude(parts: readonly Part[]): Promise<number> {
    try {
      return await concludeAll(
        parts,
        { reportsDir: this.#heads?.reportsDir ?? 'reports', cwd: process.cwd(), env: process.env },
        {
          out: (text) => process.stdout.write(text),
          err: (text) => process.stderr.write(text),
          color: process.stdout.isTTY === true,
          width: process.stdout.columns ?? 100,
        },
      );
    } catch (error) {
      if (!(error instanceof ReportError)) throw error;
      process.stderr.write(`access-conformance: ${error.message}\n`);
      return exitCodes.usage;
    }
  }

  #recordOf(head: Head, interrupted: boolean): RunRecord {
    const evidence = this.#evidence.filter(({ project }) => project === head.project);
    const times = { startedAt: this.#startedAt, durationMs: Date.now() - this.#startedAt.getTime() };
    const part = this.#shard === undefined ? head : { ...head, options: { ...head.options, SHARD: this.#shard } };
    return assemble(part, evidence, times, interrupted || [...this.#open.values()].includes(head.project));
  }

  /** Playwright exits with 0 or 1; verdicts have more exit codes. */
  async onExit(): Promise<void> {
    removeRunFolder();
    if (this.#exitCode > 1) process.exit(this.#exitCode);
  }
}
