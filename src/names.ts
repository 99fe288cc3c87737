/** Names: patterns for them, their spellings, and which one was meant. */

/** The source of a regular expression that matches a text literally. */
export const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** What a method or a header field may be called (RFC 9110, section 5.6.2). */
export const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Begins the place of a schema that the document does not name; its digest follows. */
export const namelessSchema = 'nameless:';

/** A pattern in which `*` matches any characters. */
export const wildcard = (pattern: string, flags: 's' | 'is'): RegExp =>
  new RegExp(`^${pattern.split('*').map(literally).join('.*')}$`, flags);

/**
 * A name as part of a setting or placeholder: `tokenAuth` → `TOKEN_AUTH`, `HTTPBearer` →
 * `HTTP_BEARER`. A single capital letter is not split off: `OAuth2` → `OAUTH2`.
 */
export const upperSnake = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]{2,})([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toUpperCase();

/**
 * Whether two settings differ only in underscores: word boundaries in scheme names are ambiguous,
 * so `API_KEY_TOKENAUTH` equals `API_KEY_TOKEN_AUTH`.
 */
export const isSameSetting = (a: string, b: string): boolean => a.replaceAll('_', '') === b.replaceAll('_', '');

/** `BASE_URL` → `baseUrl` */
export const camelCase = (name: string): string =>
  name.toLowerCase().replace(/_(.)/g, (_whole, letter: string) => letter.toUpperCase());

/** Number of edits (insert, delete, replace, swap of neighbours) between two texts. */
export const editDistance = (from: string, to: string): number => {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
};

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9*@]/g, '');

/** A name, and other spellings of it. */
interface KnownName {
  readonly name: string;
  readonly alsoCalled?: readonly string[];
}

/**
 * The candidate that was most likely meant by `given`; `undefined` if none is near. Case, dashes
 * and underscores are ignored, and at most a third of the letters may differ.
 * @param mostEdits a lower limit, for names that others may give too
 */
export const nearestName = (
  given: string,
  candidates: Iterable<string | KnownName>,
  mostEdits = Number.POSITIVE_INFINITY,
): string | undefined => {
  const wanted = plain(given);
  let best: { name: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const { name, alsoCalled = [] }: KnownName = typeof candidate === 'string' ? { name: candidate } : candidate;
    for (const spelling of [name, ...alsoCalled]) {
      const text = plain(spelling);
      const most = Math.min(mostEdits, Math.floor(Math.max(wanted.length, text.length) / 3));
      // The distance is at least the difference in length. An environment has many names.
      if (Math.abs(wanted.length - text.length) > most) continue;
      const distance = editDistance(wanted, text);
      if (distance <= most && (!best || distance < best.distance)) best = { name, distance };
    }
  }
  return best?.name;
};

/** `did you mean BASE_URL?`; other advice where no candidate is near. */
export const didYouMean = (given: string, candidates: Iterable<string | KnownName>, otherwise = ''): string => {
  const meant = nearestName(given, candidates);
  return meant === undefined ? otherwise : `did you mean ${meant}?`;
};
