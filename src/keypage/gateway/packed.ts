import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, constants, inflateRawSync } from 'node:zlib';
import { behindCompressionHeader } from '../../wire/content-coding.js';

/** Bytes that may come out of one body. A page could make more of it without end. */
const maxOutput = 8 * 1024 * 1024;

/** Places of one body where compressed data may begin. Other data has one in 16,000 bytes or so. */
const maxStarts = 4_000;

/**
 * What is compressed in a body: gzip and zlib data wherever it begins, and a whole body of raw
 * deflate or Brotli. No checksum is verified, and the data may be cut.
 * @returns `undefined` if it is more than can be searched
 */
export const unpacked = (body: Buffer): readonly Buffer[] | undefined => {
  // No compressed data is a text.
  if (isUtf8(body)) return [];
  const found: Buffer[] = [];
  let left = maxOutput;
  let isTooMuch = false;
  const add = (unpack: (maxOutputLength: number) => Buffer): void => {
    try {
      const plain = unpack(left);
      left -= plain.length;
      found.push(plain);
    } catch (error) {
      // Other errors: these bytes are no such data.
      if (error instanceof RangeError) isTooMuch = true;
    }
    if (left <= 0) isTooMuch = true;
  };
  const cut = { finishFlush: constants.Z_SYNC_FLUSH };
  const cutBrotli = { finishFlush: constants.BROTLI_OPERATION_FLUSH };
  add((maxOutputLength) => inflateRawSync(body, { ...cut, maxOutputLength }));
  add((maxOutputLength) => brotliDecompressSync(body, { ...cutBrotli, maxOutputLength }));
  let starts = 0;
  for (let at = 0; at < body.length && !isTooMuch; at += 1) {
    const start = behindCompressionHeader(body, at);
    if (start < 0) continue;
    starts += 1;
    if (starts > maxStarts) return undefined;
    add((maxOutputLength) => inflateRawSync(body.subarray(start), { ...cut, maxOutputLength }));
  }
  return isTooMuch ? undefined : found;
};
