import { type Lane, RequestQueue } from './request-queue.js';
import type { Wait } from './types.js';

/** Requests of this process that are in flight to one host, over all targets and runs. */
interface InFlight {
  count: number;
  /** Callbacks that wait for a free place. */
  readonly waiting: Set<() => void>;
}

const byHost = new Map<string, InFlight>();

export const inFlightTo = (origin: string): InFlight => {
  const { hostname } = new URL(origin);
  const known = byHost.get(hostname) ?? { count: 0, waiting: new Set() };
  byHost.set(hostname, known);
  return known;
};

/** Milliseconds between requests after the first 429, and the maximum. */
const minSpacing = 50;
const maxSpacing = 400;
/** Number of consecutive responses without a 429 after which the pace increases. */
const recoverAfter = 10;
/** Milliseconds after the last 429 in which the server counts as one that limits its rate. */
const limitedMs = 5_000;

interface PaceOptions {
  /** A fixed number, or `auto` for as many as the server can handle. */
  readonly concurrency: number | 'auto';
  /** Requests to the same host, which share the limit of `auto`. */
  readonly inFlight?: InFlight;
  /** Milliseconds that may be spent waiting for rate limits, over the whole run. */
  readonly budgetMs: number;
  /** Minimum number of milliseconds between two requests. */
  readonly intervalMs?: number | undefined;
}

interface Limited {
  readonly since: number;
  /** When the last pause ends, or when a pause exceeded the budget. */
  readonly until: number;
  readonly status: number;
  readonly askedMs?: number;
}

/**
 * Limits concurrency and rate. While the server asks to wait, no requests are sent; afterwards
 * fewer and with pauses, until it recovers.
 */
export class Pace {
  readonly #most: number;
  readonly #budgetMs: number;
  readonly #intervalMs: number;
  #limit: number;
  #inFlight = 0;
  readonly #level: Level | undefined;
  readonly #ofHost: InFlight;
  readonly #wake = (): void => this.#lookSoon();
  #pausedUntil = 0;
  #spent = 0;
  #spacing = 0;
  #nextAt = 0;
  #calm = 0;
  /** The current rate limit, if any; `askedMs` if its pause exceeded the budget. */
  #limited: Limited | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;
  #isLooking = false;
  readonly #line = new RequestQueue();

  constructor(options: PaceOptions) {
    const { concurrency, budgetMs, intervalMs = 0 } = options;
    this.#level = concurrency === 'auto' ? new Level() : undefined;
    this.#ofHost = options.inFlight ?? { count: 0, waiting: new Set() };
    this.#intervalMs = intervalMs;
    this.#most = concurrency === 'auto' ? mostInFlight : concurrency;
    this.#limit = this.#most;
    this.#budgetMs = budgetMs;
  }

  /**
   * Resolves when another request may be sent and its lane has a connection for it. Each call needs
   * one `leave`.
   * @param ahead before all waiting requests that did not enter ahead
   * @param first before all waiting requests
   */
  enter<Place>(lane: Lane<Place>, ahead = false, first = false): Promise<Place> {
    this.#lookSoon();
    return this.#line.join(lane, ahead, first);
  }

