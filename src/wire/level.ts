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
