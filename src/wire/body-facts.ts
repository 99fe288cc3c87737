import { hash } from 'node:crypto';
import { memoize } from '../collections.js';
import { isRowFormat, type ParsedBody, parseBody, type Tree } from './body-parser.js';
import { withheldText } from './redaction.js';
import {
  isCurrentTime,
  isDistinctive,
  isDistinctiveWord,
  isLink,
  isValue,
  normaliseEchoes,
  type ScalarFormat,
  scalarFormat,
} from './scalars.js';
import { textPieces } from './text-pieces.js';

/** Version of the facts. Recordings of another version are not judged again. */
export const factsVersion = 3;

/**
 * What judges see of a body: kind, size, structure and salted digests of its scalars. The body
 * itself is not kept, so recorded runs can be judged again without anybody's data.
 */
export interface BodyFacts {
  readonly kind: 'empty' | 'json' | 'html' | 'xml' | 'csv' | 'text' | 'binary';
  /** Lower-case type/subtype of Content-Type, `''` without one. */
  readonly mediaType: string;
  /** Bytes after content decoding. */
  readonly size: number;
  /** True when the body was longer than the cap and was cut. */
  readonly truncated: boolean;
  /** The body is incomplete: it was cut, the connection ended, or its structure is not closed. */
  readonly broken?: true;
  /** Rows, members or pieces were left out, or the whole text was withheld. */
  readonly capped?: true;
  /** Salted digest of the body, without echoes of the request. */
  readonly digest: string;
  /** The structure of JSON, XML, CSV and of the tables of HTML. */
  readonly shape?: Shape;
  /** Structures found inside markup or strings. */
  readonly embedded?: readonly Shape[];
  /**
   * HTML, XML, CSV and text: salted digests of the pieces in order (text runs, attribute values),
   * at most 1,000.
   */
  readonly pieces?: readonly string[];
  /** Salted digests of distinctive scalars, sorted, at most 1,000. */
  readonly values: readonly string[];
  /** The same for words inside longer strings, at most 1,000; absent where there are none. */
  readonly parts?: readonly string[];
}

export interface ScalarShape {
  /** `text` in formats without scalar types. */
  readonly type: 'string' | 'number' | 'boolean' | 'null' | 'text';
  /** Salted; equal digests mean equal scalars within one run. */
  readonly digest: string;
  /** Its format; absent for plain words. */
  readonly form?: ScalarFormat;
  /** Unlikely to be there by chance, and not sent. */
  readonly telling?: true;
  /** A URL or URN, or a word with a segment of the requested path. */
  readonly link?: true;
  /** Other text with a segment of the requested path. */
  readonly names?: true;
  /** A moment near now. */
  readonly passing?: true;
  /** The number 0 or 1. */
  readonly small?: 0 | 1;
  /** A whole number outside lists that is larger than the longest of them. */
  readonly exceeds?: true;
  /** In a format without types: the word true or false. */
  readonly flag?: true;
}

export type Shape =
  | {
      readonly type: 'object';
      readonly members: readonly (readonly [name: string, value: Shape])[];
    }
  | {
      readonly type: 'array';
      /** `items` are the first 50 of so many. */
      readonly length: number;
      /** Digest of the length as a number. */
      readonly count: string;
      readonly items: readonly Shape[];
    }
  | ScalarShape;

/** Random per run and never stored, so that digests cannot be reversed by guessing. */
export type Salt = string;

const digestOfText = (text: string): string => hash('sha256', text, 'base64url').slice(0, 12);

/** Answers repeat short scalars and stock sentences. */
const digestOfShort = memoize(digestOfText, 8_192);
const longestShort = 100;

export const digestOf = (salt: Salt, value: string): string =>
  value.length > longestShort ? digestOfText(salt + value) : digestOfShort(salt + value);

const limits = {
  depth: 64,
  members: 500,
  items: 50,
  nodes: 5_000,
  pieces: 1_000,
  values: 1_000,
  /** Strings of at least this length may contain data; at most `strings` of them are read. */
  string: 12,
  strings: 100,
  cutBytes: 1_048_576,
} as const;

export interface BodyInput {
  /** Decoded bytes, cut at the cap. */
  readonly bytes: Buffer;
  readonly contentType: string | undefined;
  readonly truncated: boolean;
  /** The connection ended before the body did. */
  readonly broken?: boolean;
  /** What the server may echo: the request target and its decoded forms. */
  readonly echoes: readonly string[];
  readonly salt: Salt;
  /** Whether a scalar is part of a key: the client knows it already. */
  readonly isPartOfKey?: (scalar: string) => boolean;
  /** Redacts the text before anything is derived from it. */
  readonly redact?: (text: string) => string;
}

