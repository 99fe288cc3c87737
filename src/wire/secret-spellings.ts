import { memoize } from '../collections.js';
import type { SecretSpelling } from './automaton.js';
import { alteredPart, derive, isSigned, type KeyVariant } from './key-variants.js';
import type { ShortSpelling } from './redaction.js';
import { isDistinctiveWord, isNumber } from './scalars.js';
import { minUnits } from './spelling-search.js';
import { quotesSkippingReader } from './unit-reader.js';

/** A secret and its placeholder, such as `<API_KEY>`. */
export interface Secret {
  readonly value: string;
  readonly placeholder: string;
}

const withMark = (placeholder: string, mark: string): string =>
  mark === '' ? placeholder : placeholder.replace(/>$/, `:${mark}>`);

const unseeded = Buffer.alloc(0);

/** The secret itself, or an altered copy of it. */
interface SecretVariant {
  readonly text: string;
  readonly placeholder: string;
  readonly form: KeyVariant | undefined;
}

/**
 * Altered copies have their own placeholders in every encoding, so that an echo of a wrong key
 * differs from one of the right key.
 */
const redactedVariants = [
  'one-changed',
  'tail-changed',
  'reversed',
  'signature-changed',
  'unsigned',
  'case-flipped',
  'lower',
  'upper',
  'first-half',
] as const;

const ofSigned: ReadonlySet<KeyVariant> = new Set(['signature-changed', 'unsigned']);

const secretVariantsOf = ({ value, placeholder }: Secret): SecretVariant[] => {
  const copies = new Map<string, SecretVariant>([[value, { text: value, placeholder, form: undefined }]]);
  for (const form of redactedVariants) {
    if (ofSigned.has(form) && !isSigned(value)) continue;
    const text = derive(value, form, unseeded, '');
    if (text !== '' && !copies.has(text)) copies.set(text, { text, placeholder: withMark(placeholder, form), form });
  }
  return [...copies.values()];
};

/** The variants of a secret and, for `user:password`, those of the password alone. */
const allVariantsOf = (secret: Secret): SecretVariant[][] => {
  const copies = secretVariantsOf(secret);
  if (alteredPart(secret.value) === secret.value) return [copies];
  const placeholder = withMark(secret.placeholder, 'password');
  const passwords = copies.map(({ text, form }) => ({
    text: alteredPart(text),
    placeholder: withMark(placeholder, form ?? ''),
    form,
  }));
  return [copies, passwords.filter(({ text }) => text !== '')];
};

const digits = '0123456789';
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** The alphabets of RFC 4648, sections 4 and 6. Case and the alphabet of base64url are folded. */
const base64Alphabet = `${upper}${upper.toLowerCase()}${digits}+/`;
const base32Alphabet = `${upper}234567`;

/** Text in an encoding, and the number of neighbouring characters that carry bits of it. */
type Inside = Required<Pick<SecretSpelling, 'text' | 'edges'>>;

/**
 * `bytes` encoded inside longer data, at each alignment, without the characters that also encode
 * neighbouring bytes (the edges).
 * @param width bits of each character
 */
const encodedInside = (bytes: Buffer, alphabet: string, width: number): Inside[] => {
  const length = bytes.length * 8;
  const alignments = new Map<number, Inside>();
  for (let lead = 0; !alignments.has(lead % width); lead += 8) {
    const start = (width - (lead % width)) % width;
    const end = length - ((length - start) % width);
    let text = '';
    for (let at = start; at < end; at += width) {
      // A character has bits of two bytes at most.
      const two = ((bytes[at >> 3] ?? 0) << 8) | (bytes[(at >> 3) + 1] ?? 0);
      text += alphabet.charAt((two >> (16 - (at & 7) - width)) & ((1 << width) - 1));
    }
    const edges = { before: start === 0 ? 0 : 1, after: end === length ? 0 : 1 };
    alignments.set(lead % width, { text, edges });
  }
  return [...alignments.values()];
};

const base64Inside = (bytes: Buffer): Inside[] => encodedInside(bytes, base64Alphabet, 6);

const base32Inside = (bytes: Buffer): Inside[] => encodedInside(bytes, base32Alphabet, 5);

/** The alphabet of base64url. */
const inUrls = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_');

/** Without what may differ between two writings of the same hex or base64. */
const bareOf = (text: string): string => inUrls(text).replace(/[=-]/g, '');

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
const hex = (text: string): string => Buffer.from(text, 'utf8').toString('hex');

/**
 * The bytes that a key itself is the hex or base64 of, if there are enough to be told from chance.
 */
const bytesWrittenIn = (key: string): Buffer | undefined => {
  const digitsOfHex = key.replaceAll('-', '');
  const isHex = /^(?:[\da-f]{2})+$/i.test(digitsOfHex);
  const bytes = isHex ? Buffer.from(digitsOfHex, 'hex') : Buffer.from(key, 'base64');
  const isWhole = isHex || bytes.toString('base64url') === inUrls(key).replace(/=+$/, '');
  return isWhole && bytes.length >= 12 ? bytes : undefined;
};

