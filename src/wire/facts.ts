import { hash } from 'node:crypto';
import { pieces } from './pieces.js';
import { isCountLike, isDistinctive, isPassing, isTellingWord, normaliseEchoes, outcomeIn } from './scalars.js';

/**
 * What a body is, without the body: kind, size, structure and salted digests of its scalars. Judges see nothing else,
 * so a recorded run can be judged again although somebody's data was never stored.
 */
export interface BodyFacts {
  readonly kind: 'empty' | 'json' | 'html' | 'xml' | 'text' | 'binary';
  /** Lower-case type/subtype of Content-Type, `''` without one. */
  readonly mediaType: string;
  /** Bytes after content decoding. */
  readonly size: number;
  /** True when the body was longer than the cap and was cut. */
  readonly truncated: boolean;
  /** Salted digest of the whole body, what we sent taken out. */
  readonly digest: string;
  /** JSON only. */
  readonly shape?: Shape;
  /** HTML, XML and text: salted digests of the pieces in order (text runs, attribute values), at most 256. */
  readonly pieces?: readonly string[];
  /** Salted digests of every scalar that is unlikely to be there by chance, sorted, at most 1,000. */
  readonly values: readonly string[];
  /** The same of what stands within longer strings and sentences, at most 1,000; absent where there is nothing. */
  readonly parts?: readonly string[];
}

export interface ScalarShape {
  readonly type: 'string' | 'number' | 'boolean' | 'null';
  /** Salted; equal digests mean equal scalars within one run. */
  readonly digest: string;
  /** The number 0, or the length of an array of the same body. */
  readonly countLike?: true;
  /** Unlikely to be there by chance: it is in `values` too. */
  readonly distinctive?: true;
  /** Looks like a moment in time or a random identifier: expected to differ from answer to answer. */
  readonly passing?: true;
  /** What a member that tells the outcome says of it, where words or an HTTP status do: `"status": "success"`, `"code": 401`. */
  readonly outcome?: 'success' | 'error';
}

export type Shape =
  | { readonly type: 'object'; readonly members: readonly (readonly [name: string, value: Shape])[] }
  /** `items` are the first 50 of `length`. */
  | { readonly type: 'array'; readonly length: number; readonly items: readonly Shape[] }
  | ScalarShape;

/** Random per run and kept in memory alone, so that a stored digest cannot be searched for its scalar. */
export type Salt = string;

export const digestOf = (salt: Salt, value: string): string => hash('sha256', salt + value, 'base64url').slice(0, 12);

const limits = {
  depth: 64,
  members: 500,
  items: 50,
  nodes: 5_000,
  pieces: 256,
  values: 1_000,
  /** Strings that may hold data of their own: from this length on, at most so many of them. */
  string: 12,
  strings: 100,
  cutBytes: 1_048_576,
} as const;

export interface BodyInput {
  /** Decoded bytes, cut at the cap. */
  readonly bytes: Buffer;
  readonly contentType: string | undefined;
  readonly truncated: boolean;
  /** What we sent and a server may echo: the request target and its decoded forms. */
  readonly echoes: readonly string[];
  readonly salt: Salt;
  /** Whether a scalar is a part of a key: somebody who sends it knows it. */
  readonly isOfKey?: (scalar: string) => boolean;
  /** Takes keys out of the text before anything is derived from it. */
  readonly redact?: (text: string) => string;
}

