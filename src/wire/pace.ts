import type { InFlight } from './in-flight.js';
import { Level, mostInFlight } from './level.js';
import { type Lane, Line } from './line.js';

/** Milliseconds between requests after the first 429, and at most. */
const minSpacing = 50;
const maxSpacing = 400;
/** Consecutive responses without a 429 after which the pace increases. */
const recoverAfter = 10;

export interface PaceOptions {
  /** A fixed number, or as many as the server bears. */
  readonly concurrency: number | 'auto';
  /** Requests to the same host, which share the ceiling of `auto`. */
  readonly inFlight?: InFlight;
  /** Milliseconds that may be spent waiting for rate limits, over the whole run. */
  readonly budgetMs: number;
  /** Milliseconds from one request to the next, at least. */
  readonly intervalMs?: number;
  /**
   * Processes that ask the same host at once, this one included: each takes its part. Default: 1.
   */
  readonly processes?: number;
}

/** What one of so many processes takes of a limit that all of them share. */
export const shareOf = (whole: number, processes: number): number => Math.max(1, Math.floor(whole / processes));

/**
 * Limits concurrency and rate: no requests while the server asked to wait, then fewer and spaced,
 * until it recovers.
 */
export class Pace {
  readonly #most: number;
  readonly #budgetMs: number;
  readonly #intervalMs: number;
  #limit: number;
  #inFlight = 0;
  readonly #level: Level | undefined;
  readonly #ofHost: InFlight;
  readonly #wake = (): void => this.#let();
  #pausedUntil = 0;
  #spent = 0;
  #spacing = 0;
  #nextAt = 0;
  #calm = 0;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;
  #isLooking = false;
  readonly #line = new Line();

  constructor(options: PaceOptions) {
    const { concurrency, budgetMs, intervalMs = 0, processes = 1 } = options;
    this.#level = concurrency === 'auto' ? new Level() : undefined;
    this.#ofHost = options.inFlight ?? { count: 0, waiting: new Set() };
    this.#intervalMs = intervalMs * processes;
    this.#most = shareOf(concurrency === 'auto' ? mostInFlight : concurrency, processes);
    this.#limit = this.#most;
    this.#budgetMs = budgetMs;
  }

  /**
   * Resolves when one more request may be sent and its lane has a place for it; each needs one
   * `leave`.
   * @param ahead before all that wait and did not enter ahead
   */
  enter<Place>(lane: Lane<Place>, ahead = false): Promise<Place> {
    // What comes together is looked at together.
    if (!this.#isLooking)
      setImmediate(() => {
        this.#isLooking = false;
        this.#let();
      });
    this.#isLooking = true;
    return this.#line.join(lane, ahead);
  }

  /** Looks whether one more may be sent: something is free. */
  look(): void {
    this.#let();
  }

  leave(): void {
    this.#inFlight -= 1;
    this.#ofHost.count -= 1;
    this.#let();
    // Others that wait for the same host.
    for (const wake of [...this.#ofHost.waiting]) wake();
  }

  /** Stands for the requests that are sent now; `answered` and `slow` want it back. */
  get epoch(): number {
    return this.#level?.epoch ?? 0;
  }

  /** @param latencyMs from the request to the first byte of its answer */
  answered(latencyMs: number, epoch: number): void {
    this.#level?.answered(latencyMs, epoch);
  }

  /** The server refused a request for the rate. */
  refused(epoch: number): void {
    this.#level?.refused(epoch);
  }

  /** Call it for a response other than 429. */
  recover(): void {
    if (this.#limit === this.#most && this.#spacing === 0) return;
    this.#calm += 1;
    if (this.#calm < recoverAfter) return;
    this.#calm = 0;
    this.#limit = Math.min(this.#most, this.#limit + 1);
    this.#spacing = this.#spacing < 20 ? 0 : this.#spacing / 2;
  }

  /**
   * The server asked to wait `waitMs`: no requests are sent meanwhile.
   * @returns false when that exceeds the budget
   */
  pause(waitMs: number): boolean {
    const now = performance.now();
    const more = now + waitMs - Math.max(now, this.#pausedUntil);
    this.#calm = 0;
    if (more <= 0) return true;
    if (this.#spent + more > this.#budgetMs) return false;
    if (this.#pausedUntil <= now) {
      this.#limit = Math.max(1, Math.floor(this.#limit / 2));
      this.#spacing = Math.min(maxSpacing, Math.max(minSpacing, this.#spacing * 2));
    }
    this.#spent += more;
    this.#pausedUntil = now + waitMs;
    return true;
  }

  /** Releases all waiting requests: the run was stopped. */
  end(): void {
    this.#ended = true;
    this.#let();
    this.#ofHost.waiting.delete(this.#wake);
  }

  #isFull(): boolean {
    if (this.#inFlight >= Math.min(this.#limit, this.#level?.limit ?? this.#limit)) return true;
    // A fixed number is one, whoever else asks the host.
    if (this.#level === undefined || this.#ofHost.count < this.#most) return false;
    this.#ofHost.waiting.add(this.#wake);
    return true;
  }

  #let(): void {
    clearTimeout(this.#timer);
    if (this.#ended) this.#sent(this.#line.letAll());
    while (!this.#line.isEmpty && !this.#isFull()) {
      const now = performance.now();
      const rest = Math.max(this.#pausedUntil, this.#nextAt) - now;
      const wait = rest > 0 ? rest : this.#line.letOne();
      if (wait > 0) {
        if (wait < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.#let(), Math.ceil(wait));
        return;
      }
      const spacing = Math.max(this.#spacing, this.#intervalMs);
      if (spacing > 0) this.#nextAt = now + spacing;
      this.#sent(1);
    }
    if (this.#line.isEmpty) this.#ofHost.waiting.delete(this.#wake);
  }

  #sent(count: number): void {
    this.#inFlight += count;
    this.#ofHost.count += count;
  }
}
