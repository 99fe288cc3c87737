import type { FullConfig, FullResult, Reporter, Suite, TestCase, TestResult } from '@playwright/test/reporter';
import { exitCodes } from '../engine/outcomes.js';
import type { RunRecord } from '../engine/results.js';
import { ReportError } from '../report/errors.js';
import { visible } from '../report/text.js';
import { areJudged, assemble, withEvidence } from './assemble-results.js';
import { concludeAll, type DeploymentRun } from './conclude.js';
import { EngineRun, type SelectedChecks } from './engine-run.js';
import { type Evidence, evidenceIn, projectOf } from './evidence.js';
import { isListing, removeRunFolder } from './run-folder.js';
import { metadataName, type RunHead, type RunHeads } from './run-metadata.js';

/** A run whose reports are written, and whose summary is printed after what Playwright prints. */
interface HeldConclusion {
  readonly exitCode: number;
  readonly print: () => void;
}

/**
 * Judges all selected checks in one run of the engine, writes the reports of `access-conformance
 * run`, and fails the Playwright run unless the command would exit 0. Beside a blob reporter, the
 * workers judge, and the results are put together from what tests attach.
 */
export default class ConformanceReporter implements Reporter {
  #heads: RunHeads | undefined;
  readonly #evidence: Evidence[] = [];
  #engine: EngineRun | undefined;
  /** The run without anything of its tests, concluded as soon as the engine has ended. */
  #early: Promise<HeldConclusion | undefined> = Promise.resolve(undefined);
  #selected: SelectedChecks = new Map();
  #chosen: ReadonlySet<string> = new Set();
  /** Selected tests without evidence so far, by id, with their projects. */
  readonly #open = new Map<string, string>();
  #startedAt = new Date();
  #shard: string | undefined;
  #exitCode = 0;

  printsToStdio(): boolean {
    return false;
  }

  onBegin(config: FullConfig, suite: Suite): void {
    this.#heads = config.metadata[metadataName] as RunHeads | undefined;
    this.#shard = config.shard ? `${config.shard.current}/${config.shard.total}` : undefined;
    this.#startedAt = new Date();
    for (const test of suite.allTests()) this.#open.set(test.id, projectOf(test));
    this.#chosen = new Set(this.#open.values());
    this.#selected = this.#selectedIn(suite);
    const hasBlob = config.reporter.some(([name]) => name === 'blob');
    if (isListing || hasBlob || this.#open.size === 0) return;
    this.#engine = new EngineRun(this.#selected, this.#shard);
    this.#early = this.#concludeEarly(this.#engine);
    // What goes wrong is thrown in `onEnd`.
    this.#early.catch(() => {});
  }

  /** Writes the reports while tests report their findings, unless workers judge (the key page). */
  async #concludeEarly(engine: EngineRun): Promise<HeldConclusion | undefined> {
    const records = await engine.records();
    const parts: DeploymentRun[] = [];
    for (const head of this.#chosenHeads()) {
      const record = records.get(head.project);
      if (!record || !areJudged(this.#selectedOf(head), record.results.checks)) return undefined;
      parts.push({ head, record });
    }
    return this.#conclude(parts);
  }

  #selectedOf({ project }: RunHead): ReadonlySet<string> {
    return this.#selected.get(project) ?? new Set();
  }

  #chosenHeads(): readonly RunHead[] {
    const all = this.#heads?.heads ?? [];
    const chosen = all.filter(({ project }) => this.#chosen.has(project));
    return chosen.length > 0 ? chosen : all;
  }

  /** The selected checks: one of a test's tags names its check. */
  #selectedIn(suite: Suite): SelectedChecks {
    const planned = new Map(
      this.#heads?.heads.map(({ project, checks }) => [project, new Map(checks.map((id) => [`@${visible(id)}`, id]))]),
    );
    const selected = new Map<string, Set<string>>();
    for (const test of suite.allTests()) {
      const project = projectOf(test);
      const ids = planned.get(project);
      const id = test.tags.flatMap((tag) => ids?.get(tag) ?? []).at(-1);
      if (id === undefined) continue;
      const own = selected.get(project) ?? new Set();
      selected.set(project, own.add(id));
    }
    return selected;
  }

  onTestEnd({ id }: TestCase, result: TestResult): void {
    const evidence = evidenceIn(result);
    this.#evidence.push(...evidence);
    // A test without evidence judged nothing, even if it passed.
    if (evidence.length > 0) this.#open.delete(id);
  }

  async onEnd(result: FullResult): Promise<{ status?: FullResult['status'] }> {
    if (isListing) return {};
    // It is said by Playwright, or by the teardown. The reports of the last run stay.
    if (this.#chosen.size === 0) {
      this.#exitCode = exitCodes.usage;
      return {};
    }
    const all = this.#heads?.heads ?? [];
    if (all.length === 0 || result.status === 'interrupted') this.#exitCode = exitCodes.incomplete;
    if (all.length === 0 || (this.#shard !== undefined && this.#evidence.length === 0 && !this.#engine)) return {};
    const interrupted = result.status === 'interrupted' || result.status === 'timedout';
    if (interrupted) this.#engine?.stop();
    const records = (await this.#engine?.records()) ?? new Map<string, RunRecord>();
    const { exitCode, print } = (await this.#early) ?? (await this.#conclude(await this.#parts(records, interrupted)));
    process.stdout.write('\n');
    print();
    this.#exitCode = exitCode;
    for (const record of records.values()) await record.dispose();
    return { status: this.#exitCode === 0 ? result.status : 'failed' };
  }

  async #conclude(parts: readonly DeploymentRun[]): Promise<HeldConclusion> {
    const printed: (() => void)[] = [];
    const print = (): void => {
      for (const each of printed) each();
    };
    const output = {
      out: (text: string): void => void printed.push(() => process.stdout.write(text)),
      err: (text: string): void => void printed.push(() => process.stderr.write(text)),
      color: process.stdout.isTTY === true,
      width: process.stdout.columns ?? 100,
    };
    const conclusion = { reportsDir: this.#heads?.reportsDir ?? 'reports', cwd: process.cwd(), env: process.env };
    try {
      return { exitCode: await concludeAll(parts, conclusion, output), print };
    } catch (error) {
      if (!(error instanceof ReportError)) throw error;
      output.err(`access-conformance: ${error.message}\n`);
      return { exitCode: exitCodes.usage, print };
    }
  }

  async #parts(records: ReadonlyMap<string, RunRecord>, interrupted: boolean): Promise<readonly DeploymentRun[]> {
    const parts: DeploymentRun[] = [];
    for (const head of this.#chosenHeads())
      parts.push({ head, record: await this.#recordOf(head, interrupted, records.get(head.project)) });
    return parts;
  }

  async #recordOf(head: RunHead, interrupted: boolean, judged: RunRecord | undefined): Promise<RunRecord> {
    const evidence = this.#evidence.filter(({ project }) => project === head.project);
    const times = { startedAt: this.#startedAt, durationMs: Date.now() - this.#startedAt.getTime() };
    const part = this.#shard === undefined ? head : { ...head, options: { ...head.options, SHARD: this.#shard } };
    const isOpen = interrupted || [...this.#open.values()].includes(head.project);
    return judged
      ? withEvidence(judged, part, evidence, times, this.#selectedOf(head))
      : assemble(part, evidence, times, isOpen);
  }

  /** Playwright exits with 0 or 1; verdicts have more exit codes. */
  async onExit(): Promise<void> {
    removeRunFolder();
    if (this.#exitCode > 1) process.exit(this.#exitCode);
  }
}
