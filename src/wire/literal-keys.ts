import { memoize } from '../collections.js';
import { isDistinctiveWord, isNumber } from './scalars.js';

/** Whether a text contains a key literally. Ignores short keys, which occur by chance. */
export const occursIn = (key: string, text: string): boolean => key.length >= 6 && text.includes(key);

/** Spellings of a key; empty for a key that a person or chance might write. */
const wholeSpellingsOf = memoize((key: string): readonly string[] =>
  isDistinctiveWord(key) && !isNumber(key)
    ? [
        ...new Set([
          key,
          encodeURIComponent(key),
          Buffer.from(key).toString('base64').replace(/=+$/, ''),
          Buffer.from(key).toString('hex'),
        ]),
      ]
    : [],
);

/**
 * Whether a body or texts contain a whole key, as it is, percent-encoded, in base64 or in hex. A
 * key that a person or chance might write (`DEMO_KEY`, `12345678`) does not count.
 */
export const givesAway = (key: string, body: Buffer, texts: readonly string[]): boolean =>
  wholeSpellingsOf(key).some((spelling) => body.includes(spelling) || texts.some((text) => text.includes(spelling)));
