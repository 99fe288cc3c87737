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

const countOf = (part: string, text: string): number => text.split(part).length - 1;

/** What may hold a key: the body as it is and redacted, and other texts of the answer. */
export interface Searched {
  readonly body: Buffer;
  /** The text of the body, redacted; absent for binary data. */
  readonly redacted?: string | null | undefined;
  readonly texts: readonly string[];
}

/**
 * Whether an answer contains a whole key: as it is, percent-encoded, in base64 or in hex, or in
 * escapes of the body's format (`\u0026`, `&amp;`, `\/`) that its redaction has read. A key that a
 * person or chance might write (`DEMO_KEY`, `12345678`) does not count.
 * @param placeholder replaces the key in the redacted body; documentation may hold it too
 */
export const givesAway = (key: string, placeholder: string, { body, redacted, texts }: Searched): boolean => {
  const spellings = wholeSpellingsOf(key);
  if (spellings.some((spelling) => body.includes(spelling) || texts.some((text) => text.includes(spelling))))
    return true;
  if (spellings.length === 0 || !redacted?.includes(placeholder)) return false;
  return countOf(placeholder, redacted) > countOf(placeholder, body.toString());
};
