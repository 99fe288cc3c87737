import { memoize, memoizePerObject } from '../collections.js';
import { endpointOf } from './addresses.js';
import type { AnswerReader, Inspect } from './answer-reader.js';
import type { Salt } from './body-shape.js';
import type { DialOptions } from './connect.js';
import type { ConnectionKind, Connections } from './connections.js';
import type { CookieJar } from './cookies.js';
import { EarlierFailure, ProxyFailure, WireFailure } from './failure.js';
import { fieldOf, redactTls } from './header-fields.js';
import { type Limits, type RawAnswer, type RequestHead, type SendHooks, sendHttp1 } from './http1.js';
import { http2SessionOn, sendHttp2 } from './http2.js';
import type { KeyRing } from './keyring.js';
import { type Connection, type ConnectionSlot, Opening } from './pool.js';
import type { CarriedCredentials } from './probe-safety.js';
import type { ReadValues } from './read-values.js';
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

/** The kind of connection that a probe needs. */
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
  readonly readAnswer: AnswerReader;
  readonly isEnded: () => boolean;
  /** Called when a request was written. */
  readonly onRequest: () => void;
}

/**
 * Sends a prepared request once, over the kind of connection that it needs. Failures on the wire
 * are part of the result. Rejects only for a defect of this program or of a rule.
 */