/** Facts and redacted text of a body; `text` is `null` for binary. Never throws. */
export const bodyFacts = (input: BodyInput): { facts: BodyFacts; text: string | null } => {
  const mediaType = (input.contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const common = { mediaType, size: input.bytes.length, truncated: input.truncated };
  if (input.bytes.length === 0)
    return { facts: { ...common, kind: 'empty', digest: digestOf(input.salt, ''), values: [] }, text: '' };
  // Of a body that was cut at the cap, the first part tells as much as the whole of it, and costs less.
  const looked = input.truncated ? input.bytes.subarray(0, limits.cutBytes) : input.bytes;
  const decoded = decode(looked, input.contentType);
  if (decoded === null) {
    const digest = digestOf(input.salt, looked.toString('latin1'));
    return { facts: { ...common, kind: 'binary', digest, values: [] }, text: null };
  }
  const text = input.redact ? input.redact(decoded) : decoded;
  const plain = normaliseEchoes(text, input.echoes);
  const digest = digestOf(input.salt, plain);
  // What was cut cannot be whole JSON, and trying costs a hostile server nothing and us much.
  const json = input.truncated ? undefined : parseJson(plain, mediaType);
  const { isOfKey = () => false } = input;
  if (json !== undefined) {
    const { shape, values, strings } = shapeOf(json, input.salt, isOfKey);
    const within = strings.flatMap((string) => pieces(string, 'text').scalars).filter((scalar) => !isOfKey(scalar));
    return { facts: { ...common, kind: 'json', digest, shape, values, ...partsOf(within, values, input.salt) }, text };
  }
  const kind = textKind(plain, mediaType);
  const found = pieces(plain, kind);
  const scalars = found.scalars.filter((scalar) => !isOfKey(scalar));
  const values = valuesOf(scalars.filter(isDistinctive), input.salt);
  return {
    facts: {
      ...common,
      kind,
      digest,
      pieces: found.pieces.slice(0, limits.pieces).map((piece) => digestOf(input.salt, piece)),
      values,
      ...partsOf(scalars, values, input.salt),
    },
    text,
  };
};

const valuesOf = (scalars: readonly string[], salt: Salt): string[] =>
  [...new Set(scalars)]
    .slice(0, limits.values)
    .map((scalar) => digestOf(salt, scalar))
    .sort();

/** What a sentence, a trace or a dump in a string holds, where it is not a value of its own. */
const partsOf = (texts: readonly string[], values: readonly string[], salt: Salt): Pick<BodyFacts, 'parts'> => {
  const words = texts.flatMap((text) =>
    /\s/.test(text) ? text.split(/\s+/).map((word) => word.replace(/^\W+|\W+$/g, '')) : [],
  );
  const known = new Set(values);
  const parts = valuesOf([...texts.filter(isDistinctive), ...words.filter(isTellingWord)], salt).filter(
    (value) => !known.has(value),
  );
  return parts.length > 0 ? { parts } : {};
};

/** `null` where the bytes are no text. */
const decode = (bytes: Buffer, contentType: string | undefined): string | null => {
  const charset = /charset="?([\w-]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8';
  let text: string;
  try {
    text = new TextDecoder(charset).decode(bytes);
  } catch {
    text = new TextDecoder('utf-8').decode(bytes);
  }
  const odd = text.slice(0, 4_096).match(/[\u0000-\u0008\u000e-\u001a\ufffd]/g)?.length ?? 0;
  return odd > Math.min(text.length, 4_096) / 20 ? null : text;
};

const textKind = (text: string, mediaType: string): 'html' | 'xml' | 'text' => {
  const start = text.trimStart().slice(0, 200).toLowerCase();
  if (start.startsWith('<!doctype html') || start.startsWith('<html') || mediaType.includes('html')) return 'html';
  if (start.startsWith('<?xml') || /[/+]xml$/.test(mediaType)) return 'xml';
  return start.startsWith('<') ? 'html' : 'text';
};

/** Media types of JSON values one after the other: a list also where there is but one. */
const isSequence = (mediaType: string): boolean => /(?:ndjson|jsonl|json-?lines|json-seq)$/.test(mediaType);

const parseLines = (text: string): unknown => {
  try {
    return text
      .split(/[\n\r\u001e]+/)
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line) as unknown);
  } catch {
    return undefined;
  }
};

