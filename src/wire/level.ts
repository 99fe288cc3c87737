/** In flight at the start, and at most. */
const start = 8;
export const mostInFlight = 32;

/** A rise: latency above its floor by a quarter, and by more than the jitter of a network. */
const quarter = 1.25;
const jitterMs = 5;

/** Answers that are looked at together, at least. */
const leastAnswers = 8;

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/**
 * How many requests may be in flight: more while latency stays near its floor, half as many when it
 * rises or the server refuses for the rate. It doubles until the first of these, and then grows by
 * one. Pure: it is told what was seen, and knows no clock.
 */
export class Level {
  #limit = start;
  #floor = Number.POSITIVE_INFINITY;
  #latencies: number[] = [];
  /** Answers to requests that were sent before the last change say nothing of it. */
  #epoch = 0;
  #isDoubling = true;

  get limit(): number {
    return this.#limit;
  }

  /** Stands for the requests that are sent now. */
  get epoch(): number {
    return this.#epoch;
  }

  /** @param latencyMs from the request to the first byte of its answer */
  answered(latencyMs: number, epoch: number): void {
    if (epoch !== this.#epoch) return;
    this.#latencies.push(latencyMs);
    if (this.#latencies.length < Math.max(leastAnswers, this.#limit)) return;
    const seen = median(this.#latencies);
    this.#floor = Math.min(this.#floor, seen);
    if (seen > this.#floor * quarter && seen > this.#floor + jitterMs) this.#halve();
    else this.#change(Math.min(mostInFlight, this.#isDoubling ? this.#limit * 2 : this.#limit + 1));
  }

  /** The server refused a request for the rate (429, 503). */
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
