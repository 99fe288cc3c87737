import type { ClientHttp2Session } from 'node:http2';
import type { DialledConnection } from './connect.js';
import type { SocketReader } from './http1.js';
import type { Lane } from './request-queue.js';
import type { Wait } from './types.js';

/** Maximum number of new connections per second, beyond those that the server keeps open. */
export const mostNewConnections = 16;

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

/** An open connection and its history. */
export interface Connection extends DialledConnection {
  /** The opening that led to it, which represents it in the pool. */
  readonly opening: Opening;
  readonly reader: SocketReader;
  /** The session, if HTTP/2 is spoken on it. */
  http2?: ClientHttp2Session;
  /**
   * Settings of the whole keys that it has carried, `''` for none. Requests with other keys or
   * without a key do not use it any more, except on purpose.
   */
  keyed: string;
  /** Its last response was a 2xx to a request with the key. */
  opened: boolean;
  requests: number;
  /** Time after which the server may close it, in milliseconds of `performance.now()`. */
  idleUntil: number;
  /** Time at which it was last taken, in milliseconds of `performance.now()`. */
  takenAt: number;
}

/** Connections to one origin that carry the same keys, or none. */
export class Pool {
  readonly idle: Connection[] = [];
  /** Openings of connections that are in use or being opened. */
  readonly busy = new Set<object>();

  get size(): number {
    return this.idle.length + this.busy.size;
  }
}

/** Permission to open a connection of a pool. Represents the connection in the pool afterwards. */
export class Opening {
  readonly pool: Pool;

  constructor(pool: Pool) {
    this.pool = pool;
  }
}

/** What a request gets from its lane: an idle connection, or permission to open one. */
export type ConnectionSlot = Connection | Opening;

/** Whether a connection can be used. Closes it if the server may have closed it. */
export const isUsable = ({ socket, idleUntil }: Connection): boolean => {
  if (socket.destroyed || !socket.writable) return false;
  if (performance.now() < idleUntil) return true;
  socket.destroy();
  return false;
};

export const markInUse = (connection: Connection): Connection => {
  connection.takenAt = performance.now();
  connection.opening.pool.busy.add(connection.opening);
  return connection;
};

export const beginOpening = (pool: Pool, openings: Openings): Opening => {
  const opening = new Opening(pool);
  pool.busy.add(opening);
  openings.begin(opening);
  return opening;
};

/** The lane of requests that need a new connection of a pool. */
export class NewLane implements Lane<ConnectionSlot> {
  readonly pool: Pool;
  protected readonly openings: Openings;

  constructor(pool: Pool, openings: Openings) {
    this.pool = pool;
    this.openings = openings;
  }

  /** Each of them uses up one of the openings per second. */
  untilLast(waiting: number): number {
    return this.openings.untilLast(waiting);
  }

  /** Without a limit on openings, nothing has to be waited for. */
  isFree(): boolean {
    return !this.openings.isLimited;
  }

  untilMore(_waiting: number): number {
    return this.openings.untilOne;
  }

  take(): ConnectionSlot {
    return beginOpening(this.pool, this.openings);
  }
}

/** The lane of requests that can use any connection of a pool. */
export class PoolLane extends NewLane {
  /** Time since when a connection in use is awaited, in milliseconds of `performance.now()`. */
  #patientSince: number | undefined;

  override isFree(): boolean {
    return super.isFree() || this.#hasIdle();
  }

  /**
   * Waits for a connection in use if all waiting requests are likely to be answered before a new
   * one is open. A fast server therefore needs few connections.
   */
  override untilMore(waiting: number): number {
    const until = super.untilMore(waiting);
    const [use, opening] = [this.openings.requestTime.least, this.openings.openingTime.mean];
    if (until > 0 || use === undefined || opening === undefined) return until;
    if (use * waiting >= opening * this.pool.busy.size) return 0;
    const now = performance.now();
    this.#patientSince ??= now;
    return Math.max(0, this.#patientSince + opening - now);
  }

  /**
   * Assumes that the waiting requests are spread over the connections of the pool and one more.
   * Before the first answer, the value only serves to compare lanes.
   */
  override untilLast(waiting: number): number {
    return (waiting * (this.openings.requestTime.mean ?? 1)) / (this.pool.size + 1);
  }

  override take(): ConnectionSlot {
    this.#patientSince = undefined;
    const connection = this.#hasIdle() ? this.pool.idle.pop() : undefined;
    return connection ? markInUse(connection) : super.take();
  }

  #hasIdle(): boolean {
    const { idle } = this.pool;
    for (let last = idle.at(-1); last; last = idle.at(-1)) {
      if (isUsable(last)) return true;
      idle.pop();
    }
    return false;
  }
}
