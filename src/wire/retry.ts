import type { Attempt, HeaderPair, WireErrorCode } from './types.js';

/** Maximum number of attempts by error code; one for codes not listed, except resets. */
const attemptsByError: Readonly<Partial<Record<WireErrorCode, number>>> = {
  refused: 2,
  unreachable: 2,
  'connect-timeout': 2,
  'headers-timeout': 2,
  'body-timeout': 2,
};

/**
 * Maximum number of attempts at resets, normally and where the server resets deliberately. Over
 * plain HTTP a reset is more likely an answer than an accident.
 */
const attemptsAtReset = { https: { usual: 6, onPurpose: 2 }, plain: { usual: 2, onPurpose: 1 } };
/** Number of consecutive requests, reset each time, after which resets count as deliberate. */
const resetOnPurpose = 3;

const unavailable = new Set([502, 503, 504]);
const attemptsUnavailable = 3;
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
export const isRateLimitedBy503 = (tried: readonly TriedAttempt[]): boolean => {
  const last = tried.at(-1);
  return last?.attempt.response !== undefined && !isUnavailable(last) && tried.some(isUnavailable);
};

/** Counts consecutive requests that were reset at every attempt, by origin and key. */
export class Resets {
  readonly #inARow = new Map<string, number>();

  /** Maximum number of attempts if each is reset. */
  attemptsFor(who: string): number {
    const { usual, onPurpose } = attemptsAtReset[who.startsWith('http:') ? 'plain' : 'https'];
    return (this.#inARow.get(who) ?? 0) >= resetOnPurpose ? onPurpose : usual;
  }

  note(who: string, last: Attempt | undefined): void {
    if (last?.response) this.#inARow.delete(who);
    else if (last?.error?.code === 'reset') this.#inARow.set(who, (this.#inARow.get(who) ?? 0) + 1);
  }
}

/**
 * Milliseconds until the next attempt, or `undefined` if the last one is final. 429 is not handled
 * here, since it concerns all requests.
 * @param options.atReset maximum number of attempts if each is reset
 * @param options.slower whether the server limits its rate with 503
 */
export const nextTry = (
  tried: readonly TriedAttempt[],
  { atReset, slower = false }: { readonly atReset: number; readonly slower?: boolean },
): number | undefined => {
  const last = tried.at(-1);
  if (!last || tried.length >= maxAttempts) return undefined;
  if (last.stale) return 0;
  const { response, error } = last.attempt;
  if (error) {
    const same = tried.filter(({ attempt, stale }) => !stale && attempt.error?.code === error.code).length;
    const most = error.code === 'reset' ? atReset : (attemptsByError[error.code] ?? 1);
    return same < most ? backoff(same) : undefined;
  }
  if (!response || !unavailable.has(response.status)) return undefined;
  const same = tried.filter(({ attempt }) => unavailable.has(attempt.response?.status ?? 0)).length;
  if (same >= (slower && response.status === 503 ? attemptsRateLimited : attemptsUnavailable)) return undefined;
  return Math.min(maxUnavailablePauseMs, retryAfterMs(response.headers) ?? jittered(200 * 2 ** (same - 1)));
};
