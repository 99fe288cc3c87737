import { fork } from 'node:child_process';
import { type FinishedRun, judgePrepared, supplyKeys } from '../app/run.js';
import { watchEventLoop } from '../app/watchdog.js';
import { sum } from '../collections.js';
import { sharesOf } from '../engine/budget/budget.js';
import { buildResults, subjectOf } from '../engine/build-results.js';
import { observationsIn } from '../engine/facts.js';
import { exitCodes } from '../engine/outcomes.js';
import { redactedRecord } from '../engine/redacted-record.js';
import type { RunRecord } from '../engine/results.js';
import { plannedContract } from '../engine/values/recording.js';
import { messageOf } from '../errors.js';
import type { KeySupply } from '../keys/fetched-key.js';
import { builtModule, tool } from '../package.js';
import { decisiveExchanges } from '../report/write.js';
import { KeyRing } from '../wire/keyring.js';
import { identityOf, type TestAttachment } from './attachments.js';
import { announceEngine, shareFailure, shareFindings } from './findings.js';
import type { JudgedPage, PageRequest } from './key-page-child.js';
import { notAsked, openSessions, type PreparedSession } from './session.js';

/** Selected check ids by project. */
export type SelectedChecks = ReadonlyMap<string, ReadonlySet<string>>;

/** The run of one deployment. */
export type JudgedSession = Pick<FinishedRun, 'record' | 'ended'>;

/**
 * The one run of the engine for all selected tests, in the process of the reporter. Deployments are
 * judged one after the other, and the key page of each last, in a child process. Tests wait for
 * their findings.
 */
export class EngineRun {
  readonly #abort = new AbortController();
  readonly #judged = new Map<string, JudgedSession>();
  readonly #shard: TestAttachment['shard'] | null;
  readonly #attaches: boolean;
  readonly #done: Promise<void>;

  /** @param attaches whether tests attach evidence for `merge` */
  constructor(selected: SelectedChecks, shard: TestAttachment['shard'] | null, attaches: boolean) {
    this.#shard = shard;
    this.#attaches = attaches;
    announceEngine();
    this.#done = this.#run(selected);
  }

  /** Ends the run; what was judged until then has a verdict. */
  stop(): void {
    this.#abort.abort();
  }

  /** The run of each project. None of one whose run failed. */
  async runs(): Promise<ReadonlyMap<string, JudgedSession>> {
    await this.#done;
    return this.#judged;
  }

  async #run(selected: SelectedChecks): Promise<void> {
    const { sessions } = await openSessions();
    // A test waits without a limit, so a run that hangs is ended from another thread.
    const watchdog = watchEventLoop(exitCodes.incomplete);
    for (const session of sessions) {
      const { project } = session;
      const ids = selected.get(project);
      if (!ids) continue;
      try {
        const judged = await this.#judge(session, ids);
        const { contract, target } = session;
        const part = {
          run: identityOf(subjectOf(contract, target, session.options), tool.version),
          ...(this.#shard ? { shard: this.#shard } : {}),
        };
        const { options } = judged.record.results;
        await shareFindings(
          project,
          judged.record,
          { strict: target.strict, options },
          this.#attaches ? part : undefined,
        );
        this.#judged.set(project, judged);
      } catch (error) {
        shareFailure(project, messageOf(error));
      }
    }
    watchdog.stop();
  }

