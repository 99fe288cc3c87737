import { memoize } from '../collections.js';
import { isDistinctiveWord, isNumber } from './scalars.js';
import { base64Inside } from './secret-spellings.js';

/** Whether a text contains a key literally. Ignores short keys, which occur by chance. */
export const occursIn = (key: string, text: string): boolean => key.length >= 6 && text.includes(key);

/** The alphabet of base64url. */
const inUrls = (base64: string): string => base64.replaceAll('+', '-').replaceAll('/', '_');

/** Spellings of a key; empty for a key that a person or chance might write. */
const wholeSpellingsOf = memoize((key: string): readonly string[] =>
  isDistinctiveWord(key) && !isNumber(key)
    ? [
        ...new Set([
          key,
          encodeURIComponent(key),
          // Also inside longer data (`user:password`, or a token that holds it), or twice.
          ...[key, Buffer.from(key).toString('base64')]
            .flatMap((one) => base64Inside(Buffer.from(one)))
            .flatMap(({ text }) => [text, inUrls(text)]),
          Buffer.from(key).toString('hex'),
          // As languages print bytes: `[57 57]`, `[57, 57]` and `[57,57]`.
          ...[' ', ', ', ','].map((between) => [...Buffer.from(key)].join(between)),
        ]),
      ]
    : [],
);

const mostDecodings = 3;

/** A text as it is, and percent-decoded once and repeatedly. */
const decodingsOf = (text: string, most = mostDecodings): readonly string[] => {
  const decoded = text.replaceAll(/%([0-7][\da-f])/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return most === 0 || decoded === text ? [text] : [text, ...decodingsOf(decoded, most - 1)];
};

const countOf = (part: string, text: string): number => text.split(part).length - 1;

/** What may hold a key: the body as it is and redacted, and other texts of the answer. */
export interface Searched {
  readonly body: Buffer;
  /** The text of the body, redacted; absent for binary data. */
  readonly redacted?: string | null | undefined;
  readonly texts: readonly string[];
}

/**
 * Whether an answer contains a whole key: as it is, percent-encoded (also repeatedly), in base64
 * (also inside longer data, or encoded twice), in hex, as a list of decimal bytes, or in escapes of
 * the body's format (`\u0026`, `&amp;`, `\/`) that its redaction has read. A key that a person or
 * chance might write (`DEMO_KEY`, `12345678`) does not count.
 * @param placeholder replaces the key in the redacted body; documentation may hold it too
 */
export const givesAway = (key: string, placeholder: string, { body, redacted, texts }: Searched): boolean => {
  const spellings = wholeSpellingsOf(key);
  if (spellings.length === 0) return false;
  const all = texts.flatMap((text) => decodingsOf(text));
  if (spellings.some((spelling) => body.includes(spelling) || all.some((text) => text.includes(spelling)))) return true;
  if (!redacted?.includes(placeholder)) return false;
  return countOf(placeholder, redacted) > countOf(placeholder, body.toString());
};
