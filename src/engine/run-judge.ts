import { answerOf } from '../rules/oracle/answers.js';
import type { Judgement, OperationSubject, Slice } from '../rules/rule.js';
import { exchangeId, type Probe } from '../wire/types.js';
import { judgeThrough, type Sender, type Series } from './ask.js';
import { Findings } from './findings.js';
import { carriesKey, endedKeySeen, isKeyEnded, KeyEnded, keyEnded } from './live-keys/key-watch.js';
import type { Check, PlannedCheck } from './plan.js';
import type { RunInput } from './run-input.js';
import type { RunParts, Session } from './session.js';
import { isOverPlainHttp } from './stages.js';
import { outOfRequests, silenced, stopped, suiteFault, unjudged } from './unjudged.js';

/** Judges the checks of a run one by one, and stores their findings. */
export class RunJudge {
  readonly findings: Findings;
  /** The operations of the plan, by id. */
  subjects: ReadonlyMap<string, OperationSubject> = new Map();
  /** Number of checks of the plan, including those of the key page. */
  planned = 0;
  /** Checks that a request without an answer belongs to, and when they were judged. */
  readonly #unheard = new Map<PlannedCheck, number>();
  readonly #session: Session;
  readonly #signal: AbortSignal | undefined;
  readonly #evidence: RunParts['evidence'];

  constructor(session: Session, input: RunInput, { evidence }: RunParts) {
    this.#session = session;
    this.#signal = input.signal;
    this.#evidence = evidence;
    this.findings = new Findings({
      strict: input.target.strict,
      onFinding: (finding) =>
        input.onProgress?.({ type: 'checked', finding, done: this.findings.size, checks: this.planned }),
    });
  }

  /** The judgement of checks that were not reached when the run was stopped. */
  #stopping(): Judgement {
    const { over } = this.#session.wire;
    if (this.#signal?.aborted || !over) return stopped;
    return over.why === 'silence' ? silenced(over.message) : outOfRequests;
  }

  /** Records the judgement of a check, unless it was judged before or must not be judged. */
  async by(check: PlannedCheck, judging: () => Promise<Judgement>): Promise<void> {
    const { findings } = this;
    const { ring, privateValues, isStopped } = this.#session;
    const started = performance.now();
    if (findings.of(check)) return;
    const unsent = findings.sliced?.unsent(check);
    if (check.excluded !== undefined) findings.conclude(check, unjudged(check), started);
    else if (isStopped()) findings.conclude(check, this.#stopping(), started);
    else if (unsent) findings.conclude(check, unsent, started);
    else {
      const judgement = await judging().catch((error: unknown) =>
        error instanceof KeyEnded ? keyEnded(error.key) : suiteFault(error, ring),
      );
      privateValues.opened([
        ...(judgement.outcome === 'failed' ? judgement.exchanges : []),
        ...(judgement.opened ?? []),
      ]);
      const { exchanges, comparedWith = [] } = judgement;
      if (![...exchanges, ...comparedWith].every(answerOf)) this.#unheard.set(check, performance.now());
      findings.conclude(check, isStopped() && judgement.outcome !== 'failed' ? this.#stopping() : judgement, started);
    }
  }

  /** Sends what a check needs, and judges it. */
  judge(check: Check): Promise<void> {
    const { ring, live, rested, sender, store } = this.#session;
    return this.by(check, () => {
      const slice = this.findings.sliced?.sliceOf(check);
      const from = live ? rested.noting(check, sender, (id) => live.isUnconfirmed(id)) : sender;
      // Stored answers do not tell whether a key had ended, so they are not used with such keys.
      return this.#evidence && !live
        ? this.#evidence.judge(check, this.subjects.get(check.operation), slice, { sender: from, store, keys: ring })
        : judgeThrough((ask) => check.judge(ask, slice), from, !isOverPlainHttp(check));
    });
  }

  /** Judges a check of the service again that passed, if other checks saw what its rule watches. */
  async judgeWatched(check: Check): Promise<void> {
    const { watched, sender, isStopped } = this.#session;
    const seen = watched.by(check);
    if (seen.length === 0 || isStopped() || this.findings.of(check)?.outcome !== 'passed') return;
    this.findings.forget([check]);
    await this.by(check, () => judgeThrough((ask) => check.judge(ask, undefined, seen), sender));
  }

  /** Whether a check passes, provided that the key still works after it. */
  async passesSoFar(check: Check): Promise<boolean> {
    const { live, isStopped, sender } = this.#session;
    const { sliced } = this.findings;
    // With a key that may end, exchanges may have to be discarded; such checks are judged later.
    if (live || this.#evidence?.has(check) || isStopped() || check.excluded !== undefined) return false;
    if (this.findings.of(check) || sliced?.unsent(check)) return false;
    const foreseen = await foresee(check, sliced?.sliceOf(check), sender).catch(() => undefined);
    return foreseen?.outcome === 'passed';
  }

  /** Makes findings inconclusive that depend on an ended key, which is detected late. */
  noteEndedKeys(checks: readonly Check[]): void {
    const { findings } = this;
    const { live, rested, watch } = this.#session;
    for (const check of checks) {
      const finding = findings.of(check);
      const ended = finding && (watch.behind(finding) ?? (rested.hasLost(check) ? live?.endless() : undefined));
      if (!ended) continue;
      findings.forget([check]);
      findings.conclude(check, keyEnded(ended), performance.now() - finding.durationMs);
    }
    for (const [operation, exchange] of watch.refusals()) {
      const check = checks.find((one) => one.operation === operation && isKeyEnded(findings.of(one)));
      if (check) findings.observe(check, endedKeySeen(exchange));
    }
  }

  /**
   * Where the service has stopped answering: findings that were concluded after it had, and before
   * that was noticed, rest on its silence. What failed had to be answered.
   */
  noteSilence(): void {
    const { findings } = this;
    const { over } = this.#session.wire;
    if (over?.why !== 'silence') return;
    for (const [check, judgedAt] of this.#unheard) {
      const finding = findings.of(check);
      if (!finding || finding.outcome === 'failed' || judgedAt < over.since) continue;
      findings.forget([check]);
      findings.conclude(check, silenced(over.message), performance.now() - finding.durationMs);
    }
  }

  /** Drops references that were needed for judging. */
  release(): void {
    this.subjects = new Map();
    this.#unheard.clear();
    this.findings.release();
  }
}

/**
 * For a keyed read that only checks whether the key still works: the same read without occasion.
 */
const earlier = ({ occasion, ...probe }: Probe): Probe | undefined =>
  occasion !== undefined && carriesKey(probe) ? probe : undefined;

/**
 * Judges a check in advance, assuming that each unsent keyed read for an occasion gets the same
 * answer as the earlier read. All other probes that the check asks for are sent.
 */
const foresee = (check: Check, slice: Slice | undefined, sender: Sender): Promise<Judgement> => {
  const assumed = new Map<string, string>();
  const isAssumed = (series: Series): boolean => {
    const [probe, next] = series;
    const before = probe && next === undefined ? earlier(probe) : undefined;
    if (!probe || !before || !sender.get(exchangeId(before))) return false;
    assumed.set(exchangeId(probe), exchangeId(before));
    return true;
  };
  return judgeThrough((ask) => check.judge(ask, slice), {
    get: (id) => sender.get(id) ?? sender.get(assumed.get(id) ?? ''),
    send: (all, ahead) =>
      sender.send(
        all.filter((series) => !isAssumed(series)),
        ahead,
      ),
  });
};