  async #judge(session: PreparedSession, ids: ReadonlySet<string>): Promise<JudgedSession> {
    const shard = this.#shard && `${this.#shard.current}/${this.#shard.total}`;
    const options = shard ? { ...session.options, SHARD: shard } : session.options;
    const { signal } = this.#abort;
    const maxRequests = limitOf(session, ids, shard !== null && shard !== undefined);
    const isAsked = session.settings.values.KEY_PAGE_URL !== undefined;
    const isPart = ids.size < session.checks.length + session.keyPageChecks.length;
    // With chosen tests alone, a baseline would say that all else is gone.
    const baseline = isPart ? undefined : session.baseline;
    const supply = await supplyKeys(session, signal);
    const target = { ...session.target, maxRequests };
    const { record } = await judgePrepared(
      { ...session, target, options, baseline },
      {
        seed: session.seed,
        salt: session.salt,
        supply,
        signal,
        only: ({ id }) => ids.has(id),
        isPart,
        keyPage: isAsked ? undefined : { isAsked, notAsked },
      },
    );
    const ofPage = session.keyPageChecks.map(({ id }) => id).filter((id) => ids.has(id));
    if (!isAsked || ofPage.length === 0 || signal.aborted) return { record, ended: [] };
    const left = maxRequests === undefined ? undefined : Math.max(0, maxRequests - record.results.requestsSent);
    const page = await judgeKeyPage(session, { ids: ofPage, maxRequests: left }, supply, signal).catch(
      (error: unknown) => {
        process.stderr.write(`${messageOf(error)}\n`);
        return notJudged;
      },
    );
    const whole = await withKeyPage(record, page, { ...session, baseline });
    const ring = new KeyRing({ keys: {}, secrets: page.learned });
    return { record: redactedRecord(whole, (text) => ring.redact(text)), ended: page.ended };
  }
}

/** `MAX_REQUESTS` of a run. Shards do not know what the others send, so each has its share. */
const limitOf = (session: PreparedSession, ids: ReadonlySet<string>, isShard: boolean): number | undefined => {
  const { contract, checks, seed, target } = session;
  const { maxRequests } = target;
  if (maxRequests === undefined || !isShard) return maxRequests;
  const { operations } = plannedContract(contract, { identities: target.identities, seed });
  const shares = sharesOf({ checks, operations, budget: { ...target, maxRequests } });
  const own = new Set(checks.flatMap(({ id, operation }) => (ids.has(id) ? [operation] : [])));
  return sum([...own].map((id) => shares.get(id) ?? 0));
};

/**
 * Judges the key page in a child process without DEBUG, with which Playwright's library would print
 * the typed password in this one: it has read the variable when it was loaded.
 */
const judgeKeyPage = (
  { project, seed, salt, contractPath }: PreparedSession,
  chosen: Pick<PageRequest, 'ids' | 'maxRequests'>,
  supply: KeySupply | undefined,
  signal: AbortSignal,
): Promise<JudgedPage> =>
  new Promise((resolve, reject) => {
    const { DEBUG: _debug, PWDEBUG: _pwdebug, ...env } = process.env;
    const child = fork(builtModule('playwright/key-page-child'), {
      execArgv: [],
      env,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      signal,
    });
    let said = '';
    child.stderr?.on('data', (piece) => {
      said += String(piece);
    });
    child.once('error', reject);
    child.once('message', (judged) => resolve(judged as JudgedPage));
    child.once('exit', (code, killedBy) =>
      reject(new Error(`The process that walks through the key page ended with ${killedBy ?? code}. ${said}`)),
    );
    child.send({
      ...chosen,
      project,
      seed,
      salt,
      contractPath,
      keys: [...(supply?.first ?? [])],
    } satisfies PageRequest);
  });

const notJudged: JudgedPage = {
  checks: [],
  observations: [],
  exchanges: [],
  requestsSent: 0,
  complete: false,
  ended: [],
  learned: [],
};

/** The run of the API with that of the key page. */
const withKeyPage = async (
  record: RunRecord,
  page: JudgedPage,
  { contract, target, baseline }: Pick<PreparedSession, 'contract' | 'target' | 'baseline'>,
): Promise<RunRecord> => {
  const { results } = record;
  const decisive = await decisiveExchanges(record);
  const more = new Map(page.exchanges.map((exchange) => [exchange.id, exchange]));
  return {
    ...record,
    results: buildResults(results, contract, {
      checks: [...results.checks, ...page.checks],
      observations: [...observationsIn(results), ...page.observations],
      baseline,
      strict: target.strict,
      complete: results.complete && page.complete,
      durationMs: Date.now() - Date.parse(results.startedAt),
      requestsSent: results.requestsSent + page.requestsSent,
      exchange: (id) => more.get(id) ?? decisive.get(id),
    }),
    async *exchanges(wanted) {
      yield* record.exchanges(wanted);
      yield* more.values();
    },
  };
};
