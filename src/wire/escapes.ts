/**
 * Reads text as units, so that one character counts as one unit however it is escaped: percent-encoded (once or several times), JSON `\uXXXX`,
 * `\xXX`, HTML entities, behind backslashes. Quotes and white space are no units: a key split by them is still that key.
 */

const percent = 37;
const ampersand = 38;
const backslash = 92;

/** Units that are skipped: white space, quotes, backslashes, zero-width characters. */
const skipped = new Set([9, 10, 13, 32, 34, 39, 96, backslash, 0x200b, 0xfeff]);

const named: Readonly<Record<string, number>> = {
  amp: 38,
  lt: 60,
  gt: 62,
  quot: 34,
  apos: 39,
  nbsp: 32,
  sol: 47,
  plus: 43,
  equals: 61,
  lowbar: 95,
  hyphen: 45,
  period: 46,
  colon: 58,
  num: 35,
  excl: 33,
  dollar: 36,
  percnt: 37,
  ast: 42,
  commat: 64,
};

const hexDigit = (code: number): number => {
  if (code >= 48 && code <= 57) return code - 48;
  if (code >= 65 && code <= 70) return code - 55;
  if (code >= 97 && code <= 102) return code - 87;
  return -1;
};

/** The number that `length` hex digits at `at` spell, or -1. */
const hexNumber = (text: string, at: number, length: number): number => {
  let number = 0;
  for (let index = at; index < at + length; index += 1) {
    const digit = hexDigit(text.charCodeAt(index));
    if (!(digit >= 0)) return -1;
    number = number * 16 + digit;
  }
  return number;
};

export interface UnitReader {
  /** Code of the unit at `at`, or -1 where nothing counts; `next` is then where the reading goes on. */
  read(text: string, at: number): number;
  next: number;
}

const readPercent = (text: string, at: number, reader: UnitReader): number => {
  let digits = at + 1;
  while (text.startsWith('25', digits) && hexNumber(text, digits + 2, 2) >= 0) digits += 2;
  const code = hexNumber(text, digits, 2);
  reader.next = code < 0 ? at + 1 : digits + 2;
  return code < 0 ? percent : code;
};

const readBackslash = (text: string, at: number, reader: UnitReader): number => {
  let after = at + 1;
  while (text.charCodeAt(after) === backslash) after += 1;
  const letter = text.charAt(after);
  const length = letter === 'u' ? 4 : letter === 'x' ? 2 : 0;
  const code = length > 0 ? hexNumber(text, after + 1, length) : -1;
  if (code >= 0) {
    reader.next = after + 1 + length;
    return code;
  }
  // `\n`, `\r` and `\t` inside an escaped text are white space.
  reader.next = letter === 'n' || letter === 'r' || letter === 't' ? after + 1 : after;
  return -1;
};

const entity = /#x0{0,6}([0-9a-f]{1,6});?|#0{0,6}([0-9]{1,7});?|([a-z]{2,7});/iy;

const readEntity = (text: string, at: number, reader: UnitReader): number => {
  let after = at + 1;
  while (text.startsWith('amp;', after)) after += 4;
  entity.lastIndex = after;
  const found = entity.exec(text);
  const code = found?.[1]
    ? Number.parseInt(found[1], 16)
    : found?.[2]
      ? Number.parseInt(found[2], 10)
      : found?.[3]
        ? named[found[3].toLowerCase()]
        : undefined;
  if (code === undefined || code > 0xffff) {
    reader.next = after;
    return ampersand;
  }
  reader.next = entity.lastIndex;
  return code;
};

export const unitReader: UnitReader = {
  next: 0,
  read(text, at) {
    let code = text.charCodeAt(at);
    this.next = at + 1;
    if (code === percent) code = readPercent(text, at, this);
    else if (code === backslash) code = readBackslash(text, at, this);
    else if (code === ampersand) code = readEntity(text, at, this);
    return skipped.has(code) ? -1 : code;
  },
};

/** Characters that `unitReader` treats as something else than themselves, as a table for quick loops. */
export const isPlainUnit = ((): Uint8Array => {
  const table = new Uint8Array(65536).fill(1);
  for (const code of [percent, ampersand, ...skipped]) table[code] = 0;
  return table;
})();

/** All units of a short text. */
export const unitsOf = (text: string): number[] => {
  const units: number[] = [];
  for (let at = 0; at < text.length; at = unitReader.next) {
    const code = unitReader.read(text, at);
    if (code >= 0) units.push(code);
  }
  return units;
};

/** Letters of either case are one unit, and so are the two alphabets of base64. */
export const folded = (code: number): number => {
  if (code === 45) return 43;
  if (code === 95) return 47;
  if (code < 128) return code >= 65 && code <= 90 ? code + 32 : code;
  const small = String.fromCharCode(code).toLowerCase();
  return small.length === 1 ? small.charCodeAt(0) : code;
};
