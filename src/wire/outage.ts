import { unavailable } from './retry.js';
import type { Attempt, Probe } from './types.js';

/** Number of consecutive answers 502, 503 or 504 after which the service counts as out. */
const inARow = 8;
/** Milliseconds of the first wait, doubled with each one that did not help, and of all together. */
const firstMs = 250;
const mostMs = 10_000;

/**
 * Notices when a service is out for a moment, as while it is deployed: paths that were answered
 * before get 502, 503 or 504. A service may answer other paths so at any time.
 */
export class Outage {
  /** Paths by origin. */
  readonly #answered = new Map<string, Set<string>>();
  #count = 0;
  #nextMs = firstMs;
  #spentMs = 0;

  /** Milliseconds for which no requests should be sent after this attempt; mostly 0. */
  waitAfter({ origin, target }: Probe, { response }: Attempt): number {
    if (!response) return 0;
    const query = target.indexOf('?');
    const path = query < 0 ? target : target.slice(0, query);
    const answered = this.#answered.get(origin) ?? new Set<string>();
    if (!unavailable.has(response.status)) {
      this.#nextMs = firstMs;
      this.#count = 0;
      this.#answered.set(origin, answered.add(path));
      return 0;
    }
    if (!answered.has(path)) return 0;
    this.#count += 1;
    if (this.#count < inARow) return 0;
    const waitMs = Math.min(this.#nextMs, mostMs - this.#spentMs);
    this.#count = 0;
    this.#nextMs *= 2;
    this.#spentMs += waitMs;
    return waitMs;
  }
}
