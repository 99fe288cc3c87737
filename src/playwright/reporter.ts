import { rmSync } from 'node:fs';
import type { FullConfig, FullResult, Reporter, Suite, TestCase, TestResult } from '@playwright/test/reporter';
import { exitCodes } from '../engine/outcomes.js';
import { assemble } from './assemble.js';
import { conclude } from './conclude.js';
import { type Head, headName } from './head.js';
import { type Evidence, evidenceName } from './judged.js';

/** What the tests of a run attached. */
export const evidenceIn = ({ attachments }: TestResult): readonly Evidence[] =>
  attachments.flatMap(({ name, body }) =>
    name === evidenceName && body ? [JSON.parse(body.toString('utf8')) as Evidence] : [],
  );

/**
 * Gathers what the tests attached, writes the same reports as `access-conformance run`, and makes the run's status the
 * verdict's: green only where the command would exit 0.
 */
export default class ConformanceReporter implements Reporter {
  #head: Head | undefined;
  readonly #evidence: Evidence[] = [];
  /** Ids of tests that were chosen and have not shown anything yet. */
  readonly #open = new Set<string>();
  #startedAt = new Date();
  #sharded = false;
  #exitCode = 0;

  printsToStdio(): boolean {
    return false;
  }

  onBegin(config: FullConfig, suite: Suite): void {
    this.#head = config.metadata[headName] as Head | undefined;
    this.#sharded = config.shard !== null;
    this.#startedAt = new Date();
    for (const { id } of suite.allTests()) this.#open.add(id);
  }

  onTestEnd({ id }: TestCase, result: TestResult): void {
    const evidence = evidenceIn(result);
    this.#evidence.push(...evidence);
    // A test that ended without evidence judged nothing, whatever it says; nor did one that never began.
    if (evidence.length > 0) this.#open.delete(id);
  }

  async onEnd(result: FullResult): Promise<{ status?: FullResult['status'] }> {
    const head = this.#head;
    if (!head || result.status === 'interrupted') this.#exitCode = exitCodes.incomplete;
    if (!head || (this.#sharded && this.#evidence.length === 0)) return {};
    const times = { startedAt: this.#startedAt, durationMs: Date.now() - this.#startedAt.getTime() };
    const interrupted = result.status === 'interrupted' || result.status === 'timedout';
    const record = assemble(head, this.#evidence, times, interrupted || this.#open.size > 0);
    process.stdout.write('\n');
    this.#exitCode = await conclude(record, head, head.reportsDir, {
      out: (text) => process.stdout.write(text),
      err: (text) => process.stderr.write(text),
      color: process.stdout.isTTY === true,
      width: process.stdout.columns ?? 100,
    });
    return { status: this.#exitCode === 0 ? result.status : 'failed' };
  }

  /** Playwright knows 0 and 1 alone; the verdicts have a code each. */
  async onExit(): Promise<void> {
    const folder = process.env.ACCESS_CONFORMANCE_FOLDER;
    if (folder) rmSync(folder, { recursive: true, force: true });
    if (this.#exitCode > 1) process.exit(this.#exitCode);
  }
}
