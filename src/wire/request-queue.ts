/** A source of connections for requests that need the same kind. */
export interface Lane<Place> {
  /** Estimated milliseconds until the last of `waiting` requests is sent. */
  untilLast(waiting: number): number;
  isFree(): boolean;
  /** Milliseconds until another connection may be opened for `waiting` requests. */
  untilMore(waiting: number): number;
  /** Takes a free connection, or else opens one. */
  take(): Place;
}

/** For requests that need no connection from a lane. */
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

/** The waiting requests of one lane. */
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

  sendNext(): void {
    (this.ahead.shift() ?? this.others.shift())?.go();
  }
}

/**
 * Requests that wait to be sent. The next one is the first whose lane has a free connection, so
 * that no request holds up others while it waits for one. New connections go to the lane whose last
 * request would be sent latest.
 */
export class RequestQueue {
  readonly #queues = new Map<Lane<unknown>, Queue>();
  #joined = 0;

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  /**
   * @param ahead before all requests that did not join ahead
   * @param first before all requests
   */
  join<Place>(lane: Lane<Place>, ahead: boolean, first = false): Promise<Place> {
    return new Promise((resolve) => {
      const queue = this.#queues.get(lane) ?? new Queue(lane);
      this.#queues.set(lane, queue);
      this.#joined += 1;
      const go = (): void => resolve(lane.take());
      if (first) queue.ahead.unshift({ number: -this.#joined, go });
      else (ahead ? queue.ahead : queue.others).push({ number: this.#joined, go });
    });
  }

  /**
   * Sends the next request.
   * @returns 0, or the milliseconds until one may be sent
   */
  sendNext(): number {
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
    next.sendNext();
    if (next.length === 0) this.#queues.delete(next.lane);
    return 0;
  }

  /**
   * Sends all requests, whether or not a connection is free.
   * @returns their number
   */
  sendAll(): number {
    let count = 0;
    for (const queue of this.#queues.values()) for (; queue.length > 0; count += 1) queue.sendNext();
    this.#queues.clear();
    return count;
  }
}

/** A list of callers that wait to be woken. */
export class Waiting {
  readonly #wakers = new Set<() => void>();

  /**
   * Resolves when `wakeAll` is called, or after a time.
   * @param longest maximum time in milliseconds; unlimited when absent
   */
  wait(longest?: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#wakers.delete(wake);
        resolve();
      };
      const timer = longest === undefined ? undefined : setTimeout(wake, longest);
      this.#wakers.add(wake);
    });
  }

  wakeAll(): void {
    for (const wake of [...this.#wakers]) wake();
  }
}
