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
  readonly ahead: Waiter[] = [];
  readonly others: Waiter[] = [];

  get length(): number {
    return this.ahead.length + this.others.length;
  }

  isBefore(other: Queue): boolean {
    const [one, two] = [this.ahead[0], other.ahead[0]];
    if (one || two) return one !== undefined && (two === undefined || one.number < two.number);
    return (this.others[0]?.number ?? 0) < (other.others[0]?.number ?? 0);
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
      const queue = this.#queues.get(lane) ?? new Queue();
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
    let first: [Lane<unknown>, Queue] | undefined;
    let neediest: [Lane<unknown>, Queue] | undefined;
    let wait = Number.POSITIVE_INFINITY;
    for (const [lane, queue] of this.#queues) {
      if (lane.isFree()) {
        if (!first || queue.isBefore(first[1])) first = [lane, queue];
        continue;
      }
      const until = lane.untilMore(queue.length);
      if (until > 0) wait = Math.min(wait, until);
      else if (!neediest || isNeedier([lane, queue], neediest)) neediest = [lane, queue];
    }
    const next = first && neediest ? (neediest[1].isBefore(first[1]) ? neediest : first) : (first ?? neediest);
    if (!next) return wait;
    const [lane, queue] = next;
    queue.letOne();
    if (queue.length === 0) this.#queues.delete(lane);
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

const isNeedier = ([one, ofOne]: [Lane<unknown>, Queue], [two, ofTwo]: [Lane<unknown>, Queue]): boolean =>
  one.untilLast(ofOne.length) > two.untilLast(ofTwo.length);
