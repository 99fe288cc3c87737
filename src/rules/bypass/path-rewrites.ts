import { splitTarget } from '../support/targets.js';
import type { Bypass } from './bypass.js';

/** Rewrites of the path of a request target. */

export const segmentIndexes = (path: string): number[] =>
  path.split('/').flatMap((segment, index) => (index > 0 && segment !== '' ? [index] : []));

export const spellPath =
  (rewrite: (path: string) => string) =>
  (target: string): string => {
    const [path, query] = splitTarget(target);
    return `${rewrite(path)}${query}`;
  };

export const insertBefore = (index: number, inserted: string) =>
  spellPath((path) => {
    const segments = path.split('/');
    return [...segments.slice(0, index), inserted, ...segments.slice(index)].join('/');
  });

export const rewriteSegment = (index: number, rewrite: (segment: string) => string) =>
  spellPath((path) => {
    const segments = path.split('/');
    return segments.with(index, rewrite(segments[index] ?? '')).join('/');
  });

/** Rewrites the last segment that is not empty. */
export const rewriteLastName =
  (rewrite: (segment: string) => string) =>
  (path: string): string => {
    const last = segmentIndexes(path).at(-1);
    return last === undefined ? path : rewriteSegment(last, rewrite)(path);
  };

/**
 * Encodes the first letter or digit that is not encoded yet (`%C3%A9x` becomes `%C3%A9%78`). A
 * placeholder (`<ID>`) stays as it is: the letters in it are not those of the path.
 */
const encodingFirst =
  (encode: (code: number) => string) =>
  (segment: string): string =>
    segment.startsWith('<')
      ? segment
      : segment.replace(/(?<!%[0-9a-f]?)[a-z0-9]/i, (letter) => encode(letter.charCodeAt(0)));

const hex = (code: number): string => code.toString(16);

export const encodeFirst = encodingFirst((code) => `%${hex(code)}`);

/** Encodes the first letter or digit, and the percent sign of that. */
export const encodeFirstTwice = encodingFirst((code) => `%25${hex(code)}`);

/** In two bytes of UTF-8 instead of one. */
export const encodeFirstOverlong = encodingFirst((code) => `%${hex(0xc0 | (code >> 6))}%${hex(0x80 | (code & 0x3f))}`);

/**
 * Replaces the first letter of the last name by its fullwidth form (U+FF01 to U+FF5E), which is the
 * letter again after the normalisation NFKC. Placeholders stay as they are.
 */
export const withFullwidthLetter = (path: string): string =>
  path.replace(/\/([a-z])([^/<>]*\/?)$/i, (_all, letter: string, rest: string) => {
    const fullwidth = String.fromCharCode(letter.charCodeAt(0) + 0xfee0);
    return `/${encodeURIComponent(fullwidth)}${rest}`;
  });

/**
 * Replaces the slash before the last segment. Everything before it stays, so that a proxy still
 * finds the service. The first slash of a target cannot be replaced, so a path of one segment uses
 * its last slash.
 */
export const withBackslash = (path: string): string => {
  const last = segmentIndexes(path).at(-1) ?? 0;
  if (last <= 1) return path.replace(/(.)\/$/, '$1\\');
  const segments = path.split('/');
  return `${segments.slice(0, last).join('/')}\\${segments.slice(last).join('/')}`;
};

/** Replaces every slash but the first. */
export const withBackslashes = (path: string): string => `/${path.slice(1).replaceAll('/', '\\')}`;

/** Puts `../` inside every name: a filter that only removes these characters restores the path. */
export const withParentInNames = (path: string): string =>
  path.replaceAll(/(?<=\/)[a-z0-9](?=[^/<>]*(?:\/|$))/gi, '$&../');

/** Another spelling of a request target, which may get past a guard that compares strings. */
export interface Spelling extends Pick<Bypass, 'words' | 'trick' | 'way' | 'changesForm'> {
  /** The end of a title, without names of segments: `with // in the path`. */
  readonly how: string;
  /** Rewrites a target in that way: the operation's, or that of a missing path. */
  readonly spell: (target: string) => string;
  /** The spelling leads to another resource. Only what the key gets at the own path counts. */
  readonly leadsElsewhere?: true;
}

/** A spelling that rewrites the path as a whole. */
export const pathSpelling = (words: string, how: string, rewrite: (path: string) => string): Spelling => ({
  words,
  how,
  spell: spellPath(rewrite),
});
