import type { FullConfig, FullResult, Reporter, Suite } from '@playwright/test/reporter';
import { exitCodeOf, exitCodes, worstCode } from '../engine/outcomes.js';
import type { RunRecord } from '../engine/results.js';
import { ReportError } from '../report/reports-folder.js';
import { verdictSentence } from '../report/run-summary.js';
import { visible } from '../visible.js';
import { metadataName, projectOf, type RunHeads } from './attachments.js';
import { EngineRun, type JudgedSession, type SelectedChecks } from './engine-run.js';
import { assemble, concludeAll, type DeploymentRun } from './merge.js';
import { isListing, removeRunFolder } from './run-folder.js';

/** A run whose reports are written, and whose summary is printed after what Playwright prints. */
interface HeldConclusion {
  readonly exitCode: number;
  readonly print: () => void;
}

let isTaken = false;

/**
 * The processes of a Playwright run, and who does what:
 *
 * - The runner reads settings and contracts (`session.ts`) when it loads the configuration, and
 * lists the tests (`listing.ts`). This reporter then judges all selected checks there, in one run
 * of the engine (`engine-run.ts`), and hands the findings over in files (`findings.ts`).
 * - Workers judge nothing: each test waits for the finding of its check and reports it
 * (`attach.ts`).
 * - A child process walks through the key page, after all else (`key-page-child.ts`).
 *
 * The reporter writes the reports of `access-conformance run`, and fails the Playwright run unless
 * the command would exit 0. Where `--reporter` leaves it out, the configuration adds it all the
 * same (see `playwright.config.ts`): it then judges, and writes no reports. Beside a blob reporter
 * the tests also attach what `merge` puts together (`merge.ts`).
 */
export default class ConformanceReporter implements Reporter {
  readonly #isActive = !isListing && !isTaken;
  #isAdded = false;
  #heads: RunHeads | undefined;
  #chosen: ReadonlySet<string> = new Set();
  #shard: FullConfig['shard'] = null;
  #startedAt = new Date();
  #engine: EngineRun | undefined;
  #concluded: Promise<HeldConclusion> | undefined;
  #exitCode = 0;

  constructor() {
    // Of two, the one that somebody asked for comes first.
    isTaken = true;
  }

  printsToStdio(): boolean {
    return false;
  }

  onBegin(config: FullConfig, suite: Suite): void {
    if (!this.#isActive) return;
    const names = config.reporter.map(([name]) => name);
    this.#isAdded = !names.some((name) => /playwright[\\/]reporter\.[jt]s$/.test(name));
    this.#heads = config.metadata[metadataName] as RunHeads | undefined;
    this.#shard = config.shard;
    this.#startedAt = new Date();
    this.#chosen = new Set(suite.allTests().map(projectOf));
    if (this.#chosen.size === 0) return;
    this.#engine = new EngineRun(this.#selectedIn(suite), this.#shard, names.includes('blob'));
    // Reports are written while tests report their findings.
    this.#concluded = this.#engine.runs().then((runs) => this.#conclude(runs));
    // What goes wrong is thrown in `onEnd`.
    this.#concluded.catch(() => {});
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

  async onEnd({ status }: FullResult): Promise<{ status?: FullResult['status'] }> {
    if (!this.#isActive) return {};
    if (!this.#engine || !this.#concluded) {
      this.#exitCode = exitCodes.usage;
      if (this.#shard) process.stderr.write(`\n${nothingJudged(this.#shard)}\n`);
      return { status: 'failed' };
    }
    this.#exitCode = exitCodes.incomplete;
    if (status === 'interrupted' || status === 'timedout') this.#engine.stop();
    const { exitCode, print } = await this.#concluded;
    process.stdout.write('\n');
    print();
    this.#exitCode = exitCode;
    for (const { record } of (await this.#engine.runs()).values()) await record.dispose();
    return { status: exitCode === 0 ? status : 'failed' };
  }

  async #conclude(runs: ReadonlyMap<string, JudgedSession>): Promise<HeldConclusion> {
    const times = { startedAt: this.#startedAt, durationMs: Date.now() - this.#startedAt.getTime() };
    const parts = (this.#heads?.heads ?? [])
      .filter(({ project }) => this.#chosen.has(project))
      .map((head): DeploymentRun => {
        const run = runs.get(head.project);
        return run ? { head, ...run } : { head, record: assemble(head, [], times, true) };
      });
    if (this.#isAdded) return concludedAside(parts.map(({ record }) => record.results));
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

  /** Playwright exits with 0 or 1; verdicts have more exit codes. */
  async onExit(): Promise<void> {
    if (!this.#isActive) return;
    removeRunFolder();
    if (this.#exitCode > 1 && !this.#isAdded) process.exit(this.#exitCode);
  }
}

const nothingJudged = ({ current, total }: NonNullable<FullConfig['shard']>): string =>
  `Nothing was judged in shard ${current} of ${total}: it has no tests. Whole operations go to shards; if there are too few of them for ${total}, run fewer shards.`;

/** Without reports of our own, the verdict alone is said. */
const concludedAside = (results: readonly RunRecord['results'][]): HeldConclusion => ({
  exitCode: worstCode(results.map(exitCodeOf)),
  print: () => {
    for (const run of results) process.stderr.write(`${visible(verdictSentence(run))}.\n`);
  },
});