  /** A request that enters first because of this answer takes the place that it leaves. */
  leave(): void {
    this.#inFlight -= 1;
    this.#ofHost.count -= 1;
    this.#lookSoon();
    // Wakes other targets that wait for the same host.
    for (const wake of [...this.#ofHost.waiting]) wake();
  }

  /** Requests that enter in the same turn are considered together. */
  #lookSoon(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    setImmediate(() => {
      this.#isLooking = false;
      this.look();
    });
  }

  /** Identifies the current limit; pass it to `answered` or `refused` with the result. */
  get epoch(): number {
    return this.#level?.epoch ?? 0;
  }

  /** @param latencyMs from the request to the first byte of its answer */
  answered(latencyMs: number, epoch: number): void {
    this.#level?.answered(latencyMs, epoch);
  }

  /** Reports that the server refused a request for the rate. */
  refused(epoch: number): void {
    this.#level?.refused(epoch);
  }

  /** Reports a response other than 429. */
  recover(): void {
    if (this.#limit === this.#most && this.#spacing === 0) return;
    this.#calm += 1;
    if (this.#calm < recoverAfter) return;
    this.#calm = 0;
    this.#limit = Math.min(this.#most, this.#limit + 1);
    this.#spacing = this.#spacing < 20 ? 0 : this.#spacing / 2;
  }

  /**
   * The server asked to wait `waitMs` milliseconds, during which no requests are sent.
   * @param status of the answer that asked
   * @returns false if that exceeds the budget
   */
  pause(waitMs: number, status: number): boolean {
    const now = performance.now();
    const more = now + waitMs - Math.max(now, this.#pausedUntil);
    this.#calm = 0;
    if (more <= 0) return true;
    const since = this.wait ? (this.#limited?.since ?? now) : now;
    const isOver = this.#spent + more > this.#budgetMs;
    const until = isOver ? Math.max(now, this.#pausedUntil) : now + waitMs;
    this.#limited = { since, until, status, ...(isOver ? { askedMs: waitMs } : {}) };
    if (isOver) return false;
    if (this.#pausedUntil <= now) {
      this.#limit = Math.max(1, Math.floor(this.#limit / 2));
      this.#spacing = Math.min(maxSpacing, Math.max(minSpacing, this.#spacing * 2));
    }
    this.#spent += more;
    this.#pausedUntil = now + waitMs;
    return true;
  }

  /** Sends no requests for `waitMs` milliseconds, without slowing down afterwards. */
  hold(waitMs: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + waitMs);
  }

  /** Whether no requests are sent because the server asked to wait. */
  get isPaused(): boolean {
    return this.#pausedUntil > performance.now();
  }

  /** How the server limits its rate; absent again some seconds after the last 429. */
  get wait(): Wait | undefined {
    const now = performance.now();
    if (!this.#limited || this.#limited.until + limitedMs < now) return undefined;
    const { since, until, status, askedMs } = this.#limited;
    const used = this.#spent - Math.max(0, this.#pausedUntil - now);
    const [kind, waitMs] =
      askedMs === undefined ? (['rate-limit', used] as const) : (['rate-limit-over', askedMs] as const);
    return { kind, forMs: Math.min(now, until) - since, status, waitMs, budgetMs: this.#budgetMs };
  }

  /** Releases all waiting requests: the run was stopped. */
  end(): void {
    this.#ended = true;
    this.look();
    this.#ofHost.waiting.delete(this.#wake);
  }

  #isFull(): boolean {
    if (this.#inFlight >= Math.min(this.#limit, this.#level?.limit ?? this.#limit)) return true;
    // A fixed number does not depend on other requests to the host.
    if (this.#level === undefined || this.#ofHost.count < this.#most) return false;
    this.#ofHost.waiting.add(this.#wake);
    return true;
  }

  /** Sends waiting requests if possible; to be called when a connection may be free. */
  look(): void {
    clearTimeout(this.#timer);
    if (this.#ended) this.#sent(this.#line.sendAll());
    while (!this.#line.isEmpty && !this.#isFull()) {
      const now = performance.now();
      const rest = Math.max(this.#pausedUntil, this.#nextAt) - now;
      const wait = rest > 0 ? rest : this.#line.sendNext();
      if (wait > 0) {
        if (wait < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.look(), Math.ceil(wait));
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

/** Initial and maximum number of requests in flight. */
const start = 8;
export const mostInFlight = 32;

/** Latency has risen if it exceeds its floor by a quarter, and by more than network jitter. */
const quarter = 1.25;
const jitterMs = 5;

/** Minimum number of answers per decision. */
const leastAnswers = 8;

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/**
 * Controls how many requests may be in flight. The limit doubles while latency stays near its
 * floor. When latency rises, or the server refuses for the rate, it is halved; from then on it
 * grows by one. It has no clock: callers report what they saw.
 */
export class Level {
  #limit = start;
  #floor = Number.POSITIVE_INFINITY;
  #latencies: number[] = [];
  /** Incremented with every change of the limit, to ignore answers to earlier requests. */
  #epoch = 0;
  #isDoubling = true;

  get limit(): number {
    return this.#limit;
  }

  /** The epoch of requests that are sent now. */
  get epoch(): number {
    return this.#epoch;
  }

  /** @param latencyMs from the request to the first byte of its answer */
  answered(latencyMs: number, epoch: number): void {
    if (epoch !== this.#epoch) return;
    this.#latencies.push(latencyMs);
    const count = this.#latencies.length;
    if (count < Math.max(leastAnswers, this.#limit >> 1)) return;
    const seen = median(this.#latencies);
    this.#floor = Math.min(this.#floor, seen);
    const hasRisen = seen > this.#floor * quarter && seen > this.#floor + jitterMs;
    // A few slow answers may be chance, so halving takes as many answers as may be in flight.
    if (hasRisen && count < this.#limit) return;
    if (hasRisen) this.#halve();
    else this.#change(Math.min(mostInFlight, this.#isDoubling ? this.#limit * 2 : this.#limit + 1));
  }

  /** Reports that the server refused a request for the rate (429, 503). */
  refused(epoch: number): void {
    if (epoch === this.#epoch) this.#halve();
  }

  #halve(): void {
    this.#isDoubling = false;
    this.#change(Math.max(1, this.#limit >> 1));
  }

  #change(limit: number): void {
    this.#limit = limit;
    this.#latencies = [];
    this.#epoch += 1;
  }
}