/** JSON, newline-delimited JSON (as an array), and JSON behind an anti-inclusion prefix or a callback. */
const parseJson = (text: string, mediaType: string): unknown => {
  const sequence = isSequence(mediaType) ? parseLines(text) : undefined;
  if (sequence !== undefined) return sequence;
  const trimmed = text
    .trim()
    .replace(/^\)\]\}',?\s*/, '')
    .replace(/^(?:\/\*\*\/)?[\w$.]+\(([\s\S]*)\);?$/, '$1');
  if (!/^[[{"\d\-tfn]/.test(trimmed)) return undefined;
  try {
    return JSON.parse(trimmed) as unknown;
  } catch {
    if (!trimmed.startsWith('{') || !trimmed.includes('\n')) return undefined;
  }
  return parseLines(trimmed);
};

const shapeOf = (
  json: unknown,
  salt: Salt,
  isOfKey: (scalar: string) => boolean,
): { shape: Shape; values: string[]; strings: readonly string[] } => {
  const values = new Set<string>();
  const strings: string[] = [];
  const lengths = new Set<number>([0]);
  let nodes = 0;
  const collectLengths = (value: unknown, depth: number): void => {
    if (depth > limits.depth || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) lengths.add(value.length);
    for (const inner of Object.values(value).slice(0, limits.members)) collectLengths(inner, depth + 1);
  };
  collectLengths(json, 0);

  const scalar = (type: 'string' | 'number' | 'boolean' | 'null', text: string, value: unknown): Shape => {
    const digest = digestOf(salt, text);
    const distinctive = type !== 'boolean' && isDistinctive(text) && !isOfKey(text);
    if (distinctive && values.size < limits.values) values.add(digest);
    return {
      type,
      digest,
      ...(isCountLike(value, lengths) ? { countLike: true } : {}),
      ...(distinctive ? { distinctive: true } : {}),
      ...(isPassing(text) ? { passing: true } : {}),
    };
  };
  const told = (name: string, shape: Shape, value: unknown): Shape => {
    if (shape.type !== 'number' && shape.type !== 'string') return shape;
    const outcome = outcomeIn(name, value);
    return outcome === undefined ? shape : { ...shape, outcome };
  };
  const walk = (value: unknown, depth: number): Shape => {
    nodes += 1;
    if (value === null) return scalar('null', 'null', value);
    if (typeof value === 'string') {
      if (value.length >= limits.string && /\s|"/.test(value) && strings.length < limits.strings) strings.push(value);
      return scalar('string', value.trim(), value);
    }
    if (typeof value === 'number') return scalar('number', String(value), value);
    if (typeof value === 'boolean') return scalar('boolean', String(value), value);
    if (depth > limits.depth) return scalar('null', 'too deep', null);
    if (Array.isArray(value)) {
      const items: Shape[] = [];
      for (const [index, item] of value.entries()) {
        if (nodes > limits.nodes * 4) break;
        const shape = walk(item, depth + 1);
        if (index < limits.items && nodes <= limits.nodes) items.push(shape);
      }
      return { type: 'array', length: value.length, items };
    }
    const members = Object.entries(value as Record<string, unknown>)
      .slice(0, limits.members)
      .map(([name, inner]): readonly [string, Shape] => [
        memberName(name, salt),
        told(name, walk(inner, depth + 1), inner),
      ]);
    return { type: 'object', members };
  };
  const shape = walk(json, 0);
  return { shape, values: [...values].sort(), strings };
};

/** A member name that is itself data (a date, an address, an identifier) is kept as its digest. */
const memberName = (name: string, salt: Salt): string => (plainName(name) ? name : `#${digestOf(salt, name)}`);

/** Whether a member name is written like one, so that it is hardly somebody's data. */
export const plainName = (name: string): boolean =>
  /^[\p{L}_$@][\p{L}\p{N}_$.:-]{0,63}$/u.test(name) && !/\d{4,}/.test(name);
