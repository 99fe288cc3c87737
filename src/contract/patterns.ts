/** What a pattern of a document means, read as the dialect that JSON Schema names (ECMA-262) and never as another. */

const isSyntax = (character: string): boolean => '^$\\.*+?()[]{}|/'.includes(character);

/** Every dialect takes an escaped character that is neither letter nor digit for that character; `u` refuses most of them. */
const plainly = (pattern: string): string =>
  pattern.replace(/\\([^A-Za-z0-9])/gu, (pair, character: string) =>
    isSyntax(character) ? pair : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );

/**
 * What other dialects write for something else (`\Z`, `\p{L}`, `x{,5}`, `[[:alpha:]]`, `[a-z&&[^b]]`), and ECMA-262 without
 * `u` reads as literal characters without a word.
 */
const foreign = /\\[^dDwWsSbBtnrfvxu]|\\u\{|\{,|\[:|\[\[|&&/;

const compiled = (pattern: string, flags: string): RegExp | undefined => {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return undefined;
  }
};

/** The expression that a pattern surely means; `undefined` where it is none of ECMA-262, or may be meant as another dialect. */
export const readPattern = (pattern: string): RegExp | undefined => {
  const unicode = compiled(plainly(pattern), 'u');
  if (unicode || foreign.test(pattern.replace(/\\[^A-Za-z]/gu, ''))) return unicode;
  return compiled(pattern, '');
};
