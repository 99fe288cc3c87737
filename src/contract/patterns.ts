import { orUndefined } from '../collections.js';

/** Reads `pattern` as ECMA-262, as JSON Schema says, and never as another dialect. */

const isSyntax = (character: string): boolean => '^$\\.*+?()[]{}|/'.includes(character);

/** Any dialect reads an escaped punctuation character as itself; the `u` flag refuses most. */
const plainly = (pattern: string): string =>
  pattern.replace(/\\([^A-Za-z0-9])/gu, (pair, character: string) =>
    isSyntax(character) ? pair : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );

/**
 * Syntax of other dialects (`\Z`, `\p{L}`, `x{,5}`, `[[:alpha:]]`, `[a-z&&[^b]]`) that ECMA-262
 * without `u` silently reads as literal characters.
 */
const foreign = /\\[^dDwWsSbBtnrfvxu]|\\u\{|\{,|\[:|\[\[|&&/;

const compiled = (pattern: string, flags: string): RegExp | undefined => orUndefined(() => new RegExp(pattern, flags));

/**
 * The pattern as a regular expression; `undefined` where it is invalid or perhaps of another
 * dialect.
 */
export const readPattern = (pattern: string): RegExp | undefined => {
  const unicode = compiled(plainly(pattern), 'u');
  if (unicode || foreign.test(pattern.replace(/\\[^A-Za-z]/gu, ''))) return unicode;
  return compiled(pattern, '');
};
