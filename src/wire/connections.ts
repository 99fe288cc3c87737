import type net from 'node:net';
import { type Endpoint, endpointOf, type HostAndPort } from './addresses.js';
import type { Dialler } from './connect.js';
import { EarlierFailure, ProxyFailure, WireFailure } from './failure.js';
import { SocketReader } from './http1.js';
import {
  beginOpening,
  type Connection,
  type ConnectionSlot,
  isUsable,
  markInUse,
  NewLane,
  Opening,
  Openings,
  Pool,
  PoolLane,
} from './pool.js';
import { always, type Lane, Waiting } from './request-queue.js';
import { isTurnedAway } from './silence.js';
import type { Wait } from './types.js';

export type ConnectionKind = 'unkeyed' | 'keyed' | 'fresh' | 'just-keyed';

/** Number of connections without HTTP/2 after which an origin counts as HTTP/1.1 only. */
const maxWithoutHttp2 = 3;

/**
 * Number of attempts to connect that must time out or reach no host, with no connection before, for
 * an endpoint to count as unreachable. The system repeats each of them several times.
 */
const maxFailures = 2;

interface ConnectionLimits {
  /** Maximum number of connections per second that are opened and not kept open. */
  readonly mostNew: number;
  /** Called when a connection may be free, or another one may be opened. */
  readonly onFree: () => void;
}

interface Lanes {
  readonly any: PoolLane;
  readonly fresh: NewLane;
}

const removeFrom = <T>(list: T[], item: T): void => {
  const index = list.indexOf(item);
  if (index >= 0) list.splice(index, 1);
};

/** Whether an attempt to connect found nobody at the endpoint. A proxy's failure says nothing. */
const isUnreached = (error: unknown): error is WireFailure =>
  error instanceof WireFailure &&
  !(error instanceof ProxyFailure) &&
  (error.code === 'connect-timeout' || error.code === 'unreachable');

const isKeyedAt = (name: string, origin: string): boolean => name.startsWith(`${origin} `) && !name.endsWith(' ');

/**
 * Pools idle connections. There is one pool per key and one without a key, so that no state of a
 * connection leaks between requests.
 */
export class Connections {
  readonly #dialler: Dialler;
  readonly #onFree: () => void;
  readonly #openings: Openings;
  readonly #lanes = new Map<string, Lanes>();
  /** For connections that are used for one request only. */
  readonly #single: NewLane;
  readonly #kept = new WeakMap<object, Connection>();
  readonly #sockets = new Set<net.Socket>();
  readonly #withoutHttp2 = new Map<string, number>();
  /** Endpoints that were reached, and the last failure to reach others, which took `ms`. */
  readonly #reached = new Set<string>();
  readonly #failures = new Map<
    string,
    { readonly count: number; readonly failure: WireFailure; readonly ms: number }
  >();
  readonly #waiting = new Waiting();
  #ended = false;

  constructor(dialler: Dialler, { mostNew, onFree }: ConnectionLimits) {
    this.#dialler = dialler;
    this.#onFree = onFree;
    this.#openings = new Openings(mostNew);
    this.#single = new NewLane(new Pool(), this.#openings);
  }

  /**
   * The lane in which a request waits for its connection.
   * @param holder settings of the keys that it carries, `''` without a key
   * @param useIdle false if it needs a new connection
   */
  laneOf(origin: string, holder: string, wanted: ConnectionKind, useIdle: boolean): Lane<ConnectionSlot | undefined> {
    if (wanted === 'just-keyed') return always;
    if (wanted === 'fresh') return this.#single;
    const name = `${origin} ${holder}`;
    const lanes = this.#lanes.get(name) ?? this.#newLanes(name);
    return useIdle ? lanes.any : lanes.fresh;
  }

