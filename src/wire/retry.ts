import type { Pace } from './pace.js';
import { isSafeMethod } from './probe-safety.js';
import { isTurnedAway, isUnconnected } from './silence.js';
import { waitingFields } from './time-limits.js';
import type { Attempt, HeaderPair, Probe, WireErrorCode } from './types.js';

/**
 * Maximum number of attempts by error code; one for codes that are not listed. Over plain HTTP
 * resets and silence are more likely answers than accidents.
 */
const usualAttempts: Readonly<Partial<Record<WireErrorCode, number>>> = {
  refused: 2,
  unreachable: 2,
  'connect-timeout': 2,
  'headers-timeout': 2,
  'body-timeout': 2,
};
const attemptsAtReset = { https: { usual: 6, onPurpose: 2 }, http: { usual: 2, onPurpose: 1 } };

/** Errors that may be deliberate. */
const mayBeOnPurpose: ReadonlySet<WireErrorCode> = new Set(['headers-timeout', 'body-timeout', 'reset']);

/** Number of consecutive errors of one kind after which they count as deliberate. */
const onPurposeAfter = 3;

/** Statuses of a gateway without an answer. */
export const unavailable: ReadonlySet<number> = new Set([502, 503, 504]);
/** Number of attempts that end with one of them. */
export const attemptsUnavailable = 3;
/** Maximum number of attempts where the server limits its rate with 503, as nginx does. */
const attemptsRateLimited = 7;
/** Maximum number of attempts in all. */
const maxAttempts = 10;
const minPauseMs = 25;
const maxPauseMs = 400;
const maxUnavailablePauseMs = 5000;

export interface TriedAttempt {
  readonly attempt: Attempt;
  /**
   * The server had closed the idle connection, or left bytes of another response on it. Not counted
   * as an attempt.
   */
  readonly stale: boolean;
}

const fieldOf = (headers: readonly HeaderPair[], name: string): string | undefined =>
  headers.find(([field]) => field.toLowerCase() === name)?.[1];

/** Retry-After in milliseconds (RFC 9110, section 10.2.3); dates by the server's clock. */
export const retryAfterMs = (headers: readonly HeaderPair[]): number | undefined => {
  const value = fieldOf(headers, 'retry-after')?.trim();
  if (!value) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1000;
  const until = Date.parse(value);
  if (Number.isNaN(until)) return undefined;
  const serverNow = Date.parse(fieldOf(headers, 'date') ?? '');
  return Math.max(0, until - (Number.isNaN(serverNow) ? Date.now() : serverNow));
};

/** Milliseconds to wait after the `count`th 429 in a row. */
export const rateLimitPause = (headers: readonly HeaderPair[], count: number): number =>
  // Never 0, to avoid a busy loop.
  Math.max(100, retryAfterMs(headers) ?? 1000 * 2 ** (count - 1));

const jittered = (milliseconds: number): number => milliseconds * (0.75 + Math.random() / 2);

const backoff = (count: number): number => jittered(Math.min(maxPauseMs, minPauseMs * 2 ** (count - 1)));

const isUnavailable = ({ attempt }: TriedAttempt): boolean => attempt.response?.status === 503;

/** Whether a request succeeded after a 503, so the server limits its rate that way. */
const isRateLimitedBy503 = (tried: readonly TriedAttempt[]): boolean => {
  const last = tried.at(-1);
  return last?.attempt.response !== undefined && !isUnavailable(last) && tried.some(isUnavailable);
};

/**
 * Counts errors of one kind, by origin and key. Over HTTPS these are requests of which every
 * attempt failed, since the last one that a later attempt helped: a firewall answers ordinary
 * requests in between. Over plain HTTP these are consecutive attempts.
 */
class Unanswered {
  readonly #counted = new Map<string, { readonly code: WireErrorCode; readonly count: number }>();

