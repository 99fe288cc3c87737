import type net from 'node:net';
import { type Dial, type DialledConnection, type Endpoint, endpointOf } from './connect.js';
import { WireFailure } from './failure.js';
import { SocketReader } from './socket-reader.js';
import { Waiting } from './waiting.js';

/** A connection and its history. */
export interface Connection extends DialledConnection {
  /** Stands for its opening. */
  readonly opening: object;
  /** The connections to which it returns after its use. */
  readonly pool: Pool | undefined;
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

/** What tells one request from another: the target's origin, and settings of keys. */
export interface Carrying {
  readonly origin: string;
  /** `''` without a key. */
  readonly holder: string;
}

/** Which connection a request needs. */
export type ConnectionKind = 'unkeyed' | 'keyed' | 'fresh' | 'just-keyed';

/** New connections in a second, beyond those that the server keeps open. */
export const mostNewConnections = 8;

const secondMs = 1_000;

/** Handshakes without h2 after which an origin is taken to speak HTTP/1.1 only. */
const maxWithoutHttp2 = 3;

/** Connections that carry the same keys, or none, to one origin. */
interface Pool {
  readonly idle: Connection[];
  /** The openings of those that are in use, or will be when they are open. */
  readonly busy: Set<object>;
  /** Requests that wait for one of them. */
  waiting: number;
}

export interface ConnectionLimits {
  /** Opened in a second and not kept open, at most. */
  readonly mostNew: number;
  /** Called when a request waits to open a connection, and before it goes on. */
  readonly onWait: () => void;
  readonly onGoOn: () => Promise<void>;
}

/** How long something took lately, in milliseconds. */
class Duration {
  #mean: number | undefined;

  /** `undefined` before anything was seen. */
  get mean(): number | undefined {
    return this.#mean;
  }

  add(seen: number): void {
    this.#mean = this.#mean === undefined ? seen : this.#mean + (seen - this.#mean) / 8;
  }
}

const removeFrom = <T>(list: T[], item: T): void => {
  const index = list.indexOf(item);
  if (index >= 0) list.splice(index, 1);
};

const nameOf = ({ origin, holder }: Carrying): string => `${origin} ${holder}`;

const isKeyedAt = (name: string, origin: string): boolean => name.startsWith(`${origin} `) && !name.endsWith(' ');

/**
 * Pools idle connections. Those that have carried a key are kept apart from the others, and those
 * of one key from those of another, so that no state of a connection leaks from request to request.
 */
export class Connections {
  readonly #dial: Dial;
  readonly #pools = new Map<string, Pool>();
  readonly #kept = new WeakMap<object, Connection>();
  readonly #sockets = new Set<net.Socket>();
  readonly #withoutHttp2 = new Map<string, number>();
  readonly #waiting = new Waiting();
  readonly #waitingToOpen = new Waiting();
  #ended = false;
  readonly #limits: ConnectionLimits;
  /** When connections were opened that were not kept open since. */
  readonly #new = new Map<object, number>();
  readonly #opening = new Duration();
  readonly #use = new Duration();

  constructor(dial: Dial, limits: ConnectionLimits) {
    this.#dial = dial;
    this.#limits = limits;
  }

