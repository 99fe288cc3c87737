import { createHmac } from 'node:crypto';

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
  /** Salted digest of the whole body. */
  readonly digest: string;
  /** JSON only. */
  readonly shape?: Shape;
  /** HTML, XML and text: salted digests of the pieces in order (text runs, attribute values, words), at most 4,000. */
  readonly pieces?: readonly string[];
  /** Salted digests of every scalar that is unlikely to be there by chance, sorted, at most 4,000. */
  readonly values: readonly string[];
}

export type Shape =
  | { readonly type: 'object'; readonly members: readonly (readonly [name: string, value: Shape])[] }
  /** `items` are the first 50 of `length`. */
  | { readonly type: 'array'; readonly length: number; readonly items: readonly Shape[] }
  | {
      readonly type: 'string' | 'number' | 'boolean' | 'null';
      /** Salted; equal digests mean equal scalars within one run. */
      readonly digest: string;
      /** The number 0, or the length of an array of the same body. */
      readonly countLike?: true;
      /** Unlikely to be there by chance: it is in `values` too. */
      readonly distinctive?: true;
      /** Looks like a moment in time or a random identifier: expected to differ from answer to answer. */
      readonly passing?: true;
    };

export type Salt = Buffer;

export const digestOf = (salt: Salt, value: string): string =>
  createHmac('sha256', salt).update(value).digest('base64url').slice(0, 12);
