import type { Attempt, Probe, Wait, WireErrorCode } from './types.js';

/**
 * Milliseconds between the first and the last of failures in a row after which it is asked whether
 * the service is still there, or twice as long as an answer may take.
 */
const longMs = 15_000;

/** Whether the error of a new connection is that the server closed or refused it. */
export const isTurnedAway = (code: WireErrorCode | undefined): boolean => code === 'reset' || code === 'refused';

const noConnection: ReadonlySet<WireErrorCode> = new Set(['reset', 'refused', 'unreachable', 'connect-timeout']);

/** Whether no connection could be opened. A failure of the proxy says nothing about the target. */
export const isUnconnected = ({ error }: Attempt, isOpen: boolean): boolean =>
  !isOpen && error !== undefined && !error.atProxy && noConnection.has(error.code);

/** Whether nothing at all came back. A connection that is closed on purpose is an answer. */
const isUnheard = (attempt: Attempt, isOpen: boolean): boolean =>
  isUnconnected(attempt, isOpen) || (attempt.error?.code.endsWith('-timeout') === true && !attempt.partial);

interface Failures {
  /** When the first one began, when it was noted, and when the last one was. */
  readonly since: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly last: Attempt;
  readonly isOpen: boolean;
}

/** Notes since when the service is silent: it takes no connection, or answers nothing in time. */
export class Silence {
  readonly #timeoutMs: number;
  readonly #longMs: number;
  readonly #now: () => number;
  #failures: Failures | undefined;

  /** @param now the time in milliseconds */
  constructor(timeoutMs: number, now = () => performance.now()) {
    this.#timeoutMs = timeoutMs;
    this.#longMs = Math.max(longMs, 2 * timeoutMs);
    this.#now = now;
  }

  /** @param isOpen whether there was a connection */
  note(attempt: Attempt, isOpen: boolean): void {
    if (attempt.error?.code === 'aborted' || attempt.error?.earlierMs !== undefined) return;
    if (!isUnheard(attempt, isOpen)) {
      this.#failures = undefined;
      return;
    }
    const before = this.#failures;
    const lastAt = this.#now();
    // What was noted long ago says nothing.
    const isInARow = before !== undefined && lastAt - before.lastAt < this.#longMs;
    const { since, firstAt } = isInARow ? before : { since: lastAt - attempt.timing.total, firstAt: lastAt };
    this.#failures = { since, firstAt, lastAt, last: attempt, isOpen };
  }

  /** Whether the service may have ended. It may also answer all requests but these. */
  get isLong(): boolean {
    return this.#failures !== undefined && this.#failures.lastAt - this.#failures.firstAt >= this.#longMs;
  }

  /** When the first of the failures in a row began; now where there is none. */
  get since(): number {
    return this.#failures?.since ?? this.#now();
  }

  /** What holds requests up, if none is answered. */
  get wait(): Wait | undefined {
    if (!this.#failures) return undefined;
    const { since, last, isOpen } = this.#failures;
    const forMs = this.#now() - since;
    return isUnconnected(last, isOpen) && last.error?.code !== 'connect-timeout'
      ? { kind: 'no-connection', forMs, message: last.error?.message ?? '' }
      : { kind: 'no-answer', forMs, timeoutMs: this.#timeoutMs };
  }
}

interface SilenceCheckOptions {
  readonly timeoutMs: number;
  /** Sends a probe before all others, and gives its last attempt; none once the run is over. */
  readonly ask: (probe: Probe) => Promise<Attempt | undefined>;
  /** Called if the probe gets no answer either. */
  readonly onSilent: (message: string, since: number) => void;
}

/**
 * A service that ends or hangs during a run would hold up thousands of requests. So what it has
 * answered before is asked once more, and if that gets no answer either, the run is over.
 */
export class SilenceCheck {
  readonly #silence: Silence;
  readonly #options: SilenceCheckOptions;
  /** A request that the service has answered. */
  #heard: Probe | undefined;
  #isAsking = false;

  constructor(options: SilenceCheckOptions) {
    this.#silence = new Silence(options.timeoutMs);
    this.#options = options;
  }

  /** What holds requests up, if none is answered. */
  get wait(): Wait | undefined {
    return this.#silence.wait;
  }

  /**
   * @param isOpen whether there was a connection
   * @param canRepeat whether the probe may be sent again, to ask
   */
  note(probe: Probe, attempt: Attempt, isOpen: boolean, canRepeat: boolean): void {
    this.#silence.note(attempt, isOpen);
    if (attempt.response && canRepeat) this.#heard = probe;
    if (this.#silence.isLong) void this.ask();
  }

  async ask(): Promise<void> {
    if (!this.#heard || this.#isAsking) return;
    this.#isAsking = true;
    const { since } = this.#silence;
    const { error } = (await this.#options.ask(this.#heard)) ?? {};
    if (error && error.code !== 'aborted') this.#options.onSilent(error.message, since);
    this.#isAsking = false;
  }
}
