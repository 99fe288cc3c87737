import type { AnswerReader } from './answer-reader.js';
import { connectionKindFor, createAttempter, isKeyless, type Task, type WireOptions } from './attempt.js';
import { createDialler } from './connect.js';
import { Connections } from './connections.js';
import { createCookieJar } from './cookies.js';
import { asBytes, createCompleter } from './header-fields.js';
import type { Limits } from './http1.js';
import { http2Fields } from './http2.js';
import { Turns, Waiting } from './line.js';
import { inFlightTo, Pace } from './pace.js';
import { type ConnectionSlot, mostNewConnections } from './pool.js';
import { type CarriedCredentials, checkSafety, isSafeMethod } from './probe-safety.js';
import { proxyPassword } from './proxy.js';
import { isRateLimitedBy503, nextTry, Outage, rateLimitPause, type TriedAttempt, Unanswered } from './retry.js';
import { isTurnedAway, Silence } from './silence.js';
import {
  type Attempt,
  type Exchange,
  exchangeId,
  type HeaderPair,
  type Probe,
  type SeriesPosition,
  type Wire,
} from './types.js';

/** Milliseconds without requests after 503s that limit the rate. */
const rateLimitPauseMs = 100;
/** Number of 503s in a row that show a limit: a broken backend gives them one by one. */
const limitedInARow = 3;

/** Matches texts without placeholders (which may be percent-encoded), one byte per character. */
const isPlain = /^[^<%\u0080-\uffff]*$/;

const isUrl = (text: string | null | undefined): text is string => /^https?:/i.test(text ?? '');

/**
 * Whether a server may be waiting for more than a request has: the protocol that it asks for, or
 * the content that it announces (RFC 9110, sections 7.8 and 10.1.1).
 */
const mayWaitForMore = ({ headers }: Probe, last: TriedAttempt | undefined): boolean =>
  last?.attempt.error?.code === 'headers-timeout' && headers.some(([field]) => /^(?:upgrade|expect)$/i.test(field));

/**
 * Whether the server may have processed the request; an unsafe request must not be repeated then
 * (RFC 9110, section 9.2.2).
 */
const mayHaveArrived = (tried: TriedAttempt | undefined): boolean =>
  !['refused', 'unreachable', 'connect-timeout'].includes(tried?.attempt.error?.code ?? '');

