import { isUtf8 } from 'node:buffer';
import { pairsIn } from '../collections.js';
import { digestOf, type FieldFacts, type Salt, ShapeBuilder } from './body-shape.js';
import { cookieValuesOf, isSetCookie } from './cookies.js';
import { wordSegmentsOf } from './describe-body.js';
import { redactAll } from './header-fields.js';
import type { KeyRing } from './keyring.js';
import { jsonWithin, parsed } from './partial-json.js';
import { isCurrentTime, isDistinctiveWord, isNumber, isValue, normaliseEchoes } from './scalars.js';

/** Describes what an answer says outside its body: header fields, reason phrase, trailers. */

const longestValue = 16_384;
const maxCached = 256;
/** Maximum number of values, of structures, and of encodings around each other in a field. */
const mostValues = 500;
const mostStructures = 20;
const mostEncodings = 2;
/** Minimum length of a value that is encoded. */
const shortestEncoded = 5;

/** Bytes as text, if every character of it can be seen. Indented JSON has line breaks. */
const visibleText = (bytes: Buffer): string | undefined => {
  const text = isUtf8(bytes) ? bytes.toString() : '';
  return text.length >= shortestEncoded && !/[^\P{C}\t\n\r]/u.test(text) ? text : undefined;
};

/** Text that is not UTF-8 is read as Latin-1, as HTTP has it (RFC 9110, section 5.5). */
const decodedBytes = (bytes: Buffer): string => bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');

/** What a text stands for: percent-encoded, with `+` for a space, quoted, encoded bytes. */
const decodedIn = (text: string): readonly string[] => [
  // RFC 8187 names the charset of a parameter.
  text.replaceAll(/(?:%[\da-f]{2})+/gi, (run) => decodedBytes(Buffer.from(run.replaceAll('%', ''), 'hex'))),
  text.replaceAll('+', ' '),
  text.replaceAll(/\\(.)/g, '$1'),
  ...(text.match(/[\w+/-]{7,}/g) ?? []).flatMap((run) =>
    (['base64', 'hex'] as const).flatMap((encoding) => visibleText(Buffer.from(run, encoding)) ?? []),
  ),
];

const decodings = (text: string): ReadonlySet<string> => {
  const readings = new Set([text]);
  let latest: readonly string[] = [text];
  for (let depth = 0; depth < mostEncodings; depth += 1)
    latest = latest.flatMap(decodedIn).filter((reading) => !readings.has(reading) && readings.add(reading));
  return readings;
};

/** What separates values, beginning with what may hold the others. */
const separators = [/["']/, /[\t\n\r\0<>()[\]{}|]+/, /[?&#]/, /;/, /,/, /[/:]+/, /\s+/];

const addresses = /[\p{L}\p{N}._+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.)+\p{L}{2,63}/gu;

/** A time, a UUID and a number inside other text, such as a file name. */
const formats = [
  /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?/g,
  /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi,
  /(?<![\p{L}\p{N}.])-?\d{5,30}(?:\.\d+)?(?![\p{L}\p{N}])/gu,
];

/**
 * A number counts as in a sentence: short ones are limits and durations, which services give in
 * fields.
 */
const mayBeData = (text: string): boolean => (isNumber(text) ? isDistinctiveWord(text) : isValue(text));

const valuesIn = (text: string): readonly string[] => {
  const pieces = new Set([text]);
  for (const separator of separators)
    for (const piece of [...pieces]) {
      const equals = piece.indexOf('=');
      if (equals >= 0) pieces.add(piece.slice(equals + 1));
      for (const part of piece.split(separator)) pieces.add(part);
      if (pieces.size > mostValues * 10) break;
    }
  return [
    ...[...pieces].map((piece) => piece.trim()).filter(mayBeData),
    ...[...formats, ...(text.includes('@') ? [addresses] : [])]
      .flatMap((format) => text.match(format) ?? [])
      .filter(isDistinctiveWord),
  ];
};

/** Fields of the message and its connection, which hold nothing of what it is about. */
const isFraming = (name: string): boolean =>
  /^(?:connection|content-length|keep-alive|trailer|transfer-encoding)$/i.test(name);

/**
 * Creates a function that describes fields. Descriptions are cached, since many fields are the same
 * in every answer.
 */
export const createFieldDescriber = (keys: Pick<KeyRing, 'version' | 'holds' | 'redact'>, salt: Salt) => {
  const known = new Map<string, FieldFacts | null>();

  const describe = (name: string, received: string, echoes: readonly string[]): FieldFacts | null => {
    // Values of cookies are secrets, so only digests of them are stored.
    const isSecret = isSetCookie(name);
    const text = decodedBytes(Buffer.from(received, 'latin1'));
    const shown = (isSecret ? text : keys.redact(text)).slice(0, longestValue);
    const plain = normaliseEchoes(shown, echoes);
    const trees = jsonWithin(plain, mostStructures);
    const builder = new ShapeBuilder({
      salt,
      isPartOfKey: (text) => keys.holds(text),
      redact: (text) => keys.redact(text),
      segments: wordSegmentsOf(echoes),
      sent: echoes,
      body: { kind: 'text', embedded: trees },
    });
    const embedded = trees.map((tree) => builder.shapeOf(tree));
    // Of JSON, only strings may hold more values than are described.
    const isJson = trees.length > 0 && parsed(plain) !== undefined;
    const texts = isJson ? builder.strings : [plain, ...builder.strings];
    const readings = texts.flatMap((one) => [...decodings(one)]);
    const found = new Set([...builder.values, ...readings.flatMap(valuesIn)]);
    const values = [...found].filter((value) => !keys.holds(value)).slice(0, mostValues);
    if (values.length === 0) return null;
    return {
      name: keys.redact(name).toLowerCase(),
      values: values.map((value) => digestOf(salt, value)).sort(),
      ...(embedded.length > 0 && !isSecret ? { embedded } : {}),
    };
  };

  const factsOf = (name: string, text: string, echoes: readonly string[]): FieldFacts | null => {
    if (isFraming(name) || isCurrentTime(text)) return null;
    const repeated = echoes.filter((echo) => text.includes(echo));
    const place = [keys.version, name, ...repeated, '', text].join('\n');
    const before = known.get(place);
    if (before !== undefined) return before;
    const facts = describe(name, text, echoes);
    if (known.size >= maxCached) known.clear();
    known.set(place, facts);
    return facts;
  };

  /**
   * @param raw names and values in turn
   * @param echoes parts of the request that the server may repeat
   */
  return (raw: readonly string[], echoes: readonly string[]): readonly FieldFacts[] => {
    const facts = pairsIn(raw).flatMap(([name, value]) => {
      const texts = isSetCookie(name) ? cookieValuesOf([name, value]) : [value];
      return texts.flatMap((text) => factsOf(name, text, echoes) ?? []);
    });
    const names = facts.map(({ name }) => name);
    const shown = redactAll(names, keys);
    return shown === names ? facts : facts.map((each, index) => ({ ...each, name: shown[index] ?? '' }));
  };
};