  attemptsFor(who: string, code: WireErrorCode): number {
    const atReset = attemptsAtReset[schemeOf(who)];
    const last = this.#counted.get(who);
    const isOnPurpose = last?.code === code && last.count >= onPurposeAfter && mayBeOnPurpose.has(code);
    if (code === 'reset') return isOnPurpose ? atReset.onPurpose : atReset.usual;
    return isOnPurpose ? 1 : (usualAttempts[code] ?? 1);
  }

  /** @param isLast no other attempt at this request follows */
  note(who: string, tried: readonly TriedAttempt[], isLast: boolean): void {
    const code = tried.at(-1)?.attempt.error?.code;
    const isHttp = schemeOf(who) === 'http';
    const hasHelped = tried.filter(({ stale }) => !stale).length > 1;
    if (code === undefined) {
      if (isHttp || hasHelped) this.#counted.delete(who);
    } else if (isLast || isHttp) {
      const before = this.#counted.get(who);
      this.#counted.set(who, { code, count: before?.code === code ? before.count + 1 : 1 });
    }
  }
}

const schemeOf = (who: string): 'https' | 'http' => (who.startsWith('http:') ? 'http' : 'https');

/**
 * Milliseconds until the next attempt, or `undefined` if the last one is final. 429 is not handled
 * here, since it concerns all requests.
 * @param options.attemptsFor maximum number of attempts that end with an error
 * @param options.slower whether the server limits its rate with 503
 */
const nextTry = (
  tried: readonly TriedAttempt[],
  { attemptsFor, slower = false }: { readonly attemptsFor: (code: WireErrorCode) => number; readonly slower?: boolean },
): number | undefined => {
  const last = tried.at(-1);
  if (!last || tried.length >= maxAttempts) return undefined;
  if (last.stale) return 0;
  const { response, error } = last.attempt;
  if (error?.earlierMs !== undefined) return undefined;
  if (error) {
    const same = tried.filter(({ attempt, stale }) => !stale && attempt.error?.code === error.code).length;
    return same < attemptsFor(error.code) ? backoff(same) : undefined;
  }
  if (!response || !unavailable.has(response.status)) return undefined;
  const same = tried.filter(({ attempt }) => unavailable.has(attempt.response?.status ?? 0)).length;
  if (same >= (slower && response.status === 503 ? attemptsRateLimited : attemptsUnavailable)) return undefined;
  const asked = retryAfterMs(response.headers);
  // A service that is out for longer is not asked again before that.
  if (asked !== undefined && asked > maxUnavailablePauseMs && response.status === 503) return undefined;
  return Math.min(maxUnavailablePauseMs, asked ?? jittered(200 * 2 ** (same - 1)));
};

/** Number of consecutive failures after which the service counts as out. */
const inARow = 8;
/** Milliseconds of the first wait, doubled with each one that did not help, and of all together. */
const firstMs = 250;
const mostMs = 10_000;

/**
 * Notices when a service is out for a moment, as while it is deployed: paths that were answered
 * before get 502, 503 or 504, or no connection can be opened. A service may answer other paths so
 * at any time.
 */
export class Outage {
  /** Paths by origin. */
  readonly #answered = new Map<string, Set<string>>();
  #count = 0;
  #nextMs = firstMs;
  #spentMs = 0;