/** Creates the client. See `Wire` for its guarantees. */
export const createWire = (options: WireOptions): Wire => {
  const { keys, salt, signal, proxy, values } = options;
  const complete = createCompleter();
  const limits: Limits = {
    timeoutMs: options.timeoutMs,
    turns: new Turns(),
    headerCap: options.headerCap ?? 65_536,
    bodyCap: options.bodyCap ?? 4_194_304,
  };
  for (const url of [proxy?.url, proxy?.httpUrl]) {
    const password = url ? proxyPassword(url) : '';
    if (password) keys.learn(password, '<PROXY_PASSWORD>');
  }
  const pace = new Pace({
    concurrency: options.concurrency,
    budgetMs: options.rateLimitWaitS * 1000,
    intervalMs: options.intervalMs ?? 0,
    inFlight: inFlightTo(options.origin),
  });
  const connections = new Connections(
    createDialler({
      ...options,
      named: [options.origin, ...(isUrl(options.httpBaseUrl) ? [options.httpBaseUrl] : [])],
    }),
    {
      mostNew: options.concurrency === 'auto' ? mostNewConnections : Number.POSITIVE_INFINITY,
      onFree: () => pace.look(),
    },
  );
  let left = options.maxRequests ?? Number.POSITIVE_INFINITY;
  /** Why no further request is sent. */
  let over: Wire['over'];
  /** A request without a key that the target has answered. */
  let heard: Probe | undefined;
  let isAsking = false;
  const cookies = createCookieJar(keys);
  const sleeping = new Waiting();
  const silence = new Silence(limits.timeoutMs);
  const rules = { ...options, unsafeMethods: options.unsafeMethods ?? false };
  let requestsSent = 0;
  let ended = false;

  const end = (): void => {
    ended = true;
    pace.end();
    connections.end();
    sleeping.wakeAll();
  };
  if (signal?.aborted) end();
  signal?.addEventListener('abort', end, { once: true });

  const sleep = (milliseconds: number): Promise<void> => (ended ? Promise.resolve() : sleeping.wait(milliseconds));

  const fill = (template: string, isOwn: boolean): string => {
    if (isPlain.test(template)) return template;
    const filled = values?.fill(template, isOwn) ?? template;
    return asBytes(filled.includes('<') ? cookies.fill(keys.fill(filled)) : filled);
  };

  const prepare = (probe: Probe, carried: CarriedCredentials, place: SeriesPosition): Task => {
    const fields = complete(probe);
    const isOwn = probe.origin === options.origin;
    const headers = fields.map((field): HeaderPair => {
      const value = fill(field[1], isOwn);
      return value === field[1] ? field : [field[0], value];
    });
    const target = fill(probe.target, isOwn);
    return { probe, carried, fields, head: { method: probe.method, target, protocol: probe.protocol, headers }, place };
  };

  // The body parsers are loaded while the first answers are awaited.
  let readAnswer: AnswerReader | undefined;
  const loading = import('./answer-reader.js').then(({ createAnswerReader }) => {
    readAnswer = createAnswerReader({ keys, salt, bodyCap: limits.bodyCap });
    return readAnswer;
  });

  const attempt = createAttempter({
    options,
    limits,
    connections,
    cookies,
    readAnswer: (...answer) => readAnswer?.(...answer) ?? loading.then((read) => read(...answer)),
    isEnded: () => ended,
    onRequest: () => {
      requestsSent += 1;
      options.onSent?.();
    },
  });

  /** Whether the server limits its rate with 503, and how many such answers came in a row. */
  let slower = false;
  let unavailableInARow = 0;
  const unanswered = new Unanswered();
  const outage = new Outage();
  const pauseAfter = (tried: readonly TriedAttempt[], who: string, probe: Probe): number | undefined => {
    const last = tried.at(-1)?.attempt.response;
    if (last?.status !== 429) {
      slower ||= isRateLimitedBy503(tried);
      if (slower && unavailableInARow >= limitedInARow) pace.pause(rateLimitPauseMs, 503);
      else if (last) pace.recover();
      if (!isSafeMethod(probe.method) && mayHaveArrived(tried.at(-1))) return undefined;
      if (mayWaitForMore(probe, tried.at(-1))) return undefined;
      return nextTry(tried, { attemptsFor: (code) => unanswered.attemptsFor(who, code), slower });
    }
    const count = tried.filter(({ attempt: { response } }) => response?.status === 429).length;
    return pace.pause(rateLimitPause(last.headers, count), 429) ? 0 : undefined;
  };

  /** Tells the pace how the target bears its load. Other origins say nothing about it. */
  const noteLoad = ({ origin }: Probe, { response, error, timing }: Attempt, isOpen: boolean, epoch: number): void => {
    if (origin !== options.origin) return;
    if (!response) {
      if (!isOpen && isTurnedAway(error?.code)) pace.refused(epoch);
      return;
    }
    unavailableInARow = response.status === 503 ? unavailableInARow + 1 : 0;
    if (response.status === 429 || unavailableInARow >= limitedInARow) pace.refused(epoch);
    else if (response.status !== 503 && timing.firstByte !== undefined) pace.answered(timing.firstByte, epoch);
  };

  /** Waits until the request may be sent and has a connection. */
  const turnOf = (probe: Probe, carried: CarriedCredentials, place: SeriesPosition, before?: TriedAttempt) =>
    pace.enter(
      connections.laneOf(probe.origin, carried.holder, connectionKindFor(probe, carried), !before?.stale),
      place.priority === true || before !== undefined,
    );

  /** Takes one request from the limit. Where none is left, or none is answered, none is sent. */
  const attemptOrNot = async (task: Task, taken: ConnectionSlot | undefined): ReturnType<typeof attempt> => {
    if (left <= 0) over ??= { why: 'max-requests', message: 'as many requests were sent as MAX_REQUESTS allows' };
    if (!over) {
      left -= 1;
      return attempt(task, taken);
    }
    if (taken) connections.giveBack(taken);
    const { protocol } = task.probe;
    return {
      tried: { attempt: { error: { code: 'aborted', message: over.message }, timing: { total: 0 } }, stale: false },
      connection: { reused: false, protocol },
    };
  };

  /**
   * A service that ends or hangs during a run would hold up thousands of requests. So what it has
   * answered before is asked once more, and if that gets no answer either, the run is over.
   */
  const askWhetherSilent = async (): Promise<void> => {
    if (!heard || isAsking || over) return;
    isAsking = true;
    const { since } = silence;
    const last = (await send(heard, { priority: true })).attempts.at(-1);
    if (last?.error && last.error.code !== 'aborted') over ??= { why: 'silence', message: last.error.message, since };
    isAsking = false;
  };

  const noteHeard = ({ probe, carried }: Task, attempt: Attempt, isOpen: boolean): void => {
    if (probe.origin !== options.origin) return;
    silence.note(attempt, isOpen);
    if (attempt.response && isKeyless(carried) && isSafeMethod(probe.method)) heard = probe;
    if (silence.isLong) void askWhetherSilent();
  };

  /** @param first the connection for the first attempt */
  const sendInTurn = async (
    probe: Probe,
    carried: CarriedCredentials,
    place: SeriesPosition,
    first: ConnectionSlot | undefined,
  ): Promise<Exchange> => {
    const tried: TriedAttempt[] = [];
    const who = `${probe.origin} ${carried.holder}`;
    let task: Task | undefined;
    for (let taken = first; ; taken = await turnOf(probe, carried, place, tried.at(-1))) {
      const { epoch } = pace;
      try {
        // Keys may end while a request waits for its turn.
        if (place.keys) await place.keys.ready();
        if (place.keys || !task) task = prepare(probe, carried, place);
        place.keys?.filled();
      } catch (error) {
        if (taken) connections.giveBack(taken);
        pace.leave();
        throw error;
      }
      let result: Awaited<ReturnType<typeof attempt>>;
      try {
        result = await attemptOrNot(task, taken);
      } catch (error) {
        pace.leave();
        throw error;
      }
      tried.push(result.tried);
      const isOpen = result.connection.address !== undefined;
      noteLoad(probe, result.tried.attempt, isOpen, epoch);
      pace.hold(outage.waitAfter(probe, result.tried.attempt, isOpen || probe.origin !== options.origin));
      noteHeard(task, result.tried.attempt, isOpen);
      options.onAttempt?.(probe, result.tried.attempt);
      const pause = ended || over ? undefined : pauseAfter(tried, who, probe);
      pace.leave();
      unanswered.note(who, tried, pause === undefined);
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

  /** Thousands of requests wait at once, so little is allocated before their turn. */
  const send = async (probe: Probe, place: SeriesPosition = {}): Promise<Exchange> => {
    const carried = checkSafety(probe, rules);
    return sendInTurn(probe, carried, place, await turnOf(probe, carried, place));
  };

  return {
    send,
    get requestsSent() {
      return requestsSent;
    },
    get over() {
      return over;
    },
    get wait() {
      return pace.isPaused ? pace.wait : (silence.wait ?? pace.wait ?? connections.wait);
    },
    askWhetherSilent: async () => {
      if (!ended && silence.wait) await askWhetherSilent();
    },
    close: async () => {
      signal?.removeEventListener('abort', end);
      end();
    },
  };
};
