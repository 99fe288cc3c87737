import type { Wait } from './types.js';

/** Maximum number of new connections per second, beyond those that the server keeps open. */
export const mostNewConnections = 8;

const secondMs = 1_000;

/** Moving average and minimum of a duration in milliseconds; `undefined` before it was seen. */
class Duration {
  #mean: number | undefined;
  #least: number | undefined;

  get mean(): number | undefined {
    return this.#mean;
  }

  /** Minimum, which drifts slowly towards recent values. */
  get least(): number | undefined {
    return this.#least;
  }

  add(seen: number): void {
    const [mean = seen, least = seen] = [this.#mean, this.#least];
    this.#mean = mean + (seen - mean) / 8;
    this.#least = Math.min(seen, least + (seen - least) / 32);
  }
}

/** Limits how many connections are opened per second, and measures how long opening takes. */
export class Openings {
  readonly #most: number;
  /** Times at which connections were opened that were not kept open since. */
  readonly #new = new Map<object, number>();
  /** Time since when the limit is reached and no connection was kept open. */
  #reachedSince: number | undefined;
  readonly openingTime = new Duration();
  readonly requestTime = new Duration();

  /** @param most maximum number of connections per second that are opened and not kept open */
  constructor(most: number) {
    this.#most = most;
  }

  /** Milliseconds until another connection may be opened. */
  get untilOne(): number {
    const now = performance.now();
    for (const [one, at] of this.#new) if (now - at >= secondMs) this.#new.delete(one);
    if (this.#new.size < this.#most) return 0;
    this.#reachedSince ??= now;
    const [oldest = now] = this.#new.values();
    return oldest + secondMs - now + 1;
  }

  /** Milliseconds until the last of `count` connections is opened, if none is kept open. */
  untilLast(count: number): number {
    return Math.floor((count - 1) / this.#most) * secondMs;
  }

  get isLimited(): boolean {
    return this.#most !== Number.POSITIVE_INFINITY;
  }

  begin(opening: object): void {
    this.#new.set(opening, performance.now());
  }

  /** Stops counting a connection that was not opened. */
  forget(opening: object): void {
    this.#new.delete(opening);
  }

  /** Stops counting a connection that the server keeps open. */
  kept(opening: object): void {
    this.#new.delete(opening);
    this.#reachedSince = undefined;
  }

  /** What holds requests up, if no connection was kept open since the limit was reached. */
  get wait(): Wait | undefined {
    if (this.#reachedSince === undefined) return undefined;
    return { kind: 'new-connections', forMs: performance.now() - this.#reachedSince, perSecond: this.#most };
  }
}
