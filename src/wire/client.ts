import { memoize } from '../collections.js';
import { tool } from '../package.js';
import { createAnswerReader } from './answer-reader.js';
import { createDialler, endpointOf } from './connect.js';
import { type Connection, type ConnectionKind, Connections, mostNewConnections } from './connections.js';
import { CookieJar } from './cookie-jar.js';
import { exchangeId } from './exchange-id.js';
import { ProxyFailure, WireFailure } from './failure.js';
import { asBytes, createCompleter, fieldOf, redactTls } from './header-fields.js';
import { type Limits, type RawAnswer, type RequestHead, type SendHooks, sendHttp1 } from './http1.js';
import { http2Fields, sendHttp2 } from './http2.js';
import { inFlightTo } from './in-flight.js';
import { Pace } from './pace.js';
import { type CarriedCredentials, checkSafety, isSafeMethod } from './probe-safety.js';
import { proxyPassword } from './proxy.js';
import { isRateLimitedBy503, nextTry, rateLimitPause, type TriedAttempt } from './retry.js';
import type { Attempt, Exchange, HeaderPair, Probe, SeriesPosition, Timing, TlsFacts, Wire } from './types.js';
import type { WireOptions } from './wire-options.js';

/** Milliseconds to keep an idle connection where the server names no time. */
const keepIdleMs = 15_000;
/** Milliseconds without requests after a 503 that limits the rate. */
const rateLimitPauseMs = 100;

/** Milliseconds to wait after a HEAD: some servers send content, and that ends the connection. */
const headQuietMs = 100;

const roundedMs = (milliseconds: number): number => Math.round(milliseconds * 100) / 100;

/** How long the server keeps an idle connection, a little less than it says. */
const keepAliveMs = (answer: RawAnswer): number => {
  const [, seconds] = /\btimeout=(\d+)/i.exec(fieldOf(answer.rawHeaders, 'keep-alive') ?? '') ?? [];
  return seconds === undefined ? keepIdleMs : Math.max(0, Number(seconds) * 1000 - 500);
};

const connectionKindFor = (probe: Probe, carried: CarriedCredentials): ConnectionKind => {
  // Requests with cookies use a connection of their own.
  if (probe.connection === 'fresh' || probe.family !== undefined || carried.cookies) return 'fresh';
  if (probe.connection === 'keyed') return 'just-keyed';
  return carried.key ? 'keyed' : 'unkeyed';
};

/** One probe, prepared for all its attempts. */
interface Task {
  readonly probe: Probe;
  readonly carried: CarriedCredentials;
  readonly fields: readonly HeaderPair[];
  readonly head: RequestHead;
  readonly place: SeriesPosition;
}

const isUrl = (text: string | null | undefined): text is string => /^https?:/i.test(text ?? '');

/**
 * Whether the request may have been processed (RFC 9110, section 9.2.2: not to be repeated then).
 */
const mayHaveArrived = (tried: TriedAttempt | undefined): boolean =>
  !['refused', 'unreachable', 'connect-timeout'].includes(tried?.attempt.error?.code ?? '');

interface AttemptResult {
  readonly tried: TriedAttempt;
  readonly connection: Exchange['connection'];
}

