import { urlIn } from '../../urls.js';
import { attemptsUnavailable, unavailable } from '../../wire/retry.js';
import type { Attempt, Exchange, Response } from '../../wire/types.js';

/** What the status and the header fields of an answer say by themselves. */

export const answerOf = (exchange: Exchange): Response | undefined => exchange.attempts.at(-1)?.response;

/** The answers to those of the requests that got one. */
export const answersOf = (exchanges: readonly Exchange[]): readonly Response[] =>
  exchanges.flatMap((exchange) => answerOf(exchange) ?? []);

/** The answer with the part of its body that arrived before the connection broke off. */
export const partialAnswerOf = (exchange: Exchange): Response | undefined =>
  exchange.attempts.findLast(({ partial }) => partial !== undefined)?.partial;

/** The first value of a header field. `name` has to be lower case. */
export const header = (response: Response, name: string): string | undefined =>
  response.headers.find((field) => field[0].length === name.length && field[0].toLowerCase() === name)?.[1];

/** Marks the type of a success, so that what is none keeps its own type. */
interface Success {
  readonly status: number & { readonly isSuccess: true };
}

/** Whether an answer is a success (2xx). `undefined` is none. */
export const isSuccess = <Answer extends Pick<Response, 'status'>>(
  answer: Answer | undefined,
): answer is Answer & Success => answer !== undefined && answer.status >= 200 && answer.status < 300;

/** Whether the status is that of a gateway without an answer. It says nothing about the API. */
export const isUnavailable = ({ status }: Response): boolean => unavailable.has(status);

/**
 * Whether an answer says nothing about the operation: a rate limit, or a gateway without an answer.
 */
export const saysNothing = (answer: Response): boolean => answer.status === 429 || isUnavailable(answer);

/** Statuses that are only about the client's credentials (RFC 9110, sections 15.5.2 and 15.5.4). */
export const authStatuses: ReadonlySet<number> = new Set([401, 403]);

/** Statuses about credentials: the client's, or a proxy's with 407 (RFC 9110, section 15.5.8). */
export const authOrProxyStatuses: ReadonlySet<number> = new Set([...authStatuses, 407]);

export const isRedirect = (response: Response): boolean =>
  [301, 302, 303, 307, 308].includes(response.status) && header(response, 'location') !== undefined;

/** The URL that a redirect leads to; `undefined` if it is none, or names no URL. */
export const redirectUrlOf = (response: Response, from: string): URL | undefined =>
  isRedirect(response) ? urlIn(header(response, 'location') ?? '', from) : undefined;

/** Whether a status says that nothing is at the path. */
export const isNotFound = ({ status }: Response): boolean => status === 404 || status === 410;

/** Whether every attempt was reset. Some gateways refuse a request by closing the connection. */
export const closesEachTime = ({ attempts }: Exchange): boolean =>
  attempts.length > 0 && attempts.every(({ error }) => error?.code === 'reset');

/**
 * Whether a request got no answer that could be compared: one that says nothing about the
 * operation, or none although the connection was not closed each time.
 */
export const isUnanswered = (exchange: Exchange): boolean => {
  const answer = answerOf(exchange);
  return answer === undefined ? !closesEachTime(exchange) : saysNothing(answer);
};

export const isServerError = (exchange: Exchange): boolean => (answerOf(exchange)?.status ?? 0) >= 500;

/** Whether the server's certificate was not accepted. */
export const isCertificateRefused = ({ error }: Attempt): boolean => error?.code === 'certificate';

/**
 * Whether every answer is 502, which a gateway gives if the service closes the connection (RFC
 * 9110, section 15.6.3).
 */
export const isBadGatewayEachTime = ({ attempts }: Exchange): boolean =>
  attempts.length >= attemptsUnavailable && attempts.every(({ response }) => response?.status === 502);

/**
 * The path of a redirect's Location. Origin, query and fragment are left out, since they may repeat
 * the requested path or hold a token.
 */
export const redirectPathOf = (response: Response): string => {
  if (!isRedirect(response)) return '';
  return (header(response, 'location') ?? '').replace(/^(?:[a-z]+:)?\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
};
