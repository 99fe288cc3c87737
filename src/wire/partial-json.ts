import { constants, unzipSync } from 'node:zlib';
import { orUndefined } from '../collections.js';

/** Parses incomplete JSON, and JSON inside other text. */

const maxLength = 1_048_576;

interface Scan {
  /** Index after the value; `undefined` where the text ends first. */
  readonly end: number | undefined;
  /** The longest prefix that ends after a value, completed with closing brackets. */
  readonly prefix: string;
}

/** Scans the object or array at `from`. */
const scan = (text: string, from: number): Scan => {
  const closers: string[] = [];
  let inString = false;
  let cut = from;
  let closing = '';
  for (let at = from; at < text.length && at - from < maxLength; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
      continue;
    }
    if (character === '"') inString = true;
    else if (character === '{' || character === '[') closers.push(character === '{' ? '}' : ']');
    else if (character === ',') {
      cut = at;
      closing = [...closers].reverse().join('');
    } else if (character === '}' || character === ']') {
      if (closers.pop() !== character) break;
      if (closers.length === 0) return { end: at + 1, prefix: text.slice(from, at + 1) };
      cut = at + 1;
      closing = [...closers].reverse().join('');
    }
    if (closers.length > 200) break;
  }
  return { end: undefined, prefix: text.slice(from, cut) + closing };
};

/** The value of a JSON text, which is never `undefined`; `undefined` for another text. */
export const parsed = (text: string): unknown => orUndefined((): unknown => JSON.parse(text));

/** The value of an incomplete JSON text; `undefined` if there is none. */
export const jsonPrefix = (text: string): unknown => parsed(scan(text, 0).prefix);

/** What follows the JSON text that a text begins with; empty where that does not end. */
export const behindJson = (text: string): string => {
  const { end } = scan(text, 0);
  return end === undefined ? '' : text.slice(end).trim();
};

/** `{"`, `[{`, `[[` or `["` in base64, and that in base64 once more. */
const inBase64 = '(?:eyJ|W3s|W1s|WyJ|ZXlK|VzNz|VzFz|V3lK)';
/** The same in hex. */
const inHex = '[57][Bb](?:22|[57][Bb])';
/** The first characters of gzip and zlib data in base64 (RFC 1952; RFC 1950 at levels 6 to 9). */
const packed = '(?:H4sI|eJ[w-z]|eN[o-r])';

const encodedJson = new RegExp(`${inBase64}[\\w+/-]{16,}`, 'g');
const hexJson = new RegExp(`${inHex}(?:[\\da-fA-F]{2}){16,}`, 'g');
const compressed = new RegExp(`${packed}[\\w+/-]{16,}`, 'g');
const maxEncoded = 20;

/** A double quotation mark, as templates escape it within a string of a script. */
const escapedQuote = /\\(?:u0022|x22)/i;

/**
 * Matches a text that may contain JSON: plain, escaped, percent-encoded, in hex, in base64, or
 * compressed in base64.
 */
export const maybeJson = new RegExp(
  `[[{]\\s*\\\\?["{[]|${escapedQuote.source}|%(?:25)*[57][Bb]|[[{]%(?:25)*22|${inBase64}|${packed}|${inHex}`,
);

/** Decompresses as much as possible, since a cookie may be cut. */
const unzipped = (encoded: string): string =>
  unzipSync(Buffer.from(encoded, 'base64'), {
    maxOutputLength: maxLength,
    finishFlush: constants.Z_SYNC_FLUSH,
  }).toString('utf8');

/** JSON that a text quotes: strings with escapes, percent-encoding, hex, base64, compressed. */
const quotedIn = (text: string): readonly string[] => {
  const quoted: string[] = [];
  const add = (decode: () => string): void => {
    const decoded = quoted.length < maxEncoded ? orUndefined(decode) : undefined;
    if (decoded !== undefined) quoted.push(decoded);
  };
  if (text.includes('\\"'))
    // `$` ends an open string; otherwise every quote in it would be tried as the start of a string.
    for (const [literal] of text.matchAll(/"(?:[^"\\]|\\.)*(?:"|$)/gs))
      if (literal.includes('\\"')) add(() => String(JSON.parse(literal)));
  if (escapedQuote.test(text))
    add(() =>
      text.replace(/\\(?:u([\dA-F]{4})|x([\dA-F]{2}))/gi, (_, unit, byte) =>
        String.fromCharCode(Number.parseInt(unit ?? byte, 16)),
      ),
    );
  // The query of a URL may have brackets as they are (URL Standard, query percent-encode set).
  for (const [encoded] of text.matchAll(/(?:%(?:25)*(?:5B|7B)|[[{]%(?:25)*22)(?:[^\s%"'<>]|%[\dA-F]{2}){8,}/gi))
    add(() => decodeURIComponent(encoded));
  for (const [encoded] of text.matchAll(encodedJson)) add(() => Buffer.from(encoded, 'base64').toString('utf8'));
  for (const [encoded] of text.matchAll(hexJson)) add(() => Buffer.from(encoded, 'hex').toString('utf8'));
  for (const [encoded] of text.matchAll(compressed)) add(() => unzipped(encoded));
  return quoted;
};

/** Converts object literals of a script to JSON: names and strings get double quotes. */
const scriptAsJson = (text: string): string | undefined =>
  /[[,(=]\s*\{\s*[A-Za-z_$][\w$]*\s*:/.test(text)
    ? text.replaceAll(/([{,]\s*)([A-Za-z_$][\w$]*)\s*:/g, '$1"$2":').replaceAll(/'([^'"\\\n]*)'/g, '"$1"')
    : undefined;

/** Maximum number of nested encodings that are decoded. */
const mostEncodings = 3;

/**
 * The outermost objects and arrays in a text, including quoted ones and literals of a script; at
 * most `most`.
 */
export const jsonWithin = (text: string, most: number, encodings = mostEncodings): unknown[] => {
  const script = scriptAsJson(text);
  const inScript = script === undefined ? [] : plainJsonWithin(script, most);
  const found = inScript.length > 0 ? inScript : plainJsonWithin(text, most);
  for (const other of quotedIn(text))
    if (found.length < most) {
      const left = most - found.length;
      found.push(...(encodings > 1 ? jsonWithin(other, left, encodings - 1) : plainJsonWithin(other, left)));
    }
  return found;
};

const plainJsonWithin = (text: string, most: number): unknown[] => {
  const found: unknown[] = [];
  const start = /[[{]\s*["{[]/g;
  let tries = 0;
  for (let match = start.exec(text); match && found.length < most && tries < most * 5; match = start.exec(text)) {
    tries += 1;
    const { end, prefix } = scan(text, match.index);
    const value = parsed(prefix);
    if (typeof value !== 'object' || value === null) continue;
    found.push(value);
    if (end === undefined) break;
    start.lastIndex = end;
  }
  return found;
};
