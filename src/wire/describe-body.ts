import { constants, gunzipSync } from 'node:zlib';
import { memoize, orUndefined } from '../collections.js';
import { percentDecoded } from '../urls.js';
import { isRowFormat, type ParsedBody, parseBody } from './body-parser.js';
import { type BodyShape, digestOf, type Salt, ShapeBuilder } from './body-shape.js';
import { withheldText } from './redaction.js';
import { isDistinctiveWord, isLink, isValue, normaliseEchoes } from './scalars.js';
import { textPieces } from './text-pieces.js';
import type { Response } from './types.js';

/** Maximum number of bytes that are read of a truncated body; enough to compare it. */
const maxTruncatedBytes = 1_048_576;
/** Maximum number of pieces, and of values, of a text. */
const mostPieces = 1_000;
/** Maximum number of characters of a body that are stored as text. */
const maxStoredCharacters = 16_384;

interface BodyInput {
  /** Decoded bytes, cut at the cap. */
  readonly bytes: Buffer;
  readonly contentType: string | undefined;
  readonly truncated: boolean;
  /** The connection ended before the body did. */
  readonly broken?: boolean;
  /** What the server may echo: the request target and its decoded forms. */
  readonly echoes: readonly string[];
  /** How rows name accounts. It tells whose a row is, also where the request names the account. */
  readonly accounts?: readonly string[] | undefined;
  readonly salt: Salt;
  /** Whether a scalar is part of a key, and so known to the client already. */
  readonly isPartOfKey?: (scalar: string) => boolean;
  /** Redacts the media type, and the text before anything is derived from it. */
  readonly redact?: (text: string) => string;
}

export interface DescribedBody {
  readonly shape: BodyShape;
  /** Redacted text; `undefined` for binary data. */
  readonly text: string | undefined;
}

