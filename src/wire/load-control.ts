import type { Pace } from './pace.js';
import { isSafeMethod } from './probe-safety.js';
import { isRateLimitedBy503, nextTry, Outage, rateLimitPause, type TriedAttempt, Unanswered } from './retry.js';
import { isTurnedAway } from './silence.js';
import { waitingFields } from './time-limits.js';
import type { Attempt, Probe } from './types.js';

/** Milliseconds without requests after 503s that limit the rate. */
const rateLimitPauseMs = 100;
/** Number of 503s in a row that show a limit: a broken backend gives them one by one. */
const limitedInARow = 3;

/**
 * Whether a server may be waiting for more than a request has: the protocol that it asks for, or
 * the content that it announces (RFC 9110, sections 7.8 and 10.1.1).
 */
const mayWaitForMore = ({ headers }: Probe, last: TriedAttempt | undefined): boolean =>
  last?.attempt.error?.code === 'headers-timeout' && waitingFields(headers).length > 0;

/**
 * Whether the server may have processed the request; an unsafe request must not be repeated then
 * (RFC 9110, section 9.2.2).
 */
const mayHaveArrived = (tried: TriedAttempt | undefined): boolean =>
  !['refused', 'unreachable', 'connect-timeout'].includes(tried?.attempt.error?.code ?? '');

/**
 * Tells the pace how the target bears its load, and decides whether a request is sent again.
 */
export class LoadControl {
  readonly #pace: Pace;
  readonly #origin: string;
  readonly #unanswered = new Unanswered();
  readonly #outage = new Outage();
  /** Whether the server limits its rate with 503, and how many such answers came in a row. */
  #isSlower = false;
  #unavailableInARow = 0;

  /** @param origin the target; other origins say nothing about its load */
  constructor(pace: Pace, origin: string) {
    this.#pace = pace;
    this.#origin = origin;
  }

  /**
   * @param isOpen whether there was a connection
   * @param epoch of the pace when the request was sent
   */
  note(probe: Probe, attempt: Attempt, isOpen: boolean, epoch: number): void {
    const isTarget = probe.origin === this.#origin;
    if (isTarget) this.#noteLoad(attempt, isOpen, epoch);
    this.#pace.hold(this.#outage.waitAfter(probe, attempt, isOpen || !isTarget));
  }

  #noteLoad({ response, error, timing }: Attempt, isOpen: boolean, epoch: number): void {
    if (!response) {
      if (!isOpen && isTurnedAway(error?.code)) this.#pace.refused(epoch);
      return;
    }
    this.#unavailableInARow = response.status === 503 ? this.#unavailableInARow + 1 : 0;
    if (response.status === 429 || this.#isUnavailable()) this.#pace.refused(epoch);
    else if (response.status !== 503 && timing.firstByte !== undefined) this.#pace.answered(timing.firstByte, epoch);
  }

  #isUnavailable(): boolean {
    return this.#unavailableInARow >= limitedInARow;
  }

  /**
   * Milliseconds until the next attempt; `undefined` if the last one is final.
   * @param who the origin, and the settings of the keys that are sent there
   */
  pauseAfter(probe: Probe, tried: readonly TriedAttempt[], who: string): number | undefined {
    const last = tried.at(-1);
    const response = last?.attempt.response;
    if (response?.status === 429) {
      const count = tried.filter(({ attempt }) => attempt.response?.status === 429).length;
      return this.#pace.pause(rateLimitPause(response.headers, count), 429) ? 0 : undefined;
    }
    this.#isSlower ||= isRateLimitedBy503(tried);
    if (this.#isSlower && this.#isUnavailable()) this.#pace.pause(rateLimitPauseMs, 503);
    else if (response) this.#pace.recover();
    if (!isSafeMethod(probe.method) && mayHaveArrived(last)) return undefined;
    if (mayWaitForMore(probe, last)) return undefined;
    return nextTry(tried, {
      attemptsFor: (code) => this.#unanswered.attemptsFor(who, code),
      slower: this.#isSlower,
    });
  }

  /** @param isLast no other attempt at this request follows */
  noteTried(tried: readonly TriedAttempt[], who: string, isLast: boolean): void {
    this.#unanswered.note(who, tried, isLast);
  }
}
