import type net from 'node:net';
import { type Dial, type DialledConnection, type Endpoint, endpointOf } from './connect.js';
import { WireFailure } from './failure.js';
import { SocketReader } from './socket-reader.js';

/** A connection and its history. */
export interface Connection extends DialledConnection {
  /** Stands for its opening. */
  readonly opening: object;
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
  readonly #idle = new Map<string, Connection[]>();
  readonly #busyKeyed = new Set<Connection>();
  readonly #kept = new WeakMap<object, Connection>();
  readonly #sockets = new Set<net.Socket>();
  readonly #withoutHttp2 = new Map<string, number>();
  #waiting: (() => void)[] = [];
  #ended = false;
  readonly #mostNew: number;
  /** When connections were opened that were not kept open since. */
  readonly #new = new Map<object, number>();

  /** @param mostNew opened in a second and not kept open, at most; no limit when absent */
  constructor(dial: Dial, mostNew = Number.POSITIVE_INFINITY) {
    this.#dial = dial;
    this.#mostNew = mostNew;
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
      return this.#usable(kept) ? this.#busy(kept) : this.#takeJustKeyed(origin);
    }
    if (wanted !== 'fresh' && useIdle) {
      const idle = this.#idle.get(nameOf({ origin, holder })) ?? [];
      for (let connection = idle.pop(); connection; connection = idle.pop()) {
        if (this.#usable(connection)) return this.#busy(connection);
      }
    }
    const connection = await this.open(endpointOf(origin), ['http/1.1']);
    if (wanted === 'keyed') this.#busy(connection, holder);
    return connection;
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

  /** A new, unpooled connection. */
  async open(place: Endpoint, alpn: readonly string[]): Promise<Connection> {
    const opening = {};
    await this.#turn(opening);
    const dialled = await this.#dial(place, {
      alpn,
      onSocket: (socket) => {
        if (this.#ended) socket.destroy();
        this.#sockets.add(socket);
        socket.once('close', () => this.#sockets.delete(socket));
      },
    });
    const connection: Connection = {
      ...dialled,
      opening,
      reader: new SocketReader(dialled.socket),
      keyed: '',
      opened: false,
      requests: 0,
      idleUntil: 0,
    };
    dialled.socket.once('close', () => {
      for (const idle of this.#idle.values()) removeFrom(idle, connection);
      this.#release(connection);
    });
    return connection;
  }

  /**
   * Returns a connection to the pool, or keeps it for one request.
   * @param keepMs how long the server keeps it open
   */
  put(origin: string, connection: Connection, keepMs: number, keepFor?: object): void {
    const { socket } = connection;
    if (this.#ended || socket.destroyed || !socket.writable) {
      this.drop(connection);
      return;
    }
    connection.idleUntil = performance.now() + keepMs;
    if (this.#new.delete(connection.opening)) this.#wake();
    if (keepFor) this.#kept.set(keepFor, connection);
    else {
      const name = nameOf({ origin, holder: connection.keyed });
      const idle = this.#idle.get(name) ?? [];
      this.#idle.set(name, idle);
      idle.push(connection);
    }
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
    this.#idle.clear();
    this.#wake();
  }

  /** Waits until one more connection may be opened. */
  async #turn(opening: object): Promise<void> {
    for (;;) {
      const now = performance.now();
      for (const [one, at] of this.#new) if (now - at >= secondMs) this.#new.delete(one);
      if (this.#ended || this.#new.size < this.#mostNew) break;
      const [oldest = now] = this.#new.values();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, oldest + secondMs - now + 1);
        this.#waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    this.#new.set(opening, performance.now());
  }

  #usable({ socket, idleUntil }: Connection): boolean {
    if (socket.destroyed || !socket.writable) return false;
    if (performance.now() < idleUntil) return true;
    socket.destroy();
    return false;
  }

  #busy(connection: Connection, keyed = connection.keyed): Connection {
    if (keyed !== '') this.#busyKeyed.add(connection);
    return connection;
  }

  async #takeJustKeyed(origin: string): Promise<Connection> {
    for (;;) {
      const lists = [...this.#idle].flatMap(([name, idle]) => (isKeyedAt(name, origin) ? [idle] : []));
      const all = lists.flat();
      const connection = all.findLast(({ opened }) => opened) ?? all.at(-1);
      if (connection) {
        for (const idle of lists) removeFrom(idle, connection);
        if (this.#usable(connection)) return this.#busy(connection);
        continue;
      }
      if (this.#busyKeyed.size === 0 || this.#ended) {
        throw new WireFailure('no-keyed-connection', 'the server keeps no connection open that has carried the key');
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #release(connection: Connection): void {
    this.#busyKeyed.delete(connection);
    if (this.#waiting.length > 0) this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
