import { memoize, memoizePerObject } from '../collections.js';
import { endpointOf } from './addresses.js';
import type { AnswerReader, Inspect } from './answer-reader.js';
import type { Salt } from './body-shape.js';
import type { DialOptions } from './connect.js';
import type { ConnectionKind, Connections } from './connections.js';
import type { CookieJar } from './cookies.js';
import { EarlierFailure, ProxyFailure, WireFailure } from './failure.js';
import { fieldOf, redactTls } from './header-fields.js';
import { type Limits, type RawAnswer, type RequestHead, sendHttp1 } from './http1.js';
import { http2SessionOn, sendHttp2 } from './http2.js';
import type { KeyRing } from './keyring.js';
import { type Connection, type ConnectionSlot, Opening } from './pool.js';
import type { CarriedCredentials } from './probe-safety.js';
import type { ReadValues } from './read-values.js';
import type { TriedAttempt } from './retry.js';
import type { Attempt, Exchange, HeaderPair, Probe, SeriesPosition, Timing, TlsFacts } from './types.js';

/** Milliseconds to keep an idle connection if the server states no timeout. */
const keepIdleMs = 15_000;
/** Milliseconds to wait after a HEAD: some servers send content, which ends the connection. */
const headQuietMs = 100;

const roundedMs = (milliseconds: number): number => Math.round(milliseconds * 100) / 100;

/** Milliseconds to keep an idle connection: a little less than the server's timeout. */
const keepAliveMs = memoizePerObject((rawHeaders: RawAnswer['rawHeaders']): number => {
  const [, seconds] = /\btimeout=(\d+)/i.exec(fieldOf(rawHeaders, 'keep-alive') ?? '') ?? [];
  return seconds === undefined ? keepIdleMs : Math.max(0, Number(seconds) * 1000 - 500);
});

export const connectionKindFor = (probe: Probe, carried: CarriedCredentials): ConnectionKind => {
  // Requests with cookies use their own connection.
  if (probe.connection === 'fresh' || probe.family !== undefined || carried.cookies) return 'fresh';
  if (probe.connection === 'keyed') return 'just-keyed';
  if (probe.protocol !== 'http/1.1') return 'fresh';
  return carried.key ? 'keyed' : 'unkeyed';
};

/**
 * The failure on the wire, if the error is one. A request that meets a defect must not be taken for
 * one that the server has reset.
 * @throws the error, without secrets that its texts may quote
 */
const wireFailureIn = (error: unknown, keys: Pick<KeyRing, 'redact'>): WireFailure => {
  if (error instanceof WireFailure) return error;
  if (error instanceof Error) {
    error.message = keys.redact(error.message);
    if (error.stack !== undefined) error.stack = keys.redact(error.stack);
  }
  throw error;
};

/** Whether a request carries no whole key, which an answer might repeat. */
const carriesNoKey = ({ key, cookies }: CarriedCredentials): boolean => !key && !cookies;

/** Whether a request carries nothing made of a key. */
export const isKeyless = ({ madeOfKey, cookies }: CarriedCredentials): boolean => !madeOfKey && !cookies;

/** A probe, prepared for all its attempts. */
export interface Task {
  readonly probe: Probe;
  readonly carried: CarriedCredentials;
  readonly fields: readonly HeaderPair[];
  readonly head: RequestHead;
  readonly place: SeriesPosition;
}

/** State and functions that all attempts of a client share. */
interface AttemptParts {
  readonly options: WireOptions;
  readonly limits: Limits;
  readonly connections: Connections;
  readonly cookies: CookieJar;
  readonly readAnswer: AnswerReader['read'];
  readonly isEnded: () => boolean;
  /** Called when a request was written. */
  readonly onRequest: () => void;
}

/** An attempt, and what is known of it so far. */
interface UnderWay {
  readonly task: Task;
  readonly start: number;
  sentAt?: number;
  connection?: Connection;
  reused: boolean;
  /** The part of an answer that broke off. */
  broken?: RawAnswer;
}

/** An attempt as the client goes on with it. */
export interface AttemptResult {
  readonly tried: TriedAttempt;
  readonly connection: Exchange['connection'];
}

// Written out for speed: every request passes here, and spreading is slow.
const connectionOf = ({ task, connection, reused }: UnderWay): Exchange['connection'] => {
  const { protocol } = task.probe;
  const { address, proxy } = connection ?? {};
  if (address === undefined) return proxy ? { reused, proxy, protocol } : { reused, protocol };
  return proxy ? { reused, address, proxy, protocol } : { reused, address, protocol };
};

