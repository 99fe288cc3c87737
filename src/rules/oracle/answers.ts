import type { Exchange, Response } from '../../wire/types.js';

/** Plain facts of answers. */

export const answerOf = (exchange: Exchange): Response | undefined => exchange.attempts.at(-1)?.response;

/** What came of an answer that broke off. */
export const partOf = (exchange: Exchange): Response | undefined =>
  exchange.attempts.findLast(({ partial }) => partial !== undefined)?.partial;

/** `name`: in lower case. */
export const header = (response: Response, name: string): string | undefined =>
  response.headers.find((field) => field[0].length === name.length && field[0].toLowerCase() === name)?.[1];

export const isSuccess = ({ status }: Response): boolean => status >= 200 && status < 300;

/** A gateway that gets no answer itself: none of the API's. */
export const isUnavailable = ({ status }: Response): boolean => [502, 503, 504].includes(status);

/** Statuses that speak of who asks, and of nothing else (RFC 9110, sections 15.5.2 and 15.5.4). */
export const aboutTheAsker: ReadonlySet<number> = new Set([401, 403]);

/** The same, or of a proxy (section 15.5.8). */
export const aboutTheAskerOrProxy: ReadonlySet<number> = new Set([...aboutTheAsker, 407]);

export const isRedirect = (response: Response): boolean =>
  [301, 302, 303, 307, 308].includes(response.status) && header(response, 'location') !== undefined;

/** A connection that is closed on every try is how some gateways say no. */
export const closesEachTime = ({ attempts }: Exchange): boolean =>
  attempts.length > 0 && attempts.every(({ error }) => error?.code === 'reset');

/**
 * Where a redirect points, without origin, query and fragment: those carry our own path or a token.
 */
export const placeIn = (response: Response): string => {
  if (!isRedirect(response)) return '';
  return (header(response, 'location') ?? '').replace(/^(?:[a-z]+:)?\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
};
