import { isUtf8 } from 'node:buffer';
import { unzipSync } from 'node:zlib';
import { orUndefined } from '../collections.js';
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

/** Escapes of CSS: `\56` or `\000056`, and white space that ends one. */
const cssEscape = /\\0{0,4}([\da-f]{2})\s?/gi;

const unescapedCss = (text: string): string =>
  text.includes('\\')
    ? text.replace(cssEscape, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
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

const withoutUnseen = (text: string): string => (/\xad|[^\0-\u02ff]/.test(text) ? text.replace(unseen, '') : text);

/** Minimum number of characters of base64, base32 or hex; shorter words are many. */
const minEncoded = 16;
/** Maximum number of characters of a byte, `0x2f`, and minimum number of bytes in a list. */
const maxByte = 4;
const minBytes = 8;

/** 1 for the characters of both alphabets of base64, and so of base32 and hex. */
const inWord = Uint8Array.from({ length: 65_536 }, (_, code) => Number(/[\w+/-]/.test(String.fromCharCode(code))));

interface Encoded {
  readonly long: string[];
  /** Lists of short words. */
  readonly lists: string[];
}

/** Runs of a text that may be encoded. */
const encodedIn = (text: string): Encoded => {
  const words: Encoded = { long: [], lists: [] };
  let start = 0;
  let listStart = 0;
  let count = 0;
  for (let at = 0; at <= text.length; at += 1) {
    if (inWord[text.charCodeAt(at)] === 1) continue;
    const length = at - start;
    if (length > maxByte || at === text.length) {
      if (count >= minBytes) words.lists.push(text.slice(listStart, length > maxByte ? start : at));
      count = 0;
      if (length >= minEncoded) words.long.push(text.slice(start, at));
    } else if (length > 0) {
      if (count === 0) listStart = start;
      count += 1;
    }
    start = at + 1;
  }
  return words;
};

const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const fromBase32 = (text: string): Buffer => {
  const bits = Array.from(text.toUpperCase(), (c) => base32Alphabet.indexOf(c).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
};

type Encoding = readonly [runs: RegExp, places: number, decode: (run: string) => Buffer];

/** What a run may look like, how many of its characters may precede the encoded ones, and its bytes. */
const encodings: readonly Encoding[] = [
  [/[\da-f-]{16,}/gi, 2, (run) => Buffer.from(run.replaceAll('-', ''), 'hex')],
  [/[A-Z2-7]{16,}|[a-z2-7]{16,}/g, 8, fromBase32],
  // Text in base64 has capitals.
  [/^(?=[^A-Z]*[A-Z]).+/g, 4, (run) => Buffer.from(run, 'base64')],
];

const hexBytes = /(?<![\da-z])(?:0?x)?([\da-f]{2})(?![\da-z])/gi;
const decimalBytes = /(?<!\w)\d{1,3}(?!\w)/g;

/** The bytes that a list has in hex, and in decimal digits. */
const bytesOf = (list: string): Buffer[] => [
  Buffer.from(Array.from(list.matchAll(hexBytes), ([, digits = '']) => Number.parseInt(digits, 16))),
  Buffer.from(Array.from(list.matchAll(decimalBytes), ([digits]) => Number(digits))),
];

/** Minimum number of bytes of a text: fewer may spell a part of a secret by chance. */
const minText = 8;

/** Maximum size of what is decompressed. */
const maxOutputLength = 65_536;

/** The text in bytes, possibly compressed by gzip (RFC 1952) or zlib (RFC 1950); or the strings in them. */
const textIn = (bytes: Buffer): string => {
  if (bytes.length < minText) return '';
  const isCompressed =
    (bytes[0] === 0x1f && bytes[1] === 0x8b) || (bytes[0] === 0x78 && bytes.readUInt16BE(0) % 31 === 0);
  const plain = (isCompressed ? orUndefined(() => unzipSync(bytes, { maxOutputLength })) : undefined) ?? bytes;
  if (isUtf8(plain)) return plain.toString();
  const strings = plain.toString('latin1').match(/[\0\x20-\x7e]{8,}/g);
  return strings?.join(' ') ?? '';
};

/** What words and lists of bytes stand for. */
const decoded = (text: string): string => {
  const { long, lists } = encodedIn(text);
  /** By the encoding and the place in a run where it begins: a text may be spread over several runs. */
  const found = new Map<string, string>();
  // Nested compression could make more and more of it.
  let room = 3 * text.length + maxOutputLength;
  const add = (place: string, bytes: Buffer): void => {
    const said = room > 0 ? textIn(bytes) : '';
    room -= said.length;
    if (said !== '') found.set(place, (found.get(place) ?? '') + said);
  };
  for (const word of long)
    for (const [index, [runs, places, decode]] of encodings.entries())
      for (const run of word.match(runs) ?? [])
        for (let place = 0; place < places; place += 1) add(`${index} ${place}`, decode(run.slice(place)));
  for (const list of lists) for (const [index, bytes] of bytesOf(list).entries()) add(`list ${index}`, bytes);
  return [...found.values()].join('\n').trim();
};

/** The texts that a text carries in one layer of encoding. */
export const carriedTexts = (text: string): readonly string[] => {
  const found = [...new Set([text, withoutUnseen(text)])].flatMap((seen) => [
    ofBytes(unescaped(seen)),
    unescapedCss(seen),
    ofBytes(decoded(seen)),
  ]);
  return found.filter((one) => one !== text && one !== '');
};