const sincePrevious = ({ task: { place }, sentAt }: UnderWay): Pick<Timing, 'sinceBefore'> =>
  place.since === undefined ? {} : { sinceBefore: roundedMs((sentAt ?? performance.now()) - place.since) };

/** The head of a request as its connection needs it: a proxy that forwards is told the origin. */
const headFor = ({ forward }: Connection, { probe, head }: Task): RequestHead =>
  forward
    ? {
        ...head,
        target: head.target.startsWith('/') ? probe.origin + head.target : head.target,
        headers: forward.authorization
          ? [...head.headers, ['Proxy-Authorization', forward.authorization]]
          : head.headers,
      }
    : head;

/**
 * Notes whether a connection has opened something with the key.
 * @returns the object that it is kept for
 */
const markOpened = (connection: Connection, { carried, place }: Task, { status }: RawAnswer): object | undefined => {
  connection.opened = carried.key && status >= 200 && status < 300;
  return connection.opened ? place.keepFor : undefined;
};

/** Sends prepared requests, each once, over the kind of connection that it needs. */
export class Attempter {
  readonly #parts: AttemptParts;
  /** Memoized, so that each certificate chain is one object. */
  readonly #tlsOf = memoize((facts: TlsFacts) => redactTls(facts, this.#parts.options.keys));

  constructor(parts: AttemptParts) {
    this.#parts = parts;
  }

  /**
   * Failures on the wire are part of the result. Rejects only for a defect of this program or of a
   * rule.
   */
  async attempt(task: Task, taken: ConnectionSlot | undefined): Promise<AttemptResult> {
    const underWay: UnderWay = { task, start: performance.now(), reused: false };
    try {
      if (this.#parts.isEnded()) throw new WireFailure('aborted', 'the run was stopped');
      const connection = await this.#connect(task, taken);
      underWay.connection = connection;
      underWay.reused = connection.requests > 0;
      connection.requests += 1;
      connection.keyed ||= task.carried.holder;
      return await this.#answered(underWay, connection, await this.#exchangeOver(connection, underWay));
    } catch (error) {
      return this.#unanswered(underWay, error);
    }
  }

  #connect({ probe, place }: Task, taken: ConnectionSlot | undefined): Promise<Connection> {
    const { connections } = this.#parts;
    const { family, origin } = probe;
    if (taken === undefined) return connections.takeJustKeyed(origin, place.after, probe.protocol === 'h2');
    if (probe.protocol === 'h2' && taken instanceof Opening) return connections.openHttp2(origin, taken);
    const endpoint = endpointOf(origin);
    return connections.connect(
      taken,
      family === undefined ? endpoint : { ...endpoint, family },
      probe.protocol === 'http/1.0' ? [] : undefined,
    );
  }