  #newLanes(name: string): Lanes {
    const pool = new Pool();
    const lanes = { any: new PoolLane(pool, this.#openings), fresh: new NewLane(pool, this.#openings) };
    this.#lanes.set(name, lanes);
    return lanes;
  }

  /**
   * Opens the connection of a slot, unless it is open. An idle connection may have been closed
   * since it was taken, while a key was awaited.
   * @param alpn protocols to offer; for none, the handshake names no host
   * @throws WireFailure
   */
  async connect(
    place: ConnectionSlot,
    endpoint: Endpoint,
    alpn: readonly string[] = ['http/1.1'],
  ): Promise<Connection> {
    if (place instanceof Opening) return this.#open(endpoint, alpn, place);
    if (isUsable(place)) return place;
    this.drop(place);
    return this.#open(endpoint, alpn, beginOpening(place.opening.pool, this.#openings));
  }

  /**
   * Takes a connection that has just carried a key.
   * @param after the connection that was kept for this object, if it is still open
   * @param onlyKept no other one: those of the pools speak HTTP/1.1
   * @throws WireFailure
   */
  async takeJustKeyed(origin: string, after: object | undefined, onlyKept: boolean): Promise<Connection> {
    const kept = after && this.#kept.get(after);
    if (kept) this.#kept.delete(after);
    if (kept && isUsable(kept)) return markInUse(kept);
    for (;;) {
      const pools = [...(onlyKept ? [] : this.#lanes)].flatMap(([name, { any }]) =>
        isKeyedAt(name, origin) ? [any.pool] : [],
      );
      const all = pools.flatMap(({ idle }) => idle);
      const connection = all.findLast(({ opened }) => opened) ?? all.at(-1);
      if (connection) {
        for (const { idle } of pools) removeFrom(idle, connection);
        if (isUsable(connection)) return markInUse(connection);
        continue;
      }
      if (pools.every(({ busy }) => busy.size === 0) || this.#ended) {
        throw new WireFailure('no-keyed-connection', 'the server keeps no connection open that has carried the key');
      }
      await this.#waiting.wait();
    }
  }

  /**
   * Opens a connection whose ALPN chose h2, or one without TLS, by prior knowledge (RFC 9113,
   * section 3.3).
   * @throws WireFailure
   */
  async openHttp2(origin: string, opening: Opening): Promise<Connection> {
    if ((this.#withoutHttp2.get(origin) ?? 0) >= maxWithoutHttp2) {
      this.giveBack(opening);
      throw new WireFailure('no-h2', 'the server did not speak HTTP/2 before');
    }
    // Offers HTTP/1.1 too, as browsers do: a server may abort a handshake that offers only h2.
    const connection = await this.#open(endpointOf(origin), ['h2', 'http/1.1'], opening);
    const { tls, forward } = connection;
    if (tls ? tls.alpn === 'h2' : !forward) return connection;
    this.drop(connection);
    throw new WireFailure(
      'no-h2',
      tls ? 'the server does not choose h2 by ALPN' : 'the proxy forwards HTTP/1.1 alone',
      tls,
    );
  }

  /** Notes that an origin did not speak HTTP/2. */
  noteWithoutHttp2(origin: string): void {
    this.#withoutHttp2.set(origin, (this.#withoutHttp2.get(origin) ?? 0) + 1);
  }

  async #open(endpoint: Endpoint, alpn: readonly string[], opening: Opening): Promise<Connection> {
    const start = performance.now();
    const name = [endpoint.host, endpoint.port, endpoint.family].join(' ');
    const before = this.#failures.get(name);
    if (before && before.count >= maxFailures) {
      this.giveBack(opening);
      throw new EarlierFailure(before.failure, before.ms);
    }
    const onSocket = (socket: net.Socket): void => {
      if (this.#ended) socket.destroy();
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    };
    const dialled = await this.#dialler.dial(endpoint, { alpn, onSocket }).catch((error: unknown) => {
      // A server may limit how many connections a client has.
      if (error instanceof WireFailure && isTurnedAway(error.code)) this.#closeIdle(endpoint);
      this.#release(opening);
      // Simultaneous attempts count once.
      const isOneMore = !this.#reached.has(name) && this.#failures.get(name) === before;
      if (isOneMore && isUnreached(error))
        this.#failures.set(name, {
          count: (before?.count ?? 0) + 1,
          failure: error,
          ms: Math.round(performance.now() - start),
        });
      throw error;
    });
    this.#reached.add(name);
    this.#failures.delete(name);
    this.#openings.openingTime.add(performance.now() - start);
    const connection: Connection = {
      ...dialled,
      opening,
      reader: new SocketReader(dialled.socket),
      keyed: '',
      opened: false,
      requests: 0,
      idleUntil: 0,
      takenAt: performance.now(),
    };
    dialled.socket.once('close', () => {
      removeFrom(opening.pool.idle, connection);
      this.#release(opening);
    });
    return connection;
  }

  /**
   * Returns a connection to its pool, or keeps it for one request.
   * @param keepMs how long the server keeps it open, in milliseconds
   * @param keepFor object by which `takeJustKeyed` finds it
   */
  put(connection: Connection, keepMs: number, keepFor?: object): void {
    const { socket, opening } = connection;
    if (this.#ended || socket.destroyed || !socket.writable) {
      this.drop(connection);
      return;
    }
    const now = performance.now();
    connection.idleUntil = now + keepMs;
    this.#openings.requestTime.add(now - connection.takenAt);
    this.#openings.kept(opening);
    if (keepFor) this.#kept.set(keepFor, connection);
    else opening.pool.idle.push(connection);
    this.#release(opening);
  }

  drop({ socket, http2, opening }: Connection): void {
    http2?.destroy();
    socket.destroy();
    this.#release(opening);
  }

  /** Returns a slot on which nothing was sent. */
  giveBack(place: ConnectionSlot): void {
    if (place instanceof Opening) this.#openings.forget(place);
    else place.opening.pool.idle.push(place);
    this.#release(place instanceof Opening ? place : place.opening);
  }

  #closeIdle({ host, port }: HostAndPort): void {
    for (const [name, { any }] of this.#lanes) {
      const [origin = ''] = name.split(' ');
      const to = endpointOf(origin);
      if (to.host === host && to.port === port) for (const connection of any.pool.idle.splice(0)) this.drop(connection);
    }
  }

  /** What holds up requests that need a new connection. */
  get wait(): Wait | undefined {
    return this.#openings.wait;
  }

  /** Closes every connection, including those that are being opened. */
  end(): void {
    this.#ended = true;
    for (const socket of this.#sockets) socket.destroy();
    this.#lanes.clear();
    this.#waiting.wakeAll();
  }

  #release(opening: Opening): void {
    opening.pool.busy.delete(opening);
    this.#waiting.wakeAll();
    this.#onFree();
  }
}
