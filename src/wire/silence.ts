import type { Attempt, Wait, WireErrorCode } from './types.js';

/**
 * Milliseconds between the first and the last of failures in a row after which requests of their
 * kind are no longer sent, or twice as long as an answer may take.
 */
const lostAfterMs = 15_000;

/** Milliseconds until a request asks whether there are answers again, doubled each time. */
const askAgainMs = 1_000;

/** Whether the error of a new connection is that the server closed or refused it. */
export const isTurnedAway = (code: WireErrorCode | undefined): boolean => code === 'reset' || code === 'refused';

const noConnection: ReadonlySet<WireErrorCode> = new Set(['reset', 'refused', 'unreachable', 'connect-timeout']);

/** Whether no connection could be opened. A failure of the proxy says nothing about the target. */
export const isUnconnected = ({ error }: Attempt, isOpen: boolean): boolean =>
  !isOpen && error !== undefined && !error.atProxy && noConnection.has(error.code);

/** Whether nothing at all came back. A connection that is closed on purpose is an answer. */
const isUnheard = (attempt: Attempt, isOpen: boolean): boolean =>
  isUnconnected(attempt, isOpen) || (attempt.error?.code.endsWith('-timeout') === true && !attempt.partial);

/** Failures in a row. */
interface Failures {
  /** When the first one began, when it was noted, and when the last one was. */
  readonly since: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly last: Attempt;
  readonly isOpen: boolean;
}

/**
 * Notes since when the service is silent: it takes no connection, or answers nothing in time. A
 * service that ends during a run would hold up thousands of requests otherwise.
 */
export class Silence {
  readonly #timeoutMs: number;
  readonly #longMs: number;
  readonly #now: () => number;
  /** By kind of request: those with a key may be answered where others are not. */
  readonly #failures = new Map<string, Failures>();
  readonly #asked = new Map<string, { readonly nextAt: number; readonly pauseMs: number }>();
  /** Of all requests together. */
  #all: Failures | undefined;

  /** @param now the time in milliseconds */
  constructor(timeoutMs: number, now = () => performance.now()) {
    this.#timeoutMs = timeoutMs;
    this.#longMs = Math.max(lostAfterMs, 2 * timeoutMs);
    this.#now = now;
  }

  /** @param isOpen whether there was a connection */
  note(kind: string, attempt: Attempt, isOpen: boolean): void {
    const { response, error, timing } = attempt;
    if (response) this.#all = undefined;
    if (error?.code === 'aborted' || error?.earlierMs !== undefined) return;
    if (!isUnheard(attempt, isOpen)) {
      this.#failures.delete(kind);
      this.#asked.delete(kind);
      return;
    }
    const lastAt = this.#now();
    const after = (before: Failures | undefined): Failures => {
      const isInARow = before !== undefined && lastAt - before.lastAt < this.#longMs;
      const { since, firstAt } = isInARow ? before : { since: lastAt - timing.total, firstAt: lastAt };
      return { since, firstAt, lastAt, last: attempt, isOpen };
    };
    this.#failures.set(kind, after(this.#failures.get(kind)));
    this.#all = after(this.#all);
  }

  /** Why a request of this kind is not worth sending. */
  whyUnsent(kind: string): string | undefined {
    const failures = this.#failures.get(kind);
    if (!failures || failures.lastAt - failures.firstAt < this.#longMs) return undefined;
    const now = this.#now();
    const { nextAt, pauseMs } = this.#asked.get(kind) ?? { nextAt: now, pauseMs: askAgainMs };
    if (now < nextAt) return `not sent: the service had stopped answering (${failures.last.error?.message})`;
    this.#asked.set(kind, { nextAt: now + pauseMs, pauseMs: 2 * pauseMs });
    return undefined;
  }

  /** What holds requests up, if none is answered. */
  get wait(): Wait | undefined {
    if (!this.#all) return undefined;
    const { since, last, isOpen } = this.#all;
    const forMs = this.#now() - since;
    return isUnconnected(last, isOpen) && last.error?.code !== 'connect-timeout'
      ? { kind: 'no-connection', forMs, message: last.error?.message ?? '' }
      : { kind: 'no-answer', forMs, timeoutMs: this.#timeoutMs };
  }
}
