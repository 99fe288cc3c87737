import { hash } from 'node:crypto';
import { memoize } from '../collections.js';
import type { ScalarFormat, SchemaFormat } from './scalars.js';

/**
 * Version of the facts in a shape (`recording.facts` in results.json). Recordings with another
 * version cannot be judged again.
 */
export const factsVersion = 5;

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

/** Facts about the value of a header field that may contain somebody's data. */
export interface FieldFacts {
  /** In lower case. */
  readonly name: string;
  /** As in `BodyShape`. */
  readonly values: readonly string[];
  readonly parts?: readonly string[];
  readonly embedded?: readonly Shape[];
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
  /** Other text with a segment of the requested path. */
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
  value.length > longestShort ? digestOfText(salt + value) : digestOfShort(salt + value);
