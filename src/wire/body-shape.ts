import type { ScalarFormat, SchemaFormat } from './scalars.js';

/**
 * Version of what a shape says of a body (`recording.facts` in results.json). Recordings of another
 * version are not judged again.
 */
export const factsVersion = 5;

/**
 * What judges see of a body: kind, size, structure and salted digests of its scalars. The body
 * itself is not kept, so recorded runs can be judged again without anybody's data.
 */
export interface BodyShape {
  readonly kind: 'empty' | 'json' | 'html' | 'xml' | 'csv' | 'text' | 'binary';
  /** Lower-case type/subtype of Content-Type, `''` without one. */
  readonly mediaType: string;
  /** Bytes after content decoding. */
  readonly size: number;
  /** True when the body was longer than the cap and was cut. */
  readonly truncated: boolean;
  /** The body is incomplete: it was cut, the connection ended, or its structure is not closed. */
  readonly broken?: true;
  /**
   * The JSON has something around it that no JSON parser reads: a prefix, a callback, several
   * texts.
   */
  readonly wrapped?: true;
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

/** What stands in the value of a header field, where it may be somebody's data. */
export interface FieldFacts {
  /** In lower case. */
  readonly name: string;
  /** As of a body. */
  readonly values: readonly string[];
  readonly parts?: readonly string[];
  readonly embedded?: readonly Shape[];
}

export interface ScalarShape {
  /** `text` in formats without scalar types. */
  readonly type: 'string' | 'number' | 'boolean' | 'null' | 'text';
  /** Salted; equal digests mean equal scalars within one run. */
  readonly digest: string;
  /** Its format; absent for plain words. */
  readonly form?: ScalarFormat;
  /**
   * The word of JSON Schema for it, of strings and numbers; absent for plain text and in recordings
   * of older versions.
   */
  readonly format?: SchemaFormat;
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
