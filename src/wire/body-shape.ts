import { hash } from 'node:crypto';
import { memoize } from '../collections.js';
import type { ParsedBody, Tree } from './body-parser.js';
import {
  caseless,
  isCurrentTime,
  isDistinctive,
  isLink,
  isUuid,
  isValue,
  type ScalarFormat,
  type SchemaFormat,
  scalarFormat,
  schemaFormat,
} from './scalars.js';

/**
 * Version of the facts in a shape (`recording.facts` in results.json). Recordings with another
 * version cannot be judged again.
 */
export const factsVersion = 6;

/**
 * What judges see of a body: kind, size, structure and salted digests of its scalars. The body
 * itself is not stored, so recorded runs can be judged again without anybody's data.
 */
export interface BodyShape {
  readonly kind: 'empty' | 'json' | 'html' | 'xml' | 'csv' | 'text' | 'binary';
  /** Lower-case type/subtype of Content-Type, `''` without one. */
  readonly mediaType: string;
  /** Bytes after content decoding. */
  readonly size: number;
  /** The body was longer than the cap and was cut. */
  readonly truncated: boolean;
  /** The body is incomplete: it was cut, the connection ended, or its structure is not closed. */
  readonly broken?: true;
  /**
   * The JSON has a prefix, is wrapped in a callback, or consists of several texts, so that no JSON
   * parser accepts it as it is.
   */
  readonly wrapped?: true;
  /** Rows, members or pieces were left out, or the whole text was withheld. */
  readonly capped?: true;
  /** Salted digest of the body, without echoes of the request. */
  readonly digest: string;
  /** The structure of JSON, XML, CSV, or the tables of HTML. */
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
  /** Salted digests of distinctive words inside strings, at most 1,000; absent without any. */
  readonly parts?: readonly string[];
}

/**
 * Facts about the value of a header field that may contain somebody's data: salted digests of its
 * values, and the JSON in it.
 */
export interface FieldFacts extends Pick<BodyShape, 'values' | 'embedded'> {
  /** In lower case. */
  readonly name: string;
}

export interface ScalarShape {
  /** `text` in formats without scalar types. */
  readonly type: 'string' | 'number' | 'boolean' | 'null' | 'text';
  /** Salted. Equal digests mean equal scalars within one run. */
  readonly digest: string;
  /** The recognised format; absent for plain words. */
  readonly form?: ScalarFormat;
  /**
   * The JSON Schema `format` of a string or number; absent for plain text and in recordings of
   * older versions.
   */
  readonly format?: SchemaFormat;
  /** Distinctive, and not an echo of the request. */
  readonly telling?: true;
  /** A URL or URN, or a word with a segment of the requested path. */
  readonly link?: true;
  /** No URL or URN, and has a segment of the requested path. */
  readonly names?: true;
  /** A time close to the current time. */
  readonly passing?: true;
  /** The value, if it is the number 0 or 1. */
  readonly small?: 0 | 1;
  /** A whole number outside lists that is larger than the length of the longest list. */
  readonly exceeds?: true;
  /** The word true or false, in a format without scalar types. */
  readonly flag?: true;
}

export type Shape =
  | {
      readonly type: 'object';
      readonly members: readonly (readonly [name: string, value: Shape])[];
    }
  | {
      readonly type: 'array';
      /** Number of all items; `items` has only the first 50. */
      readonly length: number;
      /** Digest of the length as a number. */
      readonly count: string;
      readonly items: readonly Shape[];
    }
  | ScalarShape;

/** Random per run and never in a report, so that digests cannot be reversed by guessing. */
export type Salt = string;

const digestOfText = (text: string): string => hash('sha256', text, 'base64url').slice(0, 12);

/** Answers repeat short scalars and stock sentences, so their digests are memoized. */
const digestOfShort = memoize(digestOfText, 4_096);
const longestShort = 100;

export const digestOf = (salt: Salt, value: string): string =>
  value.length > longestShort ? digestOfText(salt + value) : digestOfShort(salt + caseless(value));

const limits = {
  depth: 64,
  members: 500,
  items: 50,
  nodes: 5_000,
  values: 1_000,
  /**
   * Strings of at least `string` characters may contain data. At most `strings` of them and `links`
   * links are read.
   */
  string: 12,
  strings: 100,
  links: 100,
} as const;

/** Times and links contain colons, but are single values. */
const isOneValue = (text: string): boolean => scalarFormat(text) !== undefined || isLink(text);

/** Length of the longest list that is not inside another list. */
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
  /** Redacts member names, which may contain a secret after parsing has decoded escapes. */
  readonly redact: (text: string) => string;
  readonly segments: readonly string[];
  /** Segments and values of the request. A response that repeats one reveals nothing by it. */
  readonly sent: readonly string[];
  readonly body: ParsedBody;
}

/** Describes the trees of a body, and collects their distinctive values, strings and links. */
export const createShapeBuilder = ({ salt, isPartOfKey, redact, segments, sent, body }: ShapeInput) => {
  const untyped = body.untyped === true;
  const longest = longestList(body.tree);
  const values = new Set<string>();
  const strings: string[] = [];
  const links: string[] = [];
  let nodes = 0;
  let openLists = 0;
  let capped = false;

  const isBeyondLists = (text: string): boolean =>
    openLists === 0 && longest > 0 && /^\d{1,9}$/.test(text) && Number(text) > longest;

  /** Memoized, since rows have the same members. */
  const nameOf = memoize((name: string): string => memberName(redact(name), salt), limits.members);

  const scalar = (type: ScalarShape['type'], text: string): Shape => {
    const isTelling = isDistinctive(text);
    // Shorter scalars may be part of a key by chance.
    const isPlain = type === 'null' || type === 'boolean' || (isTelling && isPartOfKey(text));
    const form = isPlain ? undefined : scalarFormat(text);
    const format = isPlain && type !== 'number' ? undefined : schemaFormat(type, text, form);
    if (!isPlain && isValue(text) && values.size < limits.values) values.add(text);
    const lower = segments.length > 0 && type !== 'number' ? text.toLowerCase() : '';
    const names = !isPlain && segments.some((segment) => lower.includes(segment));
    const link = !isPlain && (isLink(text) || (names && !/\s/.test(text)));
    if (link && links.length < limits.links) links.push(text);
    return {
      type,
      digest: digestOf(salt, text),
      ...(form ? { form } : {}),
      ...(format ? { format } : {}),
      ...(!isPlain && isTelling && !sent.includes(text) ? { telling: true } : {}),
      ...(link ? { link: true } : {}),
      ...(names && !isLink(text) ? { names: true } : {}),
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
    const mayHoldValues = text.length >= limits.string && strings.length < limits.strings && /[\s",;|:=]/.test(text);
    if (mayHoldValues && (/[\s",;|]/.test(text) || !isOneValue(text))) strings.push(text);
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
        .map(([name, inner]): readonly [string, Shape] => [nameOf(name), walk(inner, depth + 1)]),
    };
  };
  return { shapeOf: (tree: Tree): Shape => walk(tree, 0), values, strings, links, capped: () => capped };
};

/** A member name that looks like data (a date, an identifier) is stored as a digest. */
const memberName = (name: string, salt: Salt): string => (isPlainName(name) ? name : `#${digestOf(salt, name)}`);

/** Whether a member name looks like a name and not like data. */
export const isPlainName = (name: string): boolean =>
  /^[\p{L}_$@#][\p{L}\p{N}_$.: -]{0,63}$/u.test(name) && !/\d{4,}/.test(name) && !isUuid(name);