/** Facts and redacted text of a body; `text` is `null` for binary. Never throws. */
export const bodyFacts = (input: BodyInput): { facts: BodyFacts; text: string | null } => {
  const { salt, isPartOfKey = () => false } = input;
  const mediaType = (input.contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const isCut = input.truncated || input.broken === true;
  const common = {
    mediaType,
    size: input.bytes.length,
    truncated: input.truncated,
    ...(isCut ? { broken: true as const } : {}),
  } as const;
  if (input.bytes.length === 0 && !isRowFormat(mediaType))
    return { facts: { ...common, kind: 'empty', digest: digestOf(salt, ''), values: [] }, text: '' };
  // The first part of a cut body is enough, and cheaper.
  const looked = input.truncated ? input.bytes.subarray(0, limits.cutBytes) : input.bytes;
  const decoded = decode(looked, input.contentType);
  if (decoded === null) {
    const digest = digestOf(salt, looked.toString('latin1'));
    return { facts: { ...common, kind: 'binary', digest, values: [] }, text: null };
  }
  const text = input.redact ? input.redact(decoded) : decoded;
  // Of a withheld text only its identity may be compared.
  if (text === withheldText) {
    const digest = digestOf(salt, decoded);
    return { facts: { ...common, kind: 'text', capped: true, digest, values: [] }, text };
  }
  const plain = normaliseEchoes(text, input.echoes);
  const body = parseBody(plain, mediaType);
  const segments = segmentsOf(input.echoes);
  const walk = createShapeBuilder({
    salt,
    isPartOfKey,
    segments,
    sent: new Set(input.echoes),
    untyped: body.untyped === true,
    longest: longestList(body.tree),
  });
  const shape = body.tree === undefined ? undefined : walk.shapeOf(body.tree);
  const embedded = body.embedded.map((tree) => walk.shapeOf(tree));
  const told = body.kind === 'json' ? ofStrings(walk.strings) : ofText(plain, body, salt);
  const scalars = told.scalars.filter((scalar) => !isPartOfKey(scalar));
  const values = digestsOf([...walk.values, ...(body.kind === 'json' ? [] : scalars.filter(isValue))], salt);
  return {
    facts: {
      ...common,
      kind: body.kind,
      ...(body.broken || isCut ? { broken: true } : {}),
      ...(walk.capped() || told.capped ? { capped: true } : {}),
      digest: digestOf(salt, plain),
      ...(shape ? { shape } : {}),
      ...(embedded.length > 0 ? { embedded } : {}),
      ...(told.pieces ? { pieces: told.pieces } : {}),
      values,
      ...partsOf(scalars, values, salt),
    },
    text,
  };
};

interface TextParts {
  readonly scalars: readonly string[];
  readonly pieces?: readonly string[];
  readonly capped: boolean;
}

const ofStrings = (strings: readonly string[]): TextParts => ({
  scalars: strings.flatMap((string) => textPieces(string, 'text').scalars),
  capped: false,
});

const ofText = (text: string, { kind }: ParsedBody, salt: Salt): TextParts => {
  const found = textPieces(text, kind === 'html' || kind === 'xml' ? kind : 'text');
  return {
    scalars: found.scalars,
    pieces: found.pieces.slice(0, limits.pieces).map((piece) => digestOf(salt, piece)),
    capped: found.pieces.length > limits.pieces,
  };
};

const digestsOf = (scalars: Iterable<string>, salt: Salt): string[] =>
  [...new Set(scalars)]
    .slice(0, limits.values)
    .map((scalar) => digestOf(salt, scalar))
    .sort();

/** Distinctive words in sentences, stack traces and dumps. */
const partsOf = (texts: readonly string[], values: readonly string[], salt: Salt): Pick<BodyFacts, 'parts'> => {
  const words = texts.flatMap((text) =>
    /\s/.test(text) ? text.split(/\s+/).map((word) => word.replace(/^\W+|\W+$/g, '')) : [],
  );
  const known = new Set(values);
  const parts = digestsOf([...texts.filter(isValue), ...words.filter(isDistinctiveWord)], salt).filter(
    (value) => !known.has(value),
  );
  return parts.length > 0 ? { parts } : {};
};

/** The charset: by byte order mark, media type, or the zero bytes of JSON (RFC 4627, section 3). */
const charsetOf = (bytes: Buffer, contentType: string | undefined): string => {
  const [first, second, third, fourth] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (bytes.length >= 4 && second === 0 && fourth === 0 && first !== 0 && third !== 0) return 'utf-16le';
  if (bytes.length >= 4 && first === 0 && third === 0 && second !== 0 && fourth !== 0) return 'utf-16be';
  return /charset="?([\w-]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8';
};

/** @throws RangeError for a charset that is not known */
const decoderOf = memoize((charset: string) => new TextDecoder(charset));

/** The text of a body; `null` for binary data. */
const decode = (bytes: Buffer, contentType: string | undefined): string | null => {
  let text: string;
  try {
    text = decoderOf(charsetOf(bytes, contentType)).decode(bytes);
  } catch {
    text = decoderOf('utf-8').decode(bytes);
  }
  const odd = text.slice(0, 4_096).match(/[\u0000-\u0008\u000e-\u001a\ufffd]/g)?.length ?? 0;
  return odd > Math.min(text.length, 4_096) / 20 ? null : text;
};

/** Words in the requested path. Links and names repeat them. */
export const segmentsOf = (echoes: readonly string[]): readonly string[] =>
  echoes.filter((echo) => /^[\p{L}\p{N}_-]{3,}$/u.test(echo) && /\p{L}/u.test(echo)).map((echo) => echo.toLowerCase());

/** Length of the longest of the outermost lists. */
const longestList = (tree: Tree | undefined, depth = 0): number => {
  if (typeof tree !== 'object' || tree === null || depth > limits.depth) return 0;
  if (Array.isArray(tree)) return tree.length;
  return Object.values(tree)
    .slice(0, limits.members)
    .reduce<number>((longest, inner) => Math.max(longest, longestList(inner, depth + 1)), 0);
};

interface ShapeInput {
  readonly salt: Salt;
  readonly isPartOfKey: (scalar: string) => boolean;
  readonly segments: readonly string[];
  /** Segments and values of the request: a response that repeats one tells nothing. */
  readonly sent: ReadonlySet<string>;
  readonly untyped: boolean;
  /** Length of the longest of the outermost lists. */
  readonly longest: number;
}

const createShapeBuilder = ({ salt, isPartOfKey, segments, sent, untyped, longest }: ShapeInput) => {
  const values = new Set<string>();
  const strings: string[] = [];
  let nodes = 0;
  let openLists = 0;
  let capped = false;

  const isBeyondLists = (text: string): boolean =>
    openLists === 0 && longest > 0 && /^\d{1,9}$/.test(text) && Number(text) > longest;

  const scalar = (type: ScalarShape['type'], text: string): Shape => {
    // A short scalar may be in a key by chance.
    const isPlain = type === 'null' || type === 'boolean' || (isDistinctive(text) && isPartOfKey(text));
    const form = isPlain ? undefined : scalarFormat(text);
    if (!isPlain && isValue(text) && values.size < limits.values) values.add(text);
    const lower = segments.length > 0 && type !== 'number' ? text.toLowerCase() : '';
    const names = !isPlain && segments.some((segment) => lower.includes(segment));
    const link = !isPlain && (isLink(text) || (names && !/\s/.test(text)));
    return {
      type,
      digest: digestOf(salt, text),
      ...(form ? { form } : {}),
      ...(!isPlain && isDistinctive(text) && !sent.has(text) ? { telling: true } : {}),
      ...(link ? { link: true } : names ? { names: true } : {}),
      ...(!isPlain && isCurrentTime(text) ? { passing: true } : {}),
      ...(text === '0' ? { small: 0 } : text === '1' ? { small: 1 } : {}),
      ...(isBeyondLists(text) ? { exceeds: true } : {}),
      ...(untyped && (text === 'true' || text === 'false') ? { flag: true } : {}),
    };
  };

  const ofScalar = (value: unknown): Shape => {
    if (value === null || value === undefined) return scalar('null', 'null');
    const text = String(value).trim();
    if (typeof value === 'boolean') return scalar('boolean', text);
    if (typeof value === 'number') return scalar('number', text);
    if (text.length >= limits.string && /\s|"/.test(text) && strings.length < limits.strings) strings.push(text);
    return scalar(untyped ? 'text' : 'string', text);
  };

  const ofList = (list: readonly unknown[], depth: number): Shape => {
    const items: Shape[] = [];
    openLists += 1;
    for (const [index, item] of list.entries()) {
      if (nodes > limits.nodes * 4) break;
      // Items past the limit still add their values.
      const shape = walk(item, depth + 1);
      if (index < limits.items && nodes <= limits.nodes) items.push(shape);
    }
    openLists -= 1;
    if (items.length < list.length) capped = true;
    return { type: 'array', length: list.length, count: digestOf(salt, String(list.length)), items };
  };

  const walk = (value: Tree, depth: number): Shape => {
    nodes += 1;
    if (typeof value !== 'object' || value === null) return ofScalar(value);
    if (depth > limits.depth) {
      capped = true;
      return scalar('null', 'too deep');
    }
    if (Array.isArray(value)) return ofList(value, depth);
    const entries = Object.entries(value);
    if (entries.length > limits.members) capped = true;
    return {
      type: 'object',
      members: entries
        .slice(0, limits.members)
        .map(([name, inner]): readonly [string, Shape] => [memberName(name, salt), walk(inner, depth + 1)]),
    };
  };
  return { shapeOf: (tree: Tree): Shape => walk(tree, 0), values, strings, capped: () => capped };
};

/** A member name that looks like data (a date, an identifier) is stored as a digest. */
const memberName = (name: string, salt: Salt): string => (isPlainName(name) ? name : `#${digestOf(salt, name)}`);

/** Whether a member name looks like a name and not like data. */
export const isPlainName = (name: string): boolean =>
  /^[\p{L}_$@#][\p{L}\p{N}_$.: -]{0,63}$/u.test(name) && !/\d{4,}/.test(name);
