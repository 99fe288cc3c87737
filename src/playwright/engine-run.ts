import { join } from 'node:path';
import { judgePrepared, withJournal } from '../app/run.js';
import { watchEventLoop } from '../app/watchdog.js';
import type { Journal } from '../engine/journal.js';
import { exitCodes } from '../engine/outcomes.js';
import type { RunRecord } from '../engine/results.js';
import { limitOfRun } from './request-shares.js';
import { notAsked, openSessions, type Session } from './session.js';
import { announceEngine, shareFailure, shareFindings } from './shared-findings.js';
import { sharedKeys } from './shared-keys.js';

/** Selected check ids by project. */
export type SelectedChecks = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * The one run of the engine for all selected tests, in the process of the reporter. Deployments are
 * judged one after the other. Tests wait for their findings.
 */
export class EngineRun {
  readonly #abort = new AbortController();
  readonly #records = new Map<string, RunRecord>();
  /** `1/3`, kept in the options of the results. */
  readonly #shard: string | undefined;
  readonly #done: Promise<void>;

  constructor(selected: SelectedChecks, shard: string | undefined) {
    this.#shard = shard;
    announceEngine();
    this.#done = this.#run(selected);
  }

  /** Ends the run; what was judged until then has a verdict. */
  stop(): void {
    this.#abort.abort();
  }

  /** The record of each project. None of one whose run failed. */
  async records(): Promise<ReadonlyMap<string, RunRecord>> {
    await this.#done;
    return this.#records;
  }

  async #run(selected: SelectedChecks): Promise<void> {
    const { sessions, reportsDir } = await openSessions();
    // A test waits without a limit, so a run that hangs is ended from another thread.
    const watchdog = watchEventLoop(exitCodes.incomplete);
    for (const session of sessions) {
      const ids = selected.get(session.project);
      if (!ids) continue;
      try {
        const dir = join(reportsDir, session.project);
        const record = await withJournal(watchdog, dir, (journal) => this.#judge(session, ids, journal));
        this.#records.set(session.project, record);
      } catch (error) {
        shareFailure(session.project, error instanceof Error ? error.message : String(error));
      }
    }
    watchdog.stop();
  }

  async #judge(session: Session, ids: ReadonlySet<string>, journal: Journal): Promise<RunRecord> {
    const options = this.#shard === undefined ? session.options : { ...session.options, SHARD: this.#shard };
    const target = { ...session.target, ...limitOfRun(session, ids, this.#shard !== undefined) };
    const isAsked = session.settings.values.KEY_PAGE_URL !== undefined;
    const isPart = ids.size < session.checks.length + session.keyPageChecks.length;
    const { record } = await judgePrepared(
      // With chosen tests alone, a baseline would say that all else is gone.
      { ...session, target, options, baseline: isPart ? undefined : session.baseline },
      {
        seed: session.seed,
        salt: session.salt,
        supply: await sharedKeys(session, this.#abort.signal),
        signal: this.#abort.signal,
        journal,
        only: ({ id }) => ids.has(id),
        isPart,
        // A worker judges the page, in a process of its own (see judge-operation.ts).
        ...(isAsked ? {} : { keyPage: { isAsked, notAsked } }),
      },
    );
    await shareFindings(session.project, record, { strict: session.target.strict, options });
    return record;
  }
}
