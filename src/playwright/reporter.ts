import { rmSync } from 'node:fs';
import type { FullConfig, FullResult, Reporter, TestCase, TestResult } from '@playwright/test/reporter';
import { exitCodes } from '../engine/outcomes.js';
import { consoleSummary } from '../report/console.js';
import { decisiveExchanges, writeReports } from '../report/write.js';
import { assemble } from './assemble.js';
import { type Head, headName } from './head.js';
import { type Evidence, evidenceName } from './judged.js';

/**
 * Gathers what the tests attached, writes the same reports as `access-conformance run`, and makes the run's status the
 * verdict's: green only where the command would exit 0.
 */
export default class ConformanceReporter implements Reporter {
  #head: Head | undefined;
  #evidence: Evidence[] = [];
  #startedAt = new Date();
  #sharded = false;
  #exitCode = 0;
  #unjudged = 0;

  printsToStdio(): boolean {
    return false;
  }

  onBegin(config: FullConfig): void {
    this.#head = config.metadata[headName] as Head | undefined;
    this.#sharded = config.shard !== null;
    this.#startedAt = new Date();
  }

  onTestEnd(_test: TestCase, result: TestResult): void {
    const parts = result.attachments.filter(({ name }) => name === evidenceName);
    for (const { body } of parts) if (body) this.#evidence.push(JSON.parse(body.toString('utf8')) as Evidence);
    // A test that ended without evidence judged nothing, whatever it says.
    if (parts.length === 0) this.#unjudged += 1;
  }

  async onEnd(result: FullResult): Promise<{ status?: FullResult['status'] }> {
    const head = this.#head;
    if (!head || result.status === 'interrupted') this.#exitCode = exitCodes.incomplete;
    if (!head || (this.#sharded && this.#evidence.length === 0)) return {};
    const times = { startedAt: this.#startedAt, durationMs: Date.now() - this.#startedAt.getTime() };
    const record = assemble(
      head,
      this.#evidence,
      times,
      result.status === 'interrupted' || result.status === 'timedout' || this.#unjudged > 0,
    );
    const paths = await writeReports(record, { dir: head.reportsDir });
    const decisive = await decisiveExchanges(record);
    process.stdout.write(
      `\n${consoleSummary(record.results, { color: process.stdout.isTTY === true, width: process.stdout.columns ?? 100, decisive, paths })}`,
    );
    this.#exitCode = exitCodes[record.results.verdict];
    return { status: this.#exitCode === 0 ? result.status : 'failed' };
  }

  /** Playwright knows 0 and 1 alone; the verdicts have a code each. */
  async onExit(): Promise<void> {
    const folder = process.env.ACCESS_CONFORMANCE_FOLDER;
    if (folder) rmSync(folder, { recursive: true, force: true });
    if (this.#exitCode > 1) process.exit(this.#exitCode);
  }
}
