import { memoize } from '../collections.js';
import { tool } from '../package.js';
import { createAnswerReader, type Inspect } from './answer-reader.js';
import type { Salt } from './body-facts.js';
import { createDialler, endpointOf } from './connect.js';
import { type Connection, type ConnectionKind, Connections } from './connections.js';
import { cookiesOf, cookieValuesOf, sessionSecrets } from './cookies.js';
import { exchangeId } from './exchange-id.js';
import { ProxyFailure, WireFailure } from './failure.js';
import { asBytes, createCompleter, fieldOf, redactTls } from './header-fields.js';
import { type Limits, type RawAnswer, type RequestHead, type SendHooks, sendHttp1 } from './http1.js';
import { http2Fields, sendHttp2 } from './http2.js';
import type { KeyRing } from './keyring.js';
import { Pace } from './pace.js';
import {
  type CarriedCredentials,
  checkSafety,
  cookiePlaceholder,
  isSafeMethod,
  visitorPlaceholder,
} from './probe-safety.js';
import { type ProxySettings, proxyPassword } from './proxy.js';
import { isRateLimitedBy503, nextTry, rateLimitPause, type TriedAttempt } from './retry.js';
import type { Attempt, Exchange, HeaderPair, Probe, SeriesPosition, Timing, TlsFacts, Wire } from './types.js';

export interface WireOptions {
  /** The target: `https://host[:port]`. The only place where keys go. */
  readonly origin: string;
  /**
   * The plain-HTTP side, or `none`, or not said. With `origin` all that is gone to because somebody
   * chose it, and no server.
   */
  readonly httpBaseUrl?: string | null;
  readonly keys: KeyRing;
  readonly salt: Salt;
  /** PEM text; adds to the usual roots. */
  readonly ca?: string;
  readonly clientCert?: { readonly cert: string; readonly key: string };
  readonly insecureTls: boolean;
  /** Milliseconds for connect (with TLS), for headers and for the body, each. */
  readonly timeoutMs: number;
  readonly concurrency: number;
  /** Seconds that may be spent waiting for rate limits, over the whole run. */
  readonly rateLimitWaitS: number;
  readonly probeKeyInUrl: boolean;
  readonly unsafeMethods?: boolean;
  readonly resolve: readonly { readonly host: string; readonly port: number; readonly address: string }[];
  readonly proxy?: ProxySettings;
  readonly userAgent?: string;
  /** Bytes of a body after decoding; 4 MiB. */
  readonly bodyCap?: number;
  /** Bytes of a header section; 64 KiB. */
  readonly headerCap?: number;
  /** Ends everything in flight at once, with error `aborted`. */
  readonly signal?: AbortSignal;
  /** Told of every attempt as it ends. */
  readonly onAttempt?: (probe: Probe, attempt: Attempt) => void;
  /** Shown every answer in full; what it returns goes into `Response.documented`. */
  readonly inspect?: Inspect;
}

/** Handshakes without h2 after which an origin is taken to speak HTTP/1.1 alone. */
const enoughWithoutH2 = 3;

/** Milliseconds that an idle connection is kept where the server does not say. */
const keepIdleMs = 15_000;
/** Nobody sends for so long after a 503 that means "slower"; the pace does the rest. */
const slowerPauseMs = 100;

/**
 * Some servers send content after the header section of a HEAD all the same: for so long it ends
 * the connection.
 */
const quietAfterHeadMs = 100;

const roundedMs = (milliseconds: number): number => Math.round(milliseconds * 100) / 100;

/** How long the server keeps an idle connection, a little less than it says. */
const keepAliveMs = (answer: RawAnswer): number => {
  const [, seconds] = /\btimeout=(\d+)/i.exec(fieldOf(answer.rawHeaders, 'keep-alive') ?? '') ?? [];
  return seconds === undefined ? keepIdleMs : Math.max(0, Number(seconds) * 1000 - 500);
};