  /**
   * @param after takes the connection that was kept for this object, if it is still open
   * @throws WireFailure
   */
  async take(
    { origin, holder }: Carrying,
    wanted: ConnectionKind,
    useIdle = true,
    after?: object,
  ): Promise<Connection> {
    if (wanted === 'just-keyed') {
      const kept = after && this.#kept.get(after);
      if (!kept) return this.#takeJustKeyed(origin);
      this.#kept.delete(after);
      return this.#usable(kept) ? this.#lent(kept) : this.#takeJustKeyed(origin);
    }
    if (wanted === 'fresh') return this.open(endpointOf(origin), ['http/1.1']);
    const pool = this.#poolOf(nameOf({ origin, holder }));
    const since = performance.now();
    for (;;) {
      const idle = useIdle ? this.#takeIdle(pool) : undefined;
      if (idle) return idle;
      const patience = useIdle ? this.#patience(pool) - (performance.now() - since) : 0;
      if (patience <= 0 && this.#mayOpen()) return this.open(endpointOf(origin), ['http/1.1'], pool);
      pool.waiting += 1;
      await (pool.busy.size > 0 ? this.#turn(patience) : this.#turnToOpen());
      pool.waiting -= 1;
    }
  }

  #poolOf(name: string): Pool {
    const pool = this.#pools.get(name) ?? { idle: [], busy: new Set(), waiting: 0 };
    this.#pools.set(name, pool);
    return pool;
  }

  #takeIdle({ idle }: Pool): Connection | undefined {
    for (let connection = idle.pop(); connection; connection = idle.pop()) {
      if (this.#usable(connection)) return this.#lent(connection);
    }
    return undefined;
  }

  /**
   * Milliseconds to wait for a connection that is in use, where one is likely to be free before a
   * new one is open. A server that answers at once needs few.
   */
  #patience({ busy, waiting }: Pool): number {
    const [use, opening] = [this.#use.mean, this.#opening.mean];
    if (use === undefined || opening === undefined || this.#limits.mostNew === Number.POSITIVE_INFINITY) return 0;
    return use * (waiting + 1) < opening * busy.size ? opening : 0;
  }

  /**
   * A new connection whose ALPN chose h2.
   * @throws WireFailure
   */
  async openHttp2(origin: string): Promise<Connection> {
    const refusals = this.#withoutHttp2.get(origin) ?? 0;
    if (refusals >= maxWithoutHttp2) throw new WireFailure('no-h2', 'the server has not chosen h2 by ALPN before');
    // Like a browser: a server may abort a handshake that offers h2 alone.
    const connection = await this.open(endpointOf(origin), ['h2', 'http/1.1']);
    if (connection.tls?.alpn === 'h2') return connection;
    this.drop(connection);
    this.#withoutHttp2.set(origin, refusals + 1);
    throw new WireFailure('no-h2', 'the server does not choose h2 by ALPN', connection.tls);
  }

  /** A new connection, of no pool where none is given. */
  async open(place: Endpoint, alpn: readonly string[], pool?: Pool): Promise<Connection> {
    while (!this.#mayOpen()) await this.#turnToOpen();
    const opening = {};
    const start = performance.now();
    this.#new.set(opening, start);
    pool?.busy.add(opening);
    const dialled = await this.#dial(place, {
      alpn,
      onSocket: (socket) => {
        if (this.#ended) socket.destroy();
        this.#sockets.add(socket);
        socket.once('close', () => this.#sockets.delete(socket));
      },
    }).catch((error: unknown) => {
      pool?.busy.delete(opening);
      throw error;
    });
    this.#opening.add(performance.now() - start);
    const connection: Connection = {
      ...dialled,
      opening,
      pool,
      reader: new SocketReader(dialled.socket),
      keyed: '',
      opened: false,
      requests: 0,
      idleUntil: 0,
      takenAt: performance.now(),
    };
    dialled.socket.once('close', () => {
      if (connection.pool) removeFrom(connection.pool.idle, connection);
      this.#release(connection);
    });
    return connection;
  }

  /**
   * Returns a connection to the pool, or keeps it for one request.
   * @param keepMs how long the server keeps it open
   */
  put(connection: Connection, keepMs: number, keepFor?: object): void {
    const { socket } = connection;
    if (this.#ended || socket.destroyed || !socket.writable) {
      this.drop(connection);
      return;
    }
    connection.idleUntil = performance.now() + keepMs;
    if (this.#new.delete(connection.opening)) this.#waitingToOpen.wakeAll();
    this.#use.add(performance.now() - connection.takenAt);
    if (keepFor) this.#kept.set(keepFor, connection);
    else connection.pool?.idle.push(connection);
    this.#release(connection);
  }

  drop(connection: Connection): void {
    connection.socket.destroy();
    this.#release(connection);
  }

  /** Closes every connection, open or opening. */
  end(): void {
    this.#ended = true;
    for (const socket of this.#sockets) socket.destroy();
    this.#pools.clear();
    this.#waiting.wakeAll();
    this.#waitingToOpen.wakeAll();
  }

  #mayOpen(): boolean {
    const now = performance.now();
    for (const [one, at] of this.#new) if (now - at >= secondMs) this.#new.delete(one);
    return this.#ended || this.#new.size < this.#limits.mostNew;
  }

  /** Waits until a connection is free, or one more may be opened, or for so long. */
  #turn(patience: number): Promise<void> {
    return this.#waiting.wait(patience > 0 ? patience : this.#untilNew());
  }

  /** The same where no connection is in use that could be waited for: that may take a second. */
  async #turnToOpen(): Promise<void> {
    this.#limits.onWait();
    await this.#waitingToOpen.wait(this.#untilNew());
    await this.#limits.onGoOn();
  }

  /** Milliseconds until one more connection may be opened, whatever is kept open until then. */
  #untilNew(): number {
    const now = performance.now();
    const [oldest = now] = this.#new.values();
    return oldest + secondMs - now + 1;
  }

  #usable({ socket, idleUntil }: Connection): boolean {
    if (socket.destroyed || !socket.writable) return false;
    if (performance.now() < idleUntil) return true;
    socket.destroy();
    return false;
  }

  #lent(connection: Connection): Connection {
    connection.takenAt = performance.now();
    connection.pool?.busy.add(connection.opening);
    return connection;
  }

  async #takeJustKeyed(origin: string): Promise<Connection> {
    for (;;) {
      const keyed = [...this.#pools].flatMap(([name, pool]) => (isKeyedAt(name, origin) ? [pool] : []));
      const all = keyed.flatMap(({ idle }) => idle);
      const connection = all.findLast(({ opened }) => opened) ?? all.at(-1);
      if (connection) {
        for (const { idle } of keyed) removeFrom(idle, connection);
        if (this.#usable(connection)) return this.#lent(connection);
        continue;
      }
      if (keyed.every(({ busy }) => busy.size === 0) || this.#ended) {
        throw new WireFailure('no-keyed-connection', 'the server keeps no connection open that has carried the key');
      }
      await this.#waiting.wait();
    }
  }

  #release(connection: Connection): void {
    connection.pool?.busy.delete(connection.opening);
    this.#waiting.wakeAll();
  }
}