/** All spellings in which a server may return a variant. */
const spellingsOfVariant = ({ text, placeholder, form }: SecretVariant, family: string): SecretSpelling[] => {
  const encoded = (mark: string, one: Pick<SecretSpelling, 'text' | 'edges'>, alignment = 0): SecretSpelling => ({
    ...one,
    placeholder: withMark(placeholder, mark),
    partPlaceholder: withMark(placeholder, `${mark}:part`),
    family: `${family} ${mark} ${alignment}`,
  });
  const bytes = Buffer.from(text, 'utf8');
  const bytesAsLatin1 = bytes.toString('latin1');
  const plain = { placeholder, partPlaceholder: withMark(placeholder, 'part') };
  const backwards = [...text].toReversed().join('');
  const inBase64 = base64Inside(bytes);
  const [, ...insideLonger] = inBase64;
  const written = form === undefined ? bytesWrittenIn(text) : undefined;
  return [
    { text, ...plain, family },
    ...(bytesAsLatin1 === text ? [] : [{ text: bytesAsLatin1, ...plain, family: `${family} latin1` }]),
    ...inBase64.map((one, alignment) => encoded('base64', one, alignment)),
    ...[base64(text), ...(form === undefined ? insideLonger.map(({ text: inner }) => inner) : [])]
      .flatMap((inner) => base64Inside(Buffer.from(inner)))
      .map((one, alignment) => encoded('base64:base64', one, alignment)),
    ...base32Inside(bytes).map((one, alignment) => encoded('base32', one, alignment)),
    encoded('hex', { text: hex(text) }),
    encoded('reversed', { text: backwards }),
    // A page that means to hide a secret turns it round before it encodes it.
    ...(form === undefined
      ? [
          ...base64Inside(Buffer.from(backwards)).map((one, alignment) => encoded('reversed:base64', one, alignment)),
          encoded('reversed:hex', { text: hex(backwards) }),
        ]
      : []),
    // A service that keeps the bytes, or the text, that a key stands for.
    ...(written
      ? [
          ...base64Inside(written).map((one, alignment) => encoded('decoded:base64', one, alignment)),
          encoded('decoded:hex', { text: written.toString('hex') }),
          encoded('decoded', { text: written.toString('latin1') }),
        ].filter((one) => !bareOf(text).startsWith(bareOf(one.text)) && /^[!-~]*\d[!-~]*$/.test(one.text))
      : []),
    // Some languages print bytes as `[57 57 52]`.
    { ...encoded('bytes', { text: [...bytes].join('') }), ungroupedOnly: true },
  ];
};

/** The spellings of a secret, its altered copies, and their passwords. */
export const spellingsOf = (secret: Secret): SecretSpelling[] =>
  allVariantsOf(secret).flatMap((copies) =>
    copies.flatMap((copy) => spellingsOfVariant(copy, copies[0]?.placeholder ?? '')),
  );

/** Whether a text has too few units to be searched for in parts. */
const isShort = (text: string): boolean =>
  Math.min(quotesSkippingReader.literalUnitsOf(text).length, quotesSkippingReader.unitsOf(text).length) < minUnits;

/**
 * Spellings that are replaced literally first. The first half is not included, since more of the
 * key may follow it.
 */
export const literalSpellings = (secret: Secret): [spelling: string, placeholder: string][] => {
  const spellings = allVariantsOf(secret)
    .flat()
    .filter(({ text, form }) => form !== 'first-half' && !isShort(text))
    .map(({ text, placeholder }): [string, string] => [text, placeholder]);
  const urlencoded = derive(secret.value, 'urlencoded', unseeded, '');
  // Skipped where it equals the key.
  if (urlencoded !== secret.value) spellings.push([urlencoded, withMark(secret.placeholder, 'urlencoded')]);
  return spellings;
};

/** Minimum lengths; shorter spellings occur by chance. */
const minLengths = { copy: 3, firstHalf: 4, base64: 4, hex: 6 } as const;

/** Spellings of short secrets: the secret anywhere, altered copies as whole words. */
export const shortSpellingsOf = (secret: Secret): ShortSpelling[] =>
  allVariantsOf(secret)
    .flat()
    .filter(({ text }) => isShort(text))
    .flatMap(({ text, placeholder, form }) => {
      const found: ShortSpelling[] = [];
      const least = form === 'first-half' ? minLengths.firstHalf : minLengths.copy;
      if (form === undefined || text.length >= least) found.push({ text, placeholder, alone: form !== undefined });
      if (form !== undefined && text.length < least) return found;
      for (const one of base64Inside(Buffer.from(text, 'utf8')))
        if (one.text.length >= minLengths.base64)
          found.push({ ...one, placeholder: withMark(placeholder, 'base64'), alone: false });
      for (const digits of [hex(text), hex(text).toUpperCase()])
        if (digits.length >= minLengths.hex)
          found.push({ text: digits, placeholder: withMark(placeholder, 'hex'), alone: false });
      return found;
    });

/** Whether a text contains a key literally. Ignores short keys, which occur by chance. */
export const occursIn = (key: string, text: string): boolean => key.length >= 6 && text.includes(key);

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
