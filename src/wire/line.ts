/** Requests that need a connection of one kind, and what there is for them. */
export interface Lane<Place> {
  /** Milliseconds until the last of so many that wait is likely to be sent. */
  untilLast(waiting: number): number;
  /** Whether a request could go at once. */
  isFree(): boolean;
  /** Milliseconds until one could go by something new, where so many wait. */
  untilMore(waiting: number): number;
  /** Takes what is free, or else something new. */
  take(): Place;
}

/** For requests that wait for nothing but their turn. */
export const always: Lane<undefined> = {
  untilLast: () => 0,
  isFree: () => true,
  untilMore: () => 0,
  take: () => undefined,
};

interface Waiter {
  readonly number: number;
  readonly go: () => void;
}

/** Those of one lane. */
class Queue {
  readonly lane: Lane<unknown>;
  readonly ahead: Waiter[] = [];
  readonly others: Waiter[] = [];

  constructor(lane: Lane<unknown>) {
    this.lane = lane;
  }

  get length(): number {
    return this.ahead.length + this.others.length;
  }

  isBefore(other: Queue): boolean {
    const [one, two] = [this.ahead[0], other.ahead[0]];
    if (one || two) return one !== undefined && (two === undefined || one.number < two.number);
    return (this.others[0]?.number ?? 0) < (other.others[0]?.number ?? 0);
  }

  isNeedierThan(other: Queue): boolean {
    return this.lane.untilLast(this.length) > other.lane.untilLast(other.length);
  }

  letOne(): void {
    (this.ahead.shift() ?? this.others.shift())?.go();
  }
}

/**
 * Requests that wait to be sent. Next is the first of those that have a connection, so that none
 * holds up others while it waits for one. What is new goes where the last that waits would go
 * latest.
 */
export class Line {
  readonly #queues = new Map<Lane<unknown>, Queue>();
  #joined = 0;

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  /** @param ahead before all that did not join ahead */
  join<Place>(lane: Lane<Place>, ahead: boolean): Promise<Place> {
    return new Promise((resolve) => {
      const queue = this.#queues.get(lane) ?? new Queue(lane);
      this.#queues.set(lane, queue);
      this.#joined += 1;
      (ahead ? queue.ahead : queue.others).push({ number: this.#joined, go: () => resolve(lane.take()) });
    });
  }

  /**
   * Lets the next request go.
   * @returns 0, or milliseconds until one may be able to
   */
  letOne(): number {
    let first: Queue | undefined;
    let neediest: Queue | undefined;
    let wait = Number.POSITIVE_INFINITY;
    for (const queue of this.#queues.values()) {
      if (queue.lane.isFree()) {
        if (!first || queue.isBefore(first)) first = queue;
        continue;
      }
      const until = queue.lane.untilMore(queue.length);
      if (until > 0) wait = Math.min(wait, until);
      else if (!neediest || queue.isNeedierThan(neediest)) neediest = queue;
    }
    const next = first && neediest ? (neediest.isBefore(first) ? neediest : first) : (first ?? neediest);
    if (!next) return wait;
    next.letOne();
    if (next.length === 0) this.#queues.delete(next.lane);
    return 0;
  }

  /**
   * Lets all go, whatever there is for them.
   * @returns how many
   */
  letAll(): number {
    let count = 0;
    for (const queue of this.#queues.values()) for (; queue.length > 0; count += 1) queue.letOne();
    this.#queues.clear();
    return count;
  }
}