const connectionKindFor = (probe: Probe, carried: CarriedCredentials): ConnectionKind => {
  // Cookies that stand for a key must not taint, nor profit from, anybody's connection.
  if (probe.connection === 'fresh' || probe.family !== undefined || carried.cookies) return 'fresh';
  if (probe.connection === 'keyed') return 'just-keyed';
  return carried.key ? 'keyed' : 'unkeyed';
};

/** What one try needs to know, the same for every try of a probe. */
interface Task {
  readonly probe: Probe;
  readonly carried: CarriedCredentials;
  readonly fields: readonly HeaderPair[];
  readonly head: RequestHead;
  readonly place: SeriesPosition;
}

const isUrl = (text: string | null | undefined): text is string => /^https?:/i.test(text ?? '');

/**
 * Whether the server may have done what the request asked for (RFC 9110, section 9.2.2: not to be
 * repeated then).
 */
const mayHaveArrived = (tried: TriedAttempt | undefined): boolean =>
  !['refused', 'unreachable', 'connect-timeout'].includes(tried?.attempt.error?.code ?? '');

interface AttemptResult {
  readonly tried: TriedAttempt;
  readonly connection: Exchange['connection'];
}

/** The one client. Settings come in as they stand in `Target`; see `Wire` for what it promises. */
export const createWire = (options: WireOptions): Wire => {
  const { keys, salt, signal, proxy, inspect } = options;
  const complete = createCompleter(options.userAgent ?? `${tool.name}/${tool.version}`);
  const limits: Limits = {
    timeoutMs: options.timeoutMs,
    headerCap: options.headerCap ?? 65_536,
    bodyCap: options.bodyCap ?? 4_194_304,
  };
  for (const url of [proxy?.url, proxy?.httpUrl]) {
    const password = url ? proxyPassword(url) : '';
    if (password) keys.learn(password, '<PROXY_PASSWORD>');
  }
  const connections = new Connections(
    createDialler({
      ...options,
      named: [options.origin, ...(isUrl(options.httpBaseUrl) ? [options.httpBaseUrl] : [])],
    }),
  );
  const pace = new Pace({ concurrency: options.concurrency, budgetMs: options.rateLimitWaitS * 1000 });
  const readAnswer = createAnswerReader({ keys, salt, bodyCap: limits.bodyCap });
  const ofKeyed = new Map<string, string>();
  const ofVisitors = new Map<string, string>();
  const withoutH2 = new Map<string, number>();
  const wakers = new Set<() => void>();
  const rules = { ...options, unsafeMethods: options.unsafeMethods ?? false };
  let requestsSent = 0;
  let ended = false;

  const end = (): void => {
    ended = true;
    pace.end();
    connections.end();
    for (const wake of wakers) wake();
  };
  if (signal?.aborted) end();
  signal?.addEventListener('abort', end, { once: true });

  const sleep = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        wakers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, milliseconds);
      wakers.add(wake);
      if (ended) wake();
    });

  /** One object for each chain of certificates, however many connections show it. */
  const tlsOf = memoize((facts: TlsFacts) => redactTls(facts, keys));

  const sendBack = (template: string, placeholder: string, cookies: ReadonlyMap<string, string>): string => {
    if (!template.includes(placeholder)) return template;
    const all = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    for (const value of cookies.values()) if (sessionSecrets(value).length > 0) keys.learn(value, '<cookie>');
    return template.replaceAll(placeholder, () => all);
  };

  const fill = (template: string): string => {
    if (!template.includes('<')) return asBytes(template);
    const filled = keys.fill(template);
    return asBytes(sendBack(sendBack(filled, cookiePlaceholder, ofKeyed), visitorPlaceholder, ofVisitors));
  };

  const prepare = (probe: Probe, place: SeriesPosition): Task => {
    const carried = checkSafety(probe, rules);
    const fields = complete(probe);
    const headers: string[] = [];
    for (const [name, value] of fields) headers.push(name, fill(value));
    return { probe, carried, fields, head: { method: probe.method, target: fill(probe.target), headers }, place };
  };

  const connect = ({ probe, carried, place }: Task, useIdle: boolean): Promise<Connection> => {
    const { family, origin } = probe;
    if (family !== undefined) return connections.open({ ...endpointOf(origin), family }, ['http/1.1']);
    return probe.protocol === 'http/1.1'
      ? connections.take(probe.origin, connectionKindFor(probe, carried), useIdle, place.after)
      : connectHttp2(probe);
  };

  const connectHttp2 = async (probe: Probe): Promise<Connection> => {
    const refusals = withoutH2.get(probe.origin) ?? 0;
    if (refusals >= enoughWithoutH2) throw new WireFailure('no-h2', 'the server has not chosen h2 by ALPN before');
    // As browsers do: a server without HTTP/2 may abort the handshake where nothing that it speaks
    // is offered.
    const connection = await connections.open(endpointOf(probe.origin), ['h2', 'http/1.1']);
    if (connection.tls?.alpn === 'h2') return connection;
    connections.drop(connection);
    withoutH2.set(probe.origin, refusals + 1);
    throw new WireFailure('no-h2', 'the server does not choose h2 by ALPN', connection.tls);
  };

  const exchangeOver = (
    connection: Connection,
    task: Task,
    { onSent, onBroken }: Pick<SendHooks, 'onSent' | 'onBroken'>,
  ): Promise<RawAnswer> => {
    const { probe, carried, head, place } = task;
    if (probe.protocol === 'h2') {
      onSent();
      return sendHttp2(connection.socket, probe.origin, head, limits);
    }
    const { forward } = connection;
    const sent = forward
      ? {
          ...head,
          target: head.target.startsWith('/') ? probe.origin + head.target : head.target,
          headers: forward.authorization
            ? [...head.headers, 'Proxy-Authorization', forward.authorization]
            : head.headers,
        }
      : head;
    return sendHttp1(connection.reader, sent, limits, {
      onSent,
      onFree: (answer) => {
        connection.opened = carried.key && answer.status >= 200 && answer.status < 300;
        const keepFor = connection.opened ? place.keepFor : undefined;
        const putBack = (): void => connections.put(probe.origin, connection, keepAliveMs(answer), keepFor);
        if (connectionKindFor(probe, carried) === 'fresh') connections.drop(connection);
        else if (probe.method === 'HEAD') setTimeout(putBack, quietAfterHeadMs).unref();
        else putBack();
      },
      onBroken,
    });
  };

  const failed = (error: unknown, facts: TlsFacts | undefined, timing: Timing): Attempt => {
    const failure = error instanceof WireFailure ? error : undefined;
    const message = failure?.message ?? (error instanceof Error ? error.message : String(error));
    const tls = failure?.tls ?? facts;
    return {
      error: ended
        ? { code: 'aborted', message: 'the run was stopped' }
        : {
            code: failure?.code ?? 'reset',
            message: keys.redact(message),
            ...(failure instanceof ProxyFailure ? { atProxy: true } : {}),
          },
      ...(tls ? { tls: tlsOf(tls) } : {}),
      timing,
    };
  };

  const hideCookies = ({ rawHeaders }: RawAnswer): void => {
    for (const value of cookieValuesOf(rawHeaders)) for (const secret of sessionSecrets(value)) keys.hideCookie(secret);
  };

  const attempt = async (task: Task, useIdle: boolean): Promise<AttemptResult> => {
    const { probe, carried, head, place } = task;
    const start = performance.now();
    let sentAt: number | undefined;
    const onSent = (): void => {
      requestsSent += 1;
      sentAt = performance.now();
    };
    const sinceBefore = (): Pick<Timing, 'sinceBefore'> =>
      place.since === undefined ? {} : { sinceBefore: roundedMs((sentAt ?? performance.now()) - place.since) };
    const total = (): number => roundedMs(performance.now() - start);
    let connection: Connection | undefined;
    let reused = false;
    let broken: RawAnswer | undefined;
    // Said case by case: what is spread into the middle of an object is slow, and every request
    // passes here.
    const overWhat = (): Exchange['connection'] => {
      const { protocol } = probe;
      const { address, proxy } = connection ?? {};
      if (address === undefined) return proxy ? { reused, proxy, protocol } : { reused, protocol };
      return proxy ? { reused, address, proxy, protocol } : { reused, address, protocol };
    };
    try {
      if (ended) throw new WireFailure('aborted', 'the run was stopped');
      connection = await connect(task, useIdle);
      reused = connection.requests > 0;
      connection.requests += 1;
      connection.keyed ||= carried.key;
      const { tls: facts, timing } = connection;
      const answer = await exchangeOver(connection, task, {
        onSent,
        onBroken: (part) => {
          broken = part;
        },
      });
      hideCookies(answer);
      if (probe.origin === options.origin && !carried.cookies) {
        const cookies = carried.key ? ofKeyed : ofVisitors;
        for (const [name, value] of cookiesOf(answer.rawHeaders)) cookies.set(name, value);
      }
      const response = await readAnswer(answer, head.target, inspect && ((seen) => inspect(probe, seen)));
      const then = { firstByte: roundedMs(answer.firstByte), total: total() };
      const alone = reused ? then : { ...timing, ...then };
      const took = place.since === undefined ? alone : { ...alone, ...sinceBefore() };
      const done: Attempt = facts ? { response, tls: tlsOf(facts), timing: took } : { response, timing: took };
      return { tried: { attempt: done, stale: false }, connection: overWhat() };
    } catch (error) {
      if (connection) connections.drop(connection);
      const done = failed(error, connection?.tls, {
        ...(reused ? {} : connection?.timing),
        total: total(),
        ...sinceBefore(),
      });
      const stale = reused && !broken && (done.error?.code === 'reset' || done.error?.code === 'not-http');
      if (broken) hideCookies(broken);
      const part = broken && (await readAnswer(broken, head.target));
      return { tried: { attempt: part ? { ...done, partial: part } : done, stale }, connection: overWhat() };
    }
  };

  /** Whether 503 was seen to mean what 429 does. */
  let slower = false;
  const pauseAfter = (tried: readonly TriedAttempt[], plain: boolean, onceAlone: boolean): number | undefined => {
    const last = tried.at(-1)?.attempt.response;
    if (last?.status !== 429) {
      slower ||= isRateLimitedBy503(tried);
      if (slower && last?.status === 503) pace.pause(slowerPauseMs);
      else if (last) pace.recover();
      return onceAlone && mayHaveArrived(tried.at(-1)) ? undefined : nextTry(tried, { plainHttp: plain, slower });
    }
    const count = tried.filter(({ attempt: { response } }) => response?.status === 429).length;
    return pace.pause(rateLimitPause(last.headers, count)) ? 0 : undefined;
  };

  const send = async (probe: Probe, place: SeriesPosition = {}): Promise<Exchange> => {
    const task = prepare(probe, place);
    const tried: TriedAttempt[] = [];
    for (;;) {
      await pace.enter(place.priority);
      const result = await attempt(task, !tried.at(-1)?.stale);
      tried.push(result.tried);
      options.onAttempt?.(probe, result.tried.attempt);
      const pause = ended
        ? undefined
        : pauseAfter(tried, probe.origin.startsWith('http:'), !isSafeMethod(probe.method));
      pace.leave();
      if (pause === undefined) {
        const target = /^[a-z][a-z0-9+.-]*:\/\//i.test(probe.target) ? probe.target : probe.origin + probe.target;
        return {
          id: exchangeId(probe),
          probe,
          connection: result.connection,
          request: {
            method: probe.method,
            url: keys.redact(target),
            headers: probe.protocol === 'h2' ? http2Fields(task.fields) : task.fields,
          },
          attempts: tried.map((one) => one.attempt),
        };
      }
      if (pause > 0) await sleep(pause);
    }
  };

  return {
    send,
    get requestsSent() {
      return requestsSent;
    },
    close: async () => {
      signal?.removeEventListener('abort', end);
      end();
    },
  };
};
