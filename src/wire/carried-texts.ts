import { isUtf8 } from 'node:buffer';
import { constants, inflateRawSync } from 'node:zlib';
import { orUndefined } from '../collections.js';
import { behindCompressionHeader } from './content-coding.js';
import { minUnits } from './spelling-search.js';
import { layerReader } from './unit-reader.js';

/**
 * Decodes what a text carries: text in escapes, in markup, and in bytes that are written as base64,
 * base32 or hex, possibly compressed. Each step takes time linear in the text.
 */

const unescaped = (text: string): string => {
  let said = '';
  let from = 0;
  for (const { index } of text.matchAll(/[%&\\]/g)) {
    if (index < from) continue;
    const code = layerReader.read(text, index);
    said += text.slice(from, index) + (code < 0 ? '' : String.fromCharCode(code));
    from = layerReader.next;
  }
  return said + text.slice(from);
};

/** Escapes of CSS: `\56`, `\000056` or `\ff36`, and white space that ends one. */
const cssEscape = /\\0{0,4}([\da-f]{4,5}(?![\da-f])|[\da-f]{2})\s?/gi;

const unescapedCss = (text: string): string =>
  text.includes('\\')
    ? text.replace(cssEscape, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    : text;

/** Whether a text may be UTF-8 that was read as Latin-1, as header fields are. */
const mayBeUtf8 = (text: string): boolean => /[\xc2-\xf4][\x80-\xbf]/.test(text) && !/[^\0-\xff]/.test(text);

/** Text in two or four bytes a character that was read byte by byte. */
const inWideBytes = /(?:[^\0]\0{1,3}){6}|(?:\0{1,3}[^\0]){6}/;

const ofBytes = (text: string): string => {
  const decoded = mayBeUtf8(text) ? Buffer.from(text, 'latin1').toString('utf8') : text;
  return inWideBytes.test(decoded) ? decoded.replaceAll('\0', '') : decoded;
};

/** Characters that are not seen, and marks over others. */
const unseen = /[\p{Default_Ignorable_Code_Point}\p{M}]/gu;

/** With the letter that each form of it stands for: circled, raised or mathematical. */
const withoutUnseen = (text: string): string =>
  /[^\0-\x7f]/.test(text) ? text.replace(unseen, '').normalize('NFKC') : text;

/** Runs of base64, base32 or hex, at a minimum length; shorter words are many. */
const encodedWords = /[\w+/-]{16,}/g;

/** Tags, and what stands between the characters of an encoding that is divided. */
const dividing = /<[/?!]?[a-z][^<>]*>|[^A-Za-z0-9+/]+/gi;

/** Letters of either case are 0 to 25, and the digits from 2 to 7 are 26 to 31. */
const fromBase32 = (text: string): Buffer => {
  const bytes = Buffer.alloc(Math.floor((text.length * 5) / 8));
  let [bits, held, size] = [0, 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    bits = ((bits << 5) | (code < 64 ? code - 24 : (code & 31) - 1)) & 0xfff;
    held += 5;
    if (held < 8) continue;
    held -= 8;
    bytes[size] = bits >> held;
    size += 1;
  }
  return bytes;
};

type Encoding = readonly [runs: RegExp, places: number, decode: (run: string) => Buffer];

/**
 * What a run may look like, how many of its characters may precede the encoded ones, and its bytes.
 */
const hexAndBase64: readonly Encoding[] = [
  [/[\da-f-]{16,}/gi, 2, (run) => Buffer.from(run.replaceAll('-', ''), 'hex')],
  // Text in base64 has capitals.
  [/^(?=[^A-Z]*[A-Z]).+/g, 4, (run) => Buffer.from(run, 'base64')],
];

const encodings: readonly Encoding[] = [...hexAndBase64, [/[A-Z2-7]{16,}|[a-z2-7]{16,}/g, 8, fromBase32]];

/** Numbers of a byte by their base: `0x2f`, `47`, `057` and `0b101111`. */
const byteNumbers: readonly (readonly [base: number, numbers: RegExp])[] = [
  [16, /(?<![\da-z])(?:0?x)?([\da-f]{2})(?![\da-z])/gi],
  [10, /(?<!\w)(\d{1,3})(?!\w)/g],
  [8, /(?<!\w)0?o?([0-3]?[0-7]{2})(?!\w)/g],
  [2, /(?<!\w)(?:0b)?([01]{6,8})(?!\w)/g],
];

/** A number of a byte in any base. */
const byteNumber = /(?<![\da-z])(?:0?[xob])?[\da-f]{1,8}(?![\da-z])/gi;

const bytesOf = (text: string): Buffer[] =>
  (text.match(byteNumber) ?? []).length < minUnits
    ? []
    : byteNumbers.map(([base, numbers]) =>
        Buffer.from(Array.from(text.matchAll(numbers), ([, digits = '']) => Number.parseInt(digits, base))),
      );

/** Maximum size of what is decompressed. */
const maxOutputLength = 65_536;

/** Characters of output that take about as long as one place where compressed data may begin. */
const costOfStart = 1_000;

/** Number of characters that may still be made of a text. */
interface Budget {
  left: number;
}

/**
 * What is compressed in bytes, wherever it begins, as far as it is there. No checksum is verified,
 * since the data may be cut, and other bytes may follow.
 */
const inflatedIn = (bytes: Buffer, budget: Budget): readonly Buffer[] => {
  const options = { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH };
  const found: Buffer[] = [];
  for (let at = 0; at < bytes.length && budget.left > 0; at += 1) {
    const start = behindCompressionHeader(bytes, at);
    if (start < 0) continue;
    budget.left -= costOfStart;
    const plain = orUndefined(() => inflateRawSync(bytes.subarray(start), options));
    if (plain) found.push(plain);
  }
  return found;
};

/** The text that bytes are, or the strings in them; `\ufffd` stands for bytes that are no text. */
const saidBy = (bytes: Buffer): string =>
  isUtf8(bytes) ? bytes.toString() : (bytes.toString().match(/[^\x01-\x1f\x7f-\x9f\ufffd]{8,}/g) ?? []).join(' ');

const textIn = (bytes: Buffer, budget: Budget): string =>
  isUtf8(bytes) ? bytes.toString() : [bytes, ...inflatedIn(bytes, budget)].map(saidBy).join(' ').trim();

/** What words and numbers stand for. */
const decoded = (text: string): string => {
  /**
   * By the encoding and the place in a run where it begins: a text may be spread over several runs.
   */
  const found = new Map<string, string>();
  // Nested compression could make more and more of it.
  const budget: Budget = { left: 3 * text.length + maxOutputLength };
  const add = (place: string, bytes: Buffer): void => {
    const said = budget.left > 0 ? textIn(bytes, budget) : '';
    budget.left -= said.length;
    if (said !== '') found.set(place, (found.get(place) ?? '') + said);
  };
  const read = (word: string, those: readonly Encoding[]): void => {
    for (const [index, [runs, places, decode]] of those.entries())
      for (const run of word.match(runs) ?? [])
        for (let place = 0; place < places; place += 1) add(`${index} ${place}`, decode(run.slice(place)));
  };
  for (const word of text.match(encodedWords) ?? []) read(word, encodings);
  // Words of prose, joined, are all letters of base32.
  read(text.replace(dividing, ''), hexAndBase64);
  for (const [index, bytes] of bytesOf(text).entries()) add(`list ${index}`, bytes);
  return [...found.values()].join('\n').trim();
};

/** The texts that a text carries in one layer of encoding. */
export const carriedTexts = (text: string): readonly string[] => {
  const found = [...new Set([text, withoutUnseen(text)])].flatMap((seen) => [
    ofBytes(seen),
    ofBytes(unescaped(seen)),
    unescapedCss(seen),
    ofBytes(decoded(seen)),
  ]);
  return found.filter((one) => one !== text && one !== '');
};