/** Creates the client. See `Wire` for its guarantees. */
export const createWire = (options: WireOptions): Wire => {
  const { keys, salt, signal, proxy, inspect, values } = options;
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
    options.concurrency === 'auto' ? mostNewConnections : undefined,
  );
  const pace = new Pace({
    concurrency: options.concurrency,
    budgetMs: options.rateLimitWaitS * 1000,
    intervalMs: options.intervalMs ?? 0,
    inFlight: inFlightTo(options.origin),
  });
  let left = options.maxRequests ?? Number.POSITIVE_INFINITY;
  let isExhausted = false;
  const readAnswer = createAnswerReader({ keys, salt, bodyCap: limits.bodyCap });
  const cookies = new CookieJar(keys);
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

  /** One object per certificate chain. */
  const tlsOf = memoize((facts: TlsFacts) => redactTls(facts, keys));

  const fill = (template: string): string => {
    if (!template.includes('<')) return asBytes(template);
    return asBytes(cookies.fill(keys.fill(template)));
  };

  const prepare = (probe: Probe, place: SeriesPosition): Task => {
    const carried = checkSafety(probe, rules);
    const fields = complete(probe);
    const headers: string[] = [];
    const isOwn = probe.origin === options.origin;
    const withValues = (template: string): string => values?.fill(template, isOwn) ?? template;
    for (const [name, value] of fields) headers.push(name, fill(withValues(value)));
    const target = fill(withValues(probe.target));
    return { probe, carried, fields, head: { method: probe.method, target, headers }, place };
  };

  const connect = ({ probe, carried, place }: Task, useIdle: boolean): Promise<Connection> => {
    const { family, origin } = probe;
    if (family !== undefined) return connections.open({ ...endpointOf(origin), family }, ['http/1.1']);
    return probe.protocol === 'http/1.1'
      ? connections.take(probe.origin, connectionKindFor(probe, carried), useIdle, place.after)
      : connections.openHttp2(origin);
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
        else if (probe.method === 'HEAD') setTimeout(putBack, headQuietMs).unref();
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

  const attempt = async (task: Task, useIdle: boolean): Promise<AttemptResult> => {
    const { probe, carried, head, place } = task;
    const start = performance.now();
    let sentAt: number | undefined;
    const onSent = (): void => {
      requestsSent += 1;
      sentAt = performance.now();
    };
    const sincePrevious = (): Pick<Timing, 'sinceBefore'> =>
      place.since === undefined ? {} : { sinceBefore: roundedMs((sentAt ?? performance.now()) - place.since) };
    const total = (): number => roundedMs(performance.now() - start);
    let connection: Connection | undefined;
    let reused = false;
    let broken: RawAnswer | undefined;
    // Written out for speed: spreading is slow, and every request passes here.
    const connectionInfo = (): Exchange['connection'] => {
      const { protocol } = probe;
      const { address, proxy } = connection ?? {};
      if (address === undefined) return proxy ? { reused, proxy, protocol } : { reused, protocol };
      return proxy ? { reused, address, proxy, protocol } : { reused, address, protocol };
    };
    try {
      if (ended) throw new WireFailure('aborted', 'the run was stopped');
      isExhausted ||= left <= 0;
      if (isExhausted) throw new WireFailure('aborted', 'as many requests were sent as MAX_REQUESTS allows');
      left -= 1;
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
      cookies.hide(answer.rawHeaders);
      if (probe.origin === options.origin && !carried.cookies) cookies.store(answer.rawHeaders, carried.key);
      const seen = await readAnswer(answer, head.target, inspect && ((whole) => inspect(probe, whole)));
      const response = values?.mask(seen, probe.target) ?? seen;
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
      const stale = reused && !broken && (done.error?.code === 'reset' || done.error?.code === 'not-http');
      if (broken) cookies.hide(broken.rawHeaders);
      const cut = broken && (await readAnswer(broken, head.target));
      const part = cut && (values?.mask(cut, probe.target) ?? cut);
      return { tried: { attempt: part ? { ...done, partial: part } : done, stale }, connection: connectionInfo() };
    }
  };

  /** Whether the server limits its rate with 503. */
  let slower = false;
  const pauseAfter = (tried: readonly TriedAttempt[], plain: boolean, onceAlone: boolean): number | undefined => {
    const last = tried.at(-1)?.attempt.response;
    if (last?.status !== 429) {
      slower ||= isRateLimitedBy503(tried);
      if (slower && last?.status === 503) pace.pause(rateLimitPauseMs);
      else if (last) pace.recover();
      return onceAlone && mayHaveArrived(tried.at(-1)) ? undefined : nextTry(tried, { plainHttp: plain, slower });
    }
    const count = tried.filter(({ attempt: { response } }) => response?.status === 429).length;
    return pace.pause(rateLimitPause(last.headers, count)) ? 0 : undefined;
  };

  /** Other origins, and requests that open a connection of their own, say nothing of the load. */
  const noteLatency = ({ origin }: Probe, { response, timing }: Attempt, epoch: number): void => {
    if (origin !== options.origin || !response) return;
    if (response.status === 429 || response.status === 503) pace.refused(epoch);
    else if (timing.firstByte !== undefined) pace.answered(timing.firstByte, epoch);
  };

  const send = async (probe: Probe, place: SeriesPosition = {}): Promise<Exchange> => {
    const task = prepare(probe, place);
    const tried: TriedAttempt[] = [];
    for (;;) {
      await pace.enter(place.priority);
      const { epoch } = pace;
      const result = await attempt(task, !tried.at(-1)?.stale);
      tried.push(result.tried);
      noteLatency(probe, result.tried.attempt, epoch);
      options.onAttempt?.(probe, result.tried.attempt);
      const pause =
        ended || isExhausted
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
    get isExhausted() {
      return isExhausted;
    },
    close: async () => {
      signal?.removeEventListener('abort', end);
      end();
    },
  };
};
