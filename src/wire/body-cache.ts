import { createHash } from 'node:crypto';
import { memoize } from '../collections.js';
import type { DescribedBody } from './describe-body.js';

/** Recognises bodies that were received before, since a run gets few distinct ones. */

/** A redacted value, and the version of the key ring that redacted it. */
export interface Cached<T> {
  readonly value: T;
  readonly version: number;
}

/** Cache limits: bytes of all small bodies and of one, and half the number of large ones. */
const maxSmallBytes = 524_288;
const maxSmallBody = 65_536;
const maxLargeBodies = 2;

/** Maximum number of descriptions of one body. */
export const maxDescriptions = 16;

/** A body of which descriptions are cached. */
interface KnownBody {
  /** In lower case, one character per byte. */
  readonly lower: string;
  /** By what else a description depends on. */
  readonly described: Map<string, Cached<DescribedBody>>;
}

/**
 * Finds a body that was received before. A large one is found by its digest: comparing it would
 * take as much memory again.
 */
export const createBodyCache = (): ((bytes: Buffer) => KnownBody) => {
  let cachedBytes = 0;
  const small = memoize((text: string): KnownBody => {
    cachedBytes += text.length;
    return { lower: text.toLowerCase(), described: new Map() };
  }, Number.POSITIVE_INFINITY);
  const large = memoize((_digest: string): KnownBody['described'] => new Map(), maxLargeBodies);
  return (bytes) => {
    const text = bytes.toString('latin1');
    if (bytes.length > maxSmallBody)
      return { lower: text.toLowerCase(), described: large(createHash('sha256').update(bytes).digest('base64')) };
    if (cachedBytes > maxSmallBytes) {
      small.forget();
      cachedBytes = 0;
    }
    return small(text);
  };
};
