import { wordsIn } from '../collections.js';

/**
 * Reads a text as units, one per character, however it is escaped (percent-encoded once or several
 * times, `%u0061`, JSON `\uXXXX`, `\u{61}`, `\xXX`, octal `\141`, HTML entities, backslashes).
 * Readers differ in which characters they skip.
 */

const percent = 37;
const ampersand = 38;
const backslash = 92;

const lessThan = 60;
const zero = 48;
const letterX = 120;

/** Entities of HTML by name; each word ends with its character. */
const namedEntities: Readonly<Record<string, number>> = {
  nbsp: 32,
  shy: 0xad,
  zwj: 0x200d,
  zwnj: 0x200c,
  ...Object.fromEntries(
    wordsIn(`
      amp& lt< gt> quot" apos' grave\` bsol\\ comma, semi; quest? hat^ lpar( rpar) lsqb[ rsqb] lcub{ rcub}
      verbar| sol/ plus+ equals= lowbar_ hyphen- period. colon: num# excl! dollar$ percnt% ast* commat@
    `).map((word) => [word.slice(0, -1), word.charCodeAt(word.length - 1)]),
  ),
};

const hexDigit = (code: number): number => {
  if (code >= 48 && code <= 57) return code - 48;
  if (code >= 65 && code <= 70) return code - 55;
  if (code >= 97 && code <= 102) return code - 87;
  return -1;
};

/** The number that `length` hex digits at `at` form, or -1. */
const hexNumber = (text: string, at: number, length: number): number => {
  let number = 0;
  for (let index = at; index < at + length; index += 1) {
    const digit = hexDigit(text.charCodeAt(index));
    if (!(digit >= 0)) return -1;
    number = number * 16 + digit;
  }
  return number;
};

/** The position after the unit that was read last. */
interface ReadPosition {
  next: number;
}

const readPercent = (text: string, at: number, place: ReadPosition): number => {
  let digits = at + 1;
  while (text.startsWith('25', digits) && hexNumber(text, digits + 2, 2) >= 0) digits += 2;
  const wide = /[uU]/.test(text.charAt(digits)) ? hexNumber(text, digits + 1, 4) : -1;
  const code = wide >= 0 ? wide : hexNumber(text, digits, 2);
  place.next = code < 0 ? at + 1 : digits + (wide >= 0 ? 5 : 2);
  return code < 0 ? percent : code;
};

const inBraces = /[ux]\{0*([0-9a-f]{1,4})\}/iy;
/** Digits may have two places instead of three: `\\61`. */
const octal = /[0-3][0-7]{2}|[4-7][0-7]/y;

/** Number of hex digits in `\x61`, `\u0061` and `\U00000061`. */
const hexLengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** The character that is escaped with backslashes, or -1 if there is none. */
const readBackslash = (text: string, at: number, place: ReadPosition, lineEnds: boolean): number => {
  let after = at + 1;
  while (text.charCodeAt(after) === backslash) after += 1;
  const letter = text.charAt(after);
  const length = hexLengths[letter] ?? 0;
  const code = length > 0 ? hexNumber(text, after + 1, length) : -1;
  if (code >= 0) {
    place.next = after + 1 + length;
    return code;
  }
  inBraces.lastIndex = after;
  octal.lastIndex = after;
  const braces = letter === 'u' || letter === 'x' ? inBraces.exec(text) : null;
  const digits = letter >= '0' && letter <= '7' ? octal.exec(text) : null;
  const found = braces ?? digits;
  if (found) {
    place.next = after + found[0].length;
    return braces ? Number.parseInt(braces[1] ?? '', 16) : Number.parseInt(found[0], 8);
  }
  // `\n`, `\r` and `\t` in an escaped text are white space.
  place.next = lineEnds && (letter === 'n' || letter === 'r' || letter === 't') ? after + 1 : after;
  return -1;
};

const entity = /#x0*([0-9a-f]{1,6});?|#0*([0-9]{1,7});?|([a-z]{2,7});/iy;

const readEntity = (text: string, at: number, place: ReadPosition): number => {
  let after = at + 1;
  while (text.startsWith('amp;', after)) after += 4;
  entity.lastIndex = after;
  const found = entity.exec(text);
  const code = found?.[1]
    ? Number.parseInt(found[1], 16)
    : found?.[2]
      ? Number.parseInt(found[2], 10)
      : found?.[3]
        ? namedEntities[found[3].toLowerCase()]
        : undefined;
  if (code === undefined || code > 0xffff) {
    place.next = after;
    return ampersand;
  }
  place.next = entity.lastIndex;
  return code;
};

/**
 * A tag, a comment, a processing instruction or the beginning of CDATA. Contains no `<`, which
 * keeps the search linear.
 */