export const createAttempter = ({
  options,
  limits,
  connections,
  cookies,
  readAnswer,
  isEnded,
  onRequest,
}: AttemptParts) => {
  const { keys, inspect, values, others } = options;

  const isOthers = ({ holder }: CarriedCredentials): boolean =>
    others !== undefined && holder !== '' && holder.split(' ').some((setting) => others.has(setting));

  /** Memoized, so that each certificate chain is one object. */
  const tlsOf = memoize((facts: TlsFacts) => redactTls(facts, keys));

  const connect = ({ probe, place }: Task, taken: ConnectionSlot | undefined): Promise<Connection> => {
    const { family, origin } = probe;
    if (taken === undefined) return connections.takeJustKeyed(origin, place.after, probe.protocol === 'h2');
    if (probe.protocol === 'h2' && taken instanceof Opening) return connections.openHttp2(origin, taken);
    const endpoint = endpointOf(origin);
    return connections.connect(
      taken,
      family === undefined ? endpoint : { ...endpoint, family },
      probe.protocol === 'http/1.0' ? [] : undefined,
    );
  };

  const exchangeOver = (
    connection: Connection,
    task: Task,
    { onSent, onBroken }: Pick<SendHooks, 'onSent' | 'onBroken'>,
  ): Promise<RawAnswer> => {
    const { probe, carried, head, place } = task;
    const markOpened = ({ status }: RawAnswer): object | undefined => {
      connection.opened = carried.key && status >= 200 && status < 300;
      return connection.opened ? place.keepFor : undefined;
    };
    if (probe.protocol === 'h2') {
      connection.http2 ??= http2SessionOn(connection.socket, probe.origin);
      return sendHttp2(connection.http2, probe.origin, head, limits, { onSent, onBroken }).then((answer) => {
        const keepFor = markOpened(answer);
        if (keepFor && !answer.truncated) connections.put(connection, keepIdleMs, keepFor);
        else connections.drop(connection);
        return answer;
      });
    }
    const { forward } = connection;
    const sent = forward
      ? {
          ...head,
          target: head.target.startsWith('/') ? probe.origin + head.target : head.target,
          headers: forward.authorization
            ? [...head.headers, ['Proxy-Authorization', forward.authorization] as const]
            : head.headers,
        }
      : head;
    return sendHttp1(connection.reader, sent, limits, {
      onSent,
      onFree: (answer) => {
        const keepFor = markOpened(answer);
        const putBack = (): void => connections.put(connection, keepAliveMs(answer.rawHeaders), keepFor);
        if (connectionKindFor(probe, carried) === 'fresh') connections.drop(connection);
        else if (probe.method === 'HEAD') setTimeout(putBack, headQuietMs).unref();
        else putBack();
      },
      onBroken,
    });
  };

  const failed = (error: unknown, facts: TlsFacts | undefined, timing: Timing): Attempt => {
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
      ...(tls ? { tls: tlsOf(tls) } : {}),
      timing,
    };
  };

  const attempt = async (task: Task, taken: ConnectionSlot | undefined) => {
    const { probe, carried, head, place } = task;
    const start = performance.now();
    let sentAt: number | undefined;
    const onSent = (): void => {
      onRequest();
      sentAt = performance.now();
    };
    const sincePrevious = (): Pick<Timing, 'sinceBefore'> =>
      place.since === undefined ? {} : { sinceBefore: roundedMs((sentAt ?? performance.now()) - place.since) };
    const total = (): number => roundedMs(performance.now() - start);
    let connection: Connection | undefined;
    let reused = false;
    let broken: RawAnswer | undefined;
    // Written out for speed: every request passes here, and spreading is slow.
    const connectionInfo = (): Exchange['connection'] => {
      const { protocol } = probe;
      const { address, proxy } = connection ?? {};
      if (address === undefined) return proxy ? { reused, proxy, protocol } : { reused, protocol };
      return proxy ? { reused, address, proxy, protocol } : { reused, address, protocol };
    };
    try {
      if (isEnded()) throw new WireFailure('aborted', 'the run was stopped');
      connection = await connect(task, taken);
      reused = connection.requests > 0;
      connection.requests += 1;
      connection.keyed ||= carried.holder;
      const { tls: facts, timing } = connection;
      const answer = await exchangeOver(connection, task, {
        onSent,
        onBroken: (part) => {
          broken = part;
        },
      });
      cookies.hide(answer.rawHeaders);
      if (probe.origin === options.origin && !carried.cookies && !isOthers(carried))
        cookies.store(answer.rawHeaders, carried.key);
      const seen = await readAnswer(
        answer,
        head.target,
        isKeyless(carried),
        inspect && ((whole) => inspect(probe, whole)),
      );
      const response = values?.mask(seen, probe) ?? seen;
      const then = { firstByte: roundedMs(answer.firstByte), total: total() };
      const alone = reused ? then : { ...timing, ...then };
      const took = place.since === undefined ? alone : { ...alone, ...sincePrevious() };
      const done: Attempt = facts ? { response, tls: tlsOf(facts), timing: took } : { response, timing: took };
      return { tried: { attempt: done, stale: false }, connection: connectionInfo() };
    } catch (error) {
      if (connection) connections.drop(connection);
      const done = failed(error, connection?.tls, {
        ...(reused ? {} : connection?.timing),
        total: total(),
        ...sincePrevious(),
      });
      if (done.error?.code === 'no-h2') connections.noteWithoutHttp2(probe.origin);
      const stale = reused && !broken && (done.error?.code === 'reset' || done.error?.code === 'not-http');
      if (broken) cookies.hide(broken.rawHeaders);
      const cut = broken && (await readAnswer(broken, head.target, isKeyless(carried)));
      const part = cut && (values?.mask(cut, probe) ?? cut);
      return { tried: { attempt: part ? { ...done, partial: part } : done, stale }, connection: connectionInfo() };
    }
  };

  return attempt;
};

/** Options of the client, with the names that they have in `Target`. */
export interface WireOptions extends Omit<DialOptions, 'origin' | 'hasOwnTimeout' | 'named'> {
  /** The target: `https://host[:port]`. Keys are only sent there. */
  readonly origin: string;
  /** The plain HTTP base URL, or `none`. It and `origin` are trusted endpoints. */
  readonly httpBaseUrl?: string | null;
  readonly keys: KeyRing;
  readonly salt: Salt;
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
  /** Called after each attempt. */
  readonly onAttempt?: (probe: Probe, attempt: Attempt) => void;
  /** Replaces placeholders in URLs by values that were read, and the reverse in answers. */
  readonly values?: ReadValues;
  /** Called with every complete response; its result is stored in `Response.documented`. */
  readonly inspect?: Inspect;
}
