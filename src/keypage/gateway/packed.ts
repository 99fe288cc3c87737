import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, constants, inflateRawSync } from 'node:zlib';

/** Bytes that may come out of one body. A page could make more of it without end. */
const maxOutput = 8 * 1024 * 1024;

/** Places of one body where compressed data may begin. Other data has one in 16,000 bytes or so. */
const maxStarts = 4_000;

/** Whether gzip (RFC 1952, section 2.3) or zlib (RFC 1950, section 2.2) may begin at `at`. */
const beginsAt = (bytes: Buffer, at: number): 'gzip' | 'zlib' | undefined => {
  const [first, second = 0] = [bytes[at] ?? 0, bytes[at + 1] ?? 0];
  if (first === 0x1f && second === 0x8b && bytes[at + 2] === 8) return 'gzip';
  return first === 0x78 && (second & 0x20) === 0 && (first * 256 + second) % 31 === 0 ? 'zlib' : undefined;
};

/** Index of what is compressed, behind the header of gzip that begins at `at`. */
const behindGzipHeader = (bytes: Buffer, at: number): number => {
  const flags = bytes[at + 3] ?? 0;
  let end = at + 10;
  if ((flags & 4) !== 0) end += 2 + (bytes[end] ?? 0) + 256 * (bytes[end + 1] ?? 0);
  for (const text of [8, 16]) if ((flags & text) !== 0) end = bytes.indexOf(0, end) + 1;
  return (flags & 2) === 0 ? end : end + 2;
};

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
    const format = beginsAt(body, at);
    if (format === undefined) continue;
    starts += 1;
    if (starts > maxStarts) return undefined;
    const start = format === 'gzip' ? behindGzipHeader(body, at) : at + 2;
    add((maxOutputLength) => inflateRawSync(body.subarray(start), { ...cut, maxOutputLength }));
  }
  return isTooMuch ? undefined : found;
};
