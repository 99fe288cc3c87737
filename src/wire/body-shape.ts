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
export class ShapeBuilder {
  readonly #salt: string;
  readonly #isPartOfKey: (scalar: string) => boolean;
  readonly #redact: (text: string) => string;
  readonly #segments: readonly string[];
  readonly #sent: readonly string[];
  readonly #untyped: boolean;
  readonly #longest: number;
  readonly values = new Set<string>();
  readonly strings: string[] = [];
  readonly links: string[] = [];
  #nodes = 0;
  #openLists = 0;
  #capped = false;
  /** Memoized, since rows have the same members. */
  readonly #nameOf = memoize((name: string): string => memberName(this.#redact(name), this.#salt), limits.members);

  constructor({ salt, isPartOfKey, redact, segments, sent, body }: ShapeInput) {
    this.#salt = salt;
    this.#isPartOfKey = isPartOfKey;
    this.#redact = redact;
    this.#segments = segments;
    this.#sent = sent;
    this.#untyped = body.untyped === true;
    this.#longest = longestList(body.tree);
  }

  shapeOf(tree: Tree): Shape {
    return this.#walk(tree, 0);
  }

  get capped(): boolean {
    return this.#capped;
  }

  #isBeyondLists(text: string): boolean {
    return this.#openLists === 0 && this.#longest > 0 && /^\d{1,9}$/.test(text) && Number(text) > this.#longest;
  }

  #scalar(type: ScalarShape['type'], text: string): Shape {
    const isTelling = isDistinctive(text);
    // Shorter scalars may be part of a key by chance.
    const isPlain = type === 'null' || type === 'boolean' || (isTelling && this.#isPartOfKey(text));
    const form = isPlain ? undefined : scalarFormat(text);
    const format = isPlain && type !== 'number' ? undefined : schemaFormat(type, text, form);
    if (!isPlain && isValue(text) && this.values.size < limits.values) this.values.add(text);
    const lower = this.#segments.length > 0 && type !== 'number' ? text.toLowerCase() : '';
    const names = !isPlain && this.#segments.some((segment) => lower.includes(segment));
    const link = !isPlain && (isLink(text) || (names && !/\s/.test(text)));
    if (link && this.links.length < limits.links) this.links.push(text);
    return {
      type,
      digest: digestOf(this.#salt, text),
      ...(form ? { form } : {}),
      ...(format ? { format } : {}),
      ...(!isPlain && isTelling && !this.#sent.includes(text) ? { telling: true } : {}),
      ...(link ? { link: true } : {}),
      ...(names && !isLink(text) ? { names: true } : {}),
      ...(!isPlain && isCurrentTime(text) ? { passing: true } : {}),
      ...(text === '0' ? { small: 0 } : text === '1' ? { small: 1 } : {}),
      ...(this.#isBeyondLists(text) ? { exceeds: true } : {}),
      ...(this.#untyped && (text === 'true' || text === 'false') ? { flag: true } : {}),
    };
  }

  #ofScalar(value: unknown): Shape {
    if (value === null || value === undefined) return this.#scalar('null', 'null');
    const text = String(value).trim();
    if (typeof value === 'boolean') return this.#scalar('boolean', text);
    if (typeof value === 'number') return this.#scalar('number', text);
    const mayHoldValues =
      text.length >= limits.string && this.strings.length < limits.strings && /[\s",;|:=]/.test(text);
    if (mayHoldValues && (/[\s",;|]/.test(text) || !isOneValue(text))) this.strings.push(text);
    return this.#scalar(this.#untyped ? 'text' : 'string', text);
  }

  #ofList(list: readonly unknown[], depth: number): Shape {
    const items: Shape[] = [];
    this.#openLists += 1;
    for (const [index, item] of list.entries()) {
      if (this.#nodes > limits.nodes * 4) break;
      // Items past the limit still add their values.
      const shape = this.#walk(item, depth + 1);
      if (index < limits.items && this.#nodes <= limits.nodes) items.push(shape);
    }
    this.#openLists -= 1;
    if (items.length < list.length) this.#capped = true;
    return { type: 'array', length: list.length, count: digestOf(this.#salt, String(list.length)), items };
  }

  #walk(value: Tree, depth: number): Shape {
    this.#nodes += 1;
    if (typeof value !== 'object' || value === null) return this.#ofScalar(value);
    if (depth > limits.depth) {
      this.#capped = true;
      return this.#scalar('null', 'too deep');
    }
    if (Array.isArray(value)) return this.#ofList(value, depth);
    const entries = Object.entries(value);
    if (entries.length > limits.members) this.#capped = true;
    return {
      type: 'object',
      members: entries
        .slice(0, limits.members)
        .map(([name, inner]): readonly [string, Shape] => [this.#nameOf(name), this.#walk(inner, depth + 1)]),
    };
  }
}

/** A member name that looks like data (a date, an identifier) is stored as a digest. */
const memberName = (name: string, salt: Salt): string => (isPlainName(name) ? name : `#${digestOf(salt, name)}`);

/** Whether a member name looks like a name and not like data. */
export const isPlainName = (name: string): boolean =>
  /^[\p{L}_$@#][\p{L}\p{N}_$.: -]{0,63}$/u.test(name) && !/\d{4,}/.test(name) && !isUuid(name);