/** The shape and the redacted text of a body. Never throws. */
export const describeBody = (input: BodyInput): DescribedBody => {
  const { salt, isPartOfKey = () => false, redact = (text) => text } = input;
  const mediaType = redact((input.contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '');
  const isCut = input.truncated || input.broken === true;
  const common = {
    mediaType,
    size: input.bytes.length,
    truncated: input.truncated,
    ...(isCut ? { broken: true as const } : {}),
  } as const;
  if (input.bytes.length === 0 && !isRowFormat(mediaType))
    return { shape: { ...common, kind: 'empty', digest: digestOf(salt, ''), values: [] }, text: '' };
  const received = input.truncated ? input.bytes.subarray(0, maxTruncatedBytes) : input.bytes;
  const looked = unzipped(received) ?? received;
  const decoded = decode(looked, input.contentType);
  const isKept = (value: string): boolean => isValue(value) && !isPartOfKey(value) && redact(value) === value;
  // Bytes that are no text of the charset separate strings.
  const strings = decoded?.includes('\ufffd') === false ? [] : stringsIn(looked.toString('latin1')).filter(isKept);
  if (decoded === null) {
    const digest = digestOf(salt, looked.toString('latin1'));
    return { shape: { ...common, kind: 'binary', digest, values: digestsOf(strings, salt) }, text: undefined };
  }
  const text = redact(decoded);
  // Only the identity of a withheld text may be compared.
  if (text === withheldText) {
    const digest = digestOf(salt, decoded);
    return { shape: { ...common, kind: 'text', capped: true, digest, values: [] }, text };
  }
  const { echoes, accounts = [] } = input;
  const isOfAccount = (echo: string): boolean => accounts.some((account) => account.includes(echo));
  const plain = normaliseEchoes(
    text,
    echoes.filter((echo) => !isOfAccount(echo)),
  );
  const body = parseBody(plain, mediaType);
  const segments = wordSegmentsOf(echoes);
  const walk = new ShapeBuilder({ salt, isPartOfKey, redact, segments, sent: echoes, body });
  const tree = body.tree === undefined ? undefined : walk.shapeOf(body.tree);
  const embedded = body.embedded.map((tree) => walk.shapeOf(tree));
  const told = body.kind === 'json' ? ofStrings(walk.strings, walk.links) : ofText(plain, body, salt);
  const scalars = told.scalars.filter((scalar) => !isPartOfKey(scalar));
  const values = digestsOf(
    [...walk.values, ...(body.kind === 'json' ? [] : scalars.filter(isValue)), ...strings],
    salt,
  );
  return {
    shape: {
      ...common,
      kind: body.kind,
      ...(body.broken || isCut ? { broken: true } : {}),
      ...(body.wrapped ? { wrapped: true } : {}),
      ...(walk.capped || told.capped ? { capped: true } : {}),
      digest: digestOf(salt, plain),
      ...(tree ? { shape: tree } : {}),
      ...(embedded.length > 0 ? { embedded } : {}),
      ...(told.pieces ? { pieces: told.pieces } : {}),
      values,
      ...partsOf(scalars, values, salt),
    },
    text,
  };
};

/** The content of gzip data (RFC 1952), as far as it can be read; `undefined` for other bytes. */
const unzipped = (bytes: Buffer): Buffer | undefined => {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return undefined;
  const options = { maxOutputLength: maxTruncatedBytes, finishFlush: constants.Z_SYNC_FLUSH };
  return orUndefined(() => gunzipSync(bytes, options));
};

/**
 * Strings in binary data, such as MessagePack. The length byte in front of a string may be a
 * printable character, so each string is also taken without its first character.
 */
const stringsIn = (bytes: string): readonly string[] =>
  (bytes.match(/[\x20-\x7e]{6,}/g) ?? []).slice(0, mostPieces).flatMap((run) => [run, run.slice(1)]);

/** The members of a response that describe its body. */
export const keptBody = ({
  shape,
  text,
}: DescribedBody): Pick<Response, 'body' | 'size' | 'digest' | 'truncated' | 'shape'> => ({
  ...(text ? { body: text.slice(0, maxStoredCharacters) } : {}),
  size: shape.size,
  digest: shape.digest,
  truncated: shape.truncated || (text?.length ?? 0) > maxStoredCharacters,
  shape,
});

interface TextParts {
  readonly scalars: readonly string[];
  readonly pieces?: readonly string[];
  readonly capped: boolean;
}

const ofStrings = (strings: readonly string[], links: readonly string[]): TextParts => ({
  scalars: [...strings.flatMap((string) => textPieces(string, 'text').scalars), ...links],
  capped: false,
});

const ofText = (text: string, { kind }: ParsedBody, salt: Salt): TextParts => {
  const found = textPieces(text, kind === 'html' || kind === 'xml' ? kind : 'text');
  return {
    scalars: found.scalars,
    pieces: found.pieces.slice(0, mostPieces).map((piece) => digestOf(salt, piece)),
    capped: found.pieces.length > mostPieces,
  };
};

const digestsOf = (scalars: Iterable<string>, salt: Salt): string[] =>
  [...new Set(scalars)]
    .slice(0, mostPieces)
    .map((scalar) => digestOf(salt, scalar))
    .sort();

const withoutOuterMarks = (word: string): string => word.replace(/^\W+|\W+$/g, '');

/**
 * A word, and the values in it if it is an assignment: `{ID:40001` in a dump, `started=…` in a
 * trace, `i:40001;` in a serialised object.
 */
const wordAndValue = (word: string): readonly string[] => {
  const whole = withoutOuterMarks(word);
  const at = whole.search(/[=:]/);
  return at < 0 ? [whole] : [whole, withoutOuterMarks(whole.slice(at)), ...whole.split(/\W+/)];
};

/** A part of a link, and the words that are encoded in it: `Leg%20day+2024-03-01`. */
const decodedWordsOf = (part: string): readonly string[] =>
  /[%+]/.test(part) ? [part, ...percentDecoded(part.replaceAll('+', ' ')).split(/[\s,;|]+/)] : [part];

/** Digests of distinctive words in sentences, traces and dumps, and of segments of links. */
const partsOf = (texts: readonly string[], values: readonly string[], salt: Salt): Pick<BodyShape, 'parts'> => {
  const words = texts.flatMap((text) => {
    if (/\s/.test(text)) return text.split(/\s+/).flatMap(wordAndValue);
    return isLink(text) ? text.split(/⟨sent⟩|[/?&=#:]+/).flatMap(decodedWordsOf) : wordAndValue(text);
  });
  const known = new Set(values);
  const parts = digestsOf([...texts.filter(isValue), ...words.filter(isDistinctiveWord)], salt).filter(
    (value) => !known.has(value),
  );
  return parts.length > 0 ? { parts } : {};
};

/**
 * The charset, from the byte order mark, the zero bytes of UTF-16 JSON (RFC 4627, section 3) or the
 * media type.
 */
const charsetOf = (bytes: Buffer, contentType: string | undefined): string => {
  const [first, second, third, fourth] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (bytes.length >= 4 && second === 0 && fourth === 0 && first !== 0 && third !== 0) return 'utf-16le';
  if (bytes.length >= 4 && first === 0 && third === 0 && second !== 0 && fourth !== 0) return 'utf-16be';
  return /charset="?([\w-]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8';
};

/** @throws RangeError for an unknown charset */
const decoderOf = memoize((charset: string) => new TextDecoder(charset));

/** The text of a body; `null` for binary data. */
const decode = (bytes: Buffer, contentType: string | undefined): string | null => {
  const text =
    orUndefined(() => decoderOf(charsetOf(bytes, contentType)).decode(bytes)) ?? decoderOf('utf-8').decode(bytes);
  const odd = text.slice(0, 4_096).match(/[\u0000-\u0008\u000e-\u001a\ufffd]/g)?.length ?? 0;
  // A short refusal may repeat a path that is not UTF-8. Outside its strings, JSON holds no such
  // bytes.
  const isBinary = odd > Math.min(text.length, 4_096) / 20 && orUndefined(() => JSON.parse(text)) === undefined;
  // NUL separates texts in the redaction, so no text may contain it.
  return isBinary ? null : text.replaceAll('\0', '\ufffd');
};

/** Words of the requested path, which links and names may repeat. */
export const wordSegmentsOf = (echoes: readonly string[]): readonly string[] =>
  echoes.filter((echo) => /^[\p{L}\p{N}_-]{3,}$/u.test(echo) && /\p{L}/u.test(echo)).map((echo) => echo.toLowerCase());