  /**
   * Milliseconds for which no requests should be sent after this attempt; mostly 0.
   * @param isOpen whether there was a connection, or none to the target was needed
   */
  waitAfter({ origin, target }: Probe, attempt: Attempt, isOpen: boolean): number {
    const { response } = attempt;
    const query = target.indexOf('?');
    const path = query < 0 ? target : target.slice(0, query);
    const answered = this.#answered.get(origin) ?? new Set<string>();
    if (response && !unavailable.has(response.status)) {
      this.#nextMs = firstMs;
      this.#count = 0;
      this.#answered.set(origin, answered.add(path));
      return 0;
    }
    const isOut = response ? answered.has(path) : answered.size > 0 && isUnconnected(attempt, isOpen);
    if (!isOut) return 0;
    this.#count += 1;
    if (this.#count < inARow) return 0;
    const waitMs = Math.min(this.#nextMs, mostMs - this.#spentMs);
    this.#count = 0;
    this.#nextMs *= 2;
    this.#spentMs += waitMs;
    return waitMs;
  }
}

/** Milliseconds without requests after 503s that limit the rate. */
const rateLimitPauseMs = 100;
/** Number of 503s in a row that show a limit: a broken backend gives them one by one. */
const limitedInARow = 3;

/**
 * Whether a server may be waiting for more than a request has: the protocol that it asks for, or
 * the content that it announces (RFC 9110, sections 7.8 and 10.1.1).
 */
const mayWaitForMore = ({ headers }: Probe, last: TriedAttempt | undefined): boolean =>
  last?.attempt.error?.code === 'headers-timeout' && waitingFields(headers).length > 0;

/**
 * Whether the server may have processed the request; an unsafe request must not be repeated then
 * (RFC 9110, section 9.2.2).
 */
const mayHaveArrived = (tried: TriedAttempt | undefined): boolean =>
  !['refused', 'unreachable', 'connect-timeout'].includes(tried?.attempt.error?.code ?? '');

/**
 * Tells the pace how the target bears its load, and decides whether a request is sent again.
 */
export class LoadControl {
  readonly #pace: Pace;
  readonly #origin: string;
  readonly #unanswered = new Unanswered();
  readonly #outage = new Outage();
  /** Whether the server limits its rate with 503, and how many such answers came in a row. */
  #isSlower = false;
  #unavailableInARow = 0;

  /** @param origin the target; other origins say nothing about its load */
  constructor(pace: Pace, origin: string) {
    this.#pace = pace;
    this.#origin = origin;
  }

  /**
   * @param isOpen whether there was a connection
   * @param epoch of the pace when the request was sent
   */
  note(probe: Probe, attempt: Attempt, isOpen: boolean, epoch: number): void {
    const isTarget = probe.origin === this.#origin;
    if (isTarget) this.#noteLoad(attempt, isOpen, epoch);
    this.#pace.hold(this.#outage.waitAfter(probe, attempt, isOpen || !isTarget));
  }

  #noteLoad({ response, error, timing }: Attempt, isOpen: boolean, epoch: number): void {
    if (!response) {
      if (!isOpen && isTurnedAway(error?.code)) this.#pace.refused(epoch);
      return;
    }
    this.#unavailableInARow = response.status === 503 ? this.#unavailableInARow + 1 : 0;
    if (response.status === 429 || this.#isUnavailable()) this.#pace.refused(epoch);
    else if (response.status !== 503 && timing.firstByte !== undefined) this.#pace.answered(timing.firstByte, epoch);
  }

  #isUnavailable(): boolean {
    return this.#unavailableInARow >= limitedInARow;
  }

  /**
   * Milliseconds until the next attempt; `undefined` if the last one is final.
   * @param who the origin, and the settings of the keys that are sent there
   */
  pauseAfter(probe: Probe, tried: readonly TriedAttempt[], who: string): number | undefined {
    const last = tried.at(-1);
    const response = last?.attempt.response;
    if (response?.status === 429) {
      const count = tried.filter(({ attempt }) => attempt.response?.status === 429).length;
      return this.#pace.pause(rateLimitPause(response.headers, count), 429) ? 0 : undefined;
    }
    this.#isSlower ||= isRateLimitedBy503(tried);
    if (this.#isSlower && this.#isUnavailable()) this.#pace.pause(rateLimitPauseMs, 503);
    else if (response) this.#pace.recover();
    if (!isSafeMethod(probe.method) && mayHaveArrived(last)) return undefined;
    if (mayWaitForMore(probe, last)) return undefined;
    return nextTry(tried, {
      attemptsFor: (code) => this.#unanswered.attemptsFor(who, code),
      slower: this.#isSlower,
    });
  }

  /** @param isLast no other attempt at this request follows */
  noteTried(tried: readonly TriedAttempt[], who: string, isLast: boolean): void {
    this.#unanswered.note(who, tried, isLast);
  }
}
