import type { DialledConnection } from './connect.js';
import type { Lane } from './line.js';
import type { Openings } from './openings.js';
import type { SocketReader } from './socket-reader.js';

/** A connection and its history. */
export interface Connection extends DialledConnection {
  /** Stands for its opening. */
  readonly opening: Opening;
  readonly reader: SocketReader;
  /**
   * Settings of the whole keys that it has carried, `''` for none. No request with other keys or
   * without any uses it any more, except on purpose.
   */
  keyed: string;
  /** Its last response was a 2xx to a request with the key. */
  opened: boolean;
  /** Number of requests sent. */
  requests: number;
  /** `performance.now()` in milliseconds, after which the server may close it. */
  idleUntil: number;
  /** `performance.now()` in milliseconds, when it was last taken. */
  takenAt: number;
}

/** Connections that carry the same keys, or none, to one origin. */
export class Pool {
  readonly idle: Connection[] = [];
  /** The openings of those that are in use, or will be when they are open. */
  readonly busy = new Set<object>();

  get size(): number {
    return this.idle.length + this.busy.size;
  }
}

/** The right to open a connection of a pool. It stands for the opening from then on. */
export class Opening {
  readonly pool: Pool;

  constructor(pool: Pool) {
    this.pool = pool;
  }
}

/** What a request needs to go on. */
export type ConnectionSlot = Connection | Opening;

/** Whether it can be used; closed where the server may have closed it. */
export const isUsable = ({ socket, idleUntil }: Connection): boolean => {
  if (socket.destroyed || !socket.writable) return false;
  if (performance.now() < idleUntil) return true;
  socket.destroy();
  return false;
};

/** Marks a connection as in use. */
export const lent = (connection: Connection): Connection => {
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

/** Requests that need a new connection of a pool. */
export class NewLane implements Lane<ConnectionSlot> {
  readonly pool: Pool;
  protected readonly openings: Openings;

  constructor(pool: Pool, openings: Openings) {
    this.pool = pool;
    this.openings = openings;
  }

  /** Each uses up one of those that may be opened in a second. */
  untilLast(waiting: number): number {
    return this.openings.untilLast(waiting);
  }

  /** Where any number may be opened, nobody waits for one. */
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

/** Requests that take any connection of a pool. */
export class PoolLane extends NewLane {
  /** `performance.now()` in milliseconds, when one that is in use was first waited for. */
  #patientSince: number | undefined;

  override isFree(): boolean {
    return super.isFree() || this.#hasIdle();
  }

  /**
   * One that is in use is waited for where all that wait are likely to be done before a new one is
   * open. A server that answers at once needs few.
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
   * They go over the connections that there are and one more, one after the other. Before anything
   * was answered, lanes are only compared with each other.
   */
  override untilLast(waiting: number): number {
    return (waiting * (this.openings.requestTime.mean ?? 1)) / (this.pool.size + 1);
  }

  override take(): ConnectionSlot {
    this.#patientSince = undefined;
    const connection = this.#hasIdle() ? this.pool.idle.pop() : undefined;
    return connection ? lent(connection) : super.take();
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
