import { appendFileSync, writeFileSync } from 'node:fs';
import type { FullConfig, FullResult, Reporter, Suite, TestCase, TestResult } from '@playwright/test/reporter';
import { evidenceIn, metadataName, projectOf, type RunHeads, type TestAttachment } from './attachments.js';

/** The variable that names the file which `merge` reads. */
export const gatheredName = 'ACCESS_CONFORMANCE_GATHERED';

/** A line of that file. */
export type Gathered =
  | {
      readonly heads: RunHeads['heads'];
      /** Tests by project; those that were repeated count once. */
      readonly tests: Readonly<Record<string, number>>;
    }
  /** `again`: of a test and repetition that was there before, so its shard is there twice. */
  | { readonly evidence: TestAttachment; readonly again?: true }
  | {
      readonly end: { readonly status: FullResult['status']; readonly startedAt: string; readonly durationMs: number };
    };

/** The reporter for `merge-reports`: writes the evidence that tests attached, a line each. */
export default class Gatherer implements Reporter {
  readonly #file = process.env[gatheredName] ?? '';
  readonly #seen = new Set<string>();

  printsToStdio(): boolean {
    return false;
  }

  onBegin(config: FullConfig, suite: Suite): void {
    const heads = (config.metadata[metadataName] as RunHeads | undefined)?.heads ?? [];
    const tests: Record<string, number> = {};
    const distinct = new Map(suite.allTests().map((test) => [JSON.stringify(test.titlePath()), projectOf(test)]));
    for (const project of distinct.values()) tests[project] = (tests[project] ?? 0) + 1;
    const line: Gathered = { heads, tests };
    writeFileSync(this.#file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    const key = JSON.stringify([test.titlePath(), test.repeatEachIndex, result.retry]);
    const again = this.#seen.has(key) ? { again: true as const } : {};
    this.#seen.add(key);
    for (const evidence of evidenceIn(result)) this.#write({ evidence, ...again });
  }

  onEnd({ status, startTime, duration }: FullResult): void {
    this.#write({ end: { status, startedAt: startTime.toISOString(), durationMs: Math.round(duration) } });
  }

  #write(line: Gathered): void {
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
  }
}
