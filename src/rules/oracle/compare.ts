import type { BodyFacts } from '../../wire/facts.js';
import type { Response } from '../../wire/types.js';
import { sameShape } from './outline.js';

/** Comparisons of answers: is it the same one. Pure functions of facts. */

/** `name`: in lower case. */
export const header = (response: Response, name: string): string | undefined =>
  response.headers.find(([field]) => field.toLowerCase() === name)?.[1];

export const isSuccess = (response: Response): boolean => response.status >= 200 && response.status < 300;
/** A gateway that gets no answer itself: none of the API's. */
export const isUnavailable = ({ status }: Response): boolean => [502, 503, 504].includes(status);
export const isRedirect = (response: Response): boolean =>
  [301, 302, 303, 307, 308].includes(response.status) && header(response, 'location') !== undefined;

/**
 * Whether an answer to HEAD shows the keyed representation: its Content-Type, and its ETag or Content-Length. A length says
 * nothing where the ETag is another one although the key gets the same one `again`. `undefined` where no field tells.
 */
export const sameHead = (keyed: Response, again: Response | undefined, seen: Response): boolean | undefined => {
  const [type, etag, length] = ['content-type', 'etag', 'content-length'].map((name) => header(keyed, name));
  const telling = length === '0' ? undefined : length;
  if (type === undefined || (etag === undefined && telling === undefined)) return undefined;
  if (header(seen, 'content-type') !== type) return false;
  const seenTag = header(seen, 'etag');
  if (etag !== undefined && seenTag === etag) return true;
  const isStable = etag !== undefined && again !== undefined && header(again, 'etag') === etag;
  if (isStable && seenTag !== undefined) return false;
  return telling !== undefined && header(seen, 'content-length') === telling;
};

/** The same answer in everything that a server means by it: moments, random identifiers and our own words apart. */
export const sameAnswer = (a: Response, b: Response): boolean =>
  a.status === b.status && sameLocation(a, b) && sameBody(a.facts, b.facts);

export const sameLocation = (a: Response, b: Response): boolean => place(a) === place(b);

/** Where a redirect points, without origin, query and fragment: those carry our own path or a token. */
const place = (response: Response): string => {
  const location = header(response, 'location');
  if (location === undefined || !isRedirect(response)) return '';
  return location.replace(/^(?:[a-z]+:)?\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
};

export const sameBody = (a: BodyFacts, b: BodyFacts): boolean => {
  if (a.digest === b.digest) return true;
  if (a.kind !== b.kind || a.mediaType !== b.mediaType) return false;
  if (a.shape && b.shape) return sameShape(a.shape, b.shape);
  if (a.pieces && b.pieces) return overlap(a.pieces, b.pieces) >= 0.9;
  return false;
};

/** Share of common pieces, counted with their number; 1 for two empty lists. */
const overlap = (a: readonly string[], b: readonly string[]): number => {
  const left = new Map<string, number>();
  for (const piece of a) left.set(piece, (left.get(piece) ?? 0) + 1);
  let common = 0;
  for (const piece of b) {
    const count = left.get(piece) ?? 0;
    if (count > 0) {
      common += 1;
      left.set(piece, count - 1);
    }
  }
  const longest = Math.max(a.length, b.length);
  return longest === 0 ? 1 : common / longest;
};

/** Equal to the first keyed body but for what differs between the two keyed ones; `share` of the rest has to be there. */
export const equalButVolatile = (first: BodyFacts, second: BodyFacts, other: BodyFacts, share = 0.95): boolean => {
  if (other.digest === first.digest || other.digest === second.digest) return true;
  if (!first.pieces || !second.pieces || !other.pieces) return false;
  const again = new Set(second.pieces);
  const stable = first.pieces.filter((piece) => again.has(piece));
  const seen = new Set(other.pieces);
  const kept = stable.filter((piece) => seen.has(piece)).length;
  return stable.length > 0 && kept / stable.length >= share;
};