const tag = /<(?:(?:[/?]?[a-z]|!--)[^<>\0]*>|!\[CDATA\[)/iy;
const hexByte = /0x(?=[0-9a-f]{2}(?![0-9a-f]))/iy;

const endOfMatch = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at + 1;
};

/** Longer sequences to skip: tags, the `0x` before bytes, and escaped white space (`\n`). */
interface SkipOptions {
  readonly tags?: true;
  readonly hexPrefixes?: true;
  readonly escapedSpace?: true;
}

/** Reads units. After `read`, `next` is the position of the next unit. */
export class UnitReader {
  next = 0;
  /** 1 for characters that are units without unescaping, for fast loops. */
  readonly plain = new Uint8Array(65536);
  /** 1 for characters that are skipped. */
  readonly #skipped = new Uint8Array(65536);
  readonly #skips: RegExp;
  readonly #between: SkipOptions;
  readonly #special: readonly number[];

  /**
   * @param skips matches a character to skip
   * @param between longer sequences to skip
   */
  constructor(skips: RegExp, between: SkipOptions = {}) {
    this.#skips = skips;
    this.#between = between;
    this.#special = [
      percent,
      ampersand,
      backslash,
      ...(between.hexPrefixes ? [zero] : []),
      ...(between.tags ? [lessThan] : []),
    ];
  }

  /** Whether an unescaped character is skipped. The answer is cached. */
  skips(code: number): boolean {
    if (this.#skipped[code] === 1) return true;
    if (this.plain[code] === 1) return false;
    const skipped = this.#skips.test(String.fromCharCode(code));
    if (skipped) this.#skipped[code] = 1;
    else if (!this.#special.includes(code)) this.plain[code] = 1;
    return skipped;
  }

  /** The code of the unit at `at`, or -1 if it is skipped. */
  read(text: string, at: number): number {
    let code = text.charCodeAt(at);
    this.next = at + 1;
    if (code === percent) code = readPercent(text, at, this);
    else if (code === backslash) code = readBackslash(text, at, this, this.#between.escapedSpace ?? this.skips(10));
    else if (code === ampersand) code = readEntity(text, at, this);
    else if (code === lessThan && this.#between.tags) {
      this.next = endOfMatch(tag, text, at);
      return -1;
    } else if (code === zero && this.#between.hexPrefixes && (text.charCodeAt(at + 1) | 0x20) === letterX) {
      const next = endOfMatch(hexByte, text, at);
      if (next > at + 1) {
        this.next = next;
        return -1;
      }
    }
    const isEscapedNul = code === 0 && this.next > at + 1;
    return code < 0 || isEscapedNul || this.skips(code) ? -1 : code;
  }

  unitsOf(text: string): number[] {
    if (!/[%&\\<]|0x/i.test(text)) return this.literalUnitsOf(text);
    const units: number[] = [];
    for (let at = 0; at < text.length; at = this.next) {
      const code = this.read(text, at);
      if (code >= 0) units.push(code);
    }
    return units;
  }

  /** The units of a text without unescaping, since a key may contain `%20`. */
  literalUnitsOf(text: string): number[] {
    const units: number[] = [];
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (!this.skips(code)) units.push(code);
    }
    return units;
  }
}

/** Skips white space, quotes, backslashes and zero-width characters. */
export const quotesSkippingReader = new UnitReader(/[\t\n\r "'`\\\u200b\ufeff]/);

/** Skips no character, so that what is escaped may be an escape itself. */
export const layerReader = new UnitReader(/(?!)/, { escapedSpace: true });

/** Skips only backslashes. */
export const unescapingReader = new UnitReader(/\\/);

export const isAlphanumeric = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

/**
 * Everything that is not a letter or digit of any script. Not `\0`, which separates texts and ends
 * matches.
 */
const grouping = /[^\p{L}\p{N}\0]|\p{Default_Ignorable_Code_Point}/u;

/** Skips punctuation and tags, so that a key is found in any grouping. */
export const ungroupedReader = new UnitReader(grouping, { tags: true, hexPrefixes: true });

/** The same without skipping tags, for a key in the value of an attribute. */
export const insideTagsReader = new UnitReader(grouping, { hexPrefixes: true });

/** Folds case, the two alphabets of base64, and full-width forms of ASCII. */
export const folded = (code: number): number => {
  if (code === 45) return 43;
  if (code === 95) return 47;
  if (code < 128) return code >= 65 && code <= 90 ? code + 32 : code;
  if (code >= 0xff01 && code <= 0xff5e) return folded(code - 0xfee0);
  const small = String.fromCharCode(code).toLowerCase();
  return small.length === 1 ? small.charCodeAt(0) : code;
};