  #exchangeOver(connection: Connection, underWay: UnderWay): Promise<RawAnswer> {
    const { task } = underWay;
    const { connections, limits, onRequest } = this.#parts;
    const { probe } = task;
    const onSent = (): void => {
      onRequest();
      underWay.sentAt = performance.now();
    };
    const onBroken = (part: RawAnswer): void => {
      underWay.broken = part;
    };
    if (probe.protocol === 'h2') {
      connection.http2 ??= http2SessionOn(connection.socket, probe.origin);
      return sendHttp2(connection.http2, probe.origin, task.head, limits, { onSent, onBroken }).then((answer) => {
        const keepFor = markOpened(connection, task, answer);
        if (keepFor && !answer.truncated) connections.put(connection, keepIdleMs, keepFor);
        else connections.drop(connection);
        return answer;
      });
    }
    const onFree = (answer: RawAnswer): void => {
      const keepFor = markOpened(connection, task, answer);
      const putBack = (): void => connections.put(connection, keepAliveMs(answer.rawHeaders), keepFor);
      if (connectionKindFor(probe, task.carried) === 'fresh') connections.drop(connection);
      else if (probe.method === 'HEAD') setTimeout(putBack, headQuietMs).unref();
      else putBack();
    };
    return sendHttp1(connection.reader, headFor(connection, task), limits, { onSent, onFree, onBroken });
  }

  async #answered(underWay: UnderWay, { tls, timing }: Connection, answer: RawAnswer): Promise<AttemptResult> {
    const { options, cookies, limits, readAnswer } = this.#parts;
    const { inspect, values } = options;
    const { probe, carried, head, place } = underWay.task;
    cookies.hide(answer.rawHeaders);
    if (probe.origin === options.origin && !carried.cookies && !this.#isOthers(carried))
      cookies.store(answer.rawHeaders, carried.key);
    const seen = await readAnswer(
      answer,
      head.target,
      carriesNoKey(carried),
      inspect && ((whole) => inspect(probe, whole)),
    );
    const response = values?.mask(seen, probe) ?? seen;
    const then = { firstByte: roundedMs(answer.firstByte), total: roundedMs(performance.now() - underWay.start) };
    limits.patience.noteAnswered(then.total);
    const alone = underWay.reused ? then : { ...timing, ...then };
    const took = place.since === undefined ? alone : { ...alone, ...sincePrevious(underWay) };
    const done: Attempt = tls ? { response, tls: this.#tlsOf(tls), timing: took } : { response, timing: took };
    return { tried: { attempt: done, stale: false }, connection: connectionOf(underWay) };
  }

  async #unanswered(underWay: UnderWay, error: unknown): Promise<AttemptResult> {
    const { options, connections, cookies, readAnswer } = this.#parts;
    const { task, connection, reused, broken } = underWay;
    const { probe, carried, head } = task;
    if (connection) connections.drop(connection);
    const done = this.#failed(error, connection?.tls, {
      ...(reused ? {} : connection?.timing),
      total: roundedMs(performance.now() - underWay.start),
      ...sincePrevious(underWay),
    });
    if (done.error?.code === 'no-h2') connections.noteWithoutHttp2(probe.origin);
    const stale = reused && !broken && (done.error?.code === 'reset' || done.error?.code === 'not-http');
    if (broken) cookies.hide(broken.rawHeaders);
    const cut = broken && (await readAnswer(broken, head.target, carriesNoKey(carried)));
    const part = cut && (options.values?.mask(cut, probe) ?? cut);
    return { tried: { attempt: part ? { ...done, partial: part } : done, stale }, connection: connectionOf(underWay) };
  }

  #failed(error: unknown, facts: TlsFacts | undefined, timing: Timing): Attempt {
    const { options, isEnded } = this.#parts;
    const { keys } = options;
    const failure = isEnded() ? new WireFailure('aborted', 'the run was stopped') : wireFailureIn(error, keys);
    const tls = failure.tls ?? facts;
    return {
      error: {
        code: failure.code,
        message: keys.redact(failure.message),
        ...(failure instanceof ProxyFailure ? { atProxy: true } : {}),
        ...(failure instanceof EarlierFailure ? { earlierMs: failure.earlierMs } : {}),
        ...(failure.hostUnreachable === undefined ? {} : { hostUnreachable: failure.hostUnreachable }),
      },
      ...(tls ? { tls: this.#tlsOf(tls) } : {}),
      timing,
    };
  }

  #isOthers({ holder }: CarriedCredentials): boolean {
    const { others } = this.#parts.options;
    return others !== undefined && holder !== '' && holder.split(' ').some((setting) => others.has(setting));
  }
}

/** Options of the client, with the names that they have in `Target`. */
export interface WireOptions extends Omit<DialOptions, 'origin' | 'hasOwnTimeout' | 'named'> {
  /** The target: `https://host[:port]`. Keys are only sent there. */
  readonly origin: string;
  /** The plain HTTP base URL, or `none`. It and `origin` are trusted endpoints. */
  readonly httpBaseUrl?: string | null;
  readonly keys: KeyRing;
  readonly salt: Salt;
  /** How rows name the accounts of identities. */
  readonly accounts?: readonly string[];
  /** Settings of other identities' keys, whose session cookies are not stored. */
  readonly others?: ReadonlySet<string>;
  /** A fixed number, or `auto` for as many as the server can handle. */
  readonly concurrency: number | 'auto';
  /** Maximum number of requests, including retries; unlimited when absent. */
  readonly maxRequests?: number | undefined;
  /** Minimum number of milliseconds between two requests. */
  readonly intervalMs?: number | undefined;
  /** Maximum number of seconds to wait for rate limits, over the whole run. */
  readonly rateLimitWaitS: number;
  readonly probeKeyInUrl: boolean;
  readonly unsafeMethods?: boolean;
  /** Maximum number of bytes of a body after decoding. Default: 4 MiB. */
  readonly bodyCap?: number;
  /** Maximum number of bytes of a header section. Default: 64 KiB. */
  readonly headerCap?: number;
  /** Aborts everything in flight, with error `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Called when a request is written. */
  readonly onSent?: () => void;
  /** Replaces placeholders in URLs by values that were read, and the reverse in answers. */
  readonly values?: ReadValues;
  /** Called with every complete response; its result is stored in `Response.documented`. */
  readonly inspect?: Inspect;
}
