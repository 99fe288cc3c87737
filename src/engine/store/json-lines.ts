import { read, readSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Exchange } from '../../wire/types.js';

/** Reads and writes files of JSON texts, a line each. */

const readInto = promisify(read);

/** Bytes per read. */
const chunkSize = 65_536;

/**
 * Reads an open file from its start and leaves it open. A Node stream closes its descriptor when
 * the consumer stops early, whatever `autoClose` says.
 */
export async function* chunksOf(descriptor: number): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const { buffer, bytesRead } = await readInto(descriptor, Buffer.allocUnsafe(chunkSize), 0, chunkSize, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Writes bytes at an offset: one call may write a part of them. */
export const writeAt = (descriptor: number, bytes: Buffer, at: number): void => {
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done, bytes.length - done, at + done);
};

/** The UTF-8 text of a part of a file. */
export const textAt = (descriptor: number, at: number, length: number): string => {
  const bytes = Buffer.alloc(length);
  return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, length, at));
};

/**
 * The lines of a UTF-8 file of JSON texts. `node:readline` cannot be used: from Node 24 on it also
 * ends a line at U+2028 and U+2029, which may be unescaped in JSON strings.
 */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let open: Buffer[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      const rest = chunk.subarray(from, end);
      yield open.length === 0 ? rest.toString() : Buffer.concat([...open, rest]).toString();
      open = [];
      from = end + 1;
    }
    if (from < chunk.length) open.push(chunk.subarray(from));
  }
  if (open.length > 0) yield Buffer.concat(open).toString();
}

/** Exchanges begin with their id, so unwanted ones need not be parsed. */
const idAtStart = /^\{"id":"([^"\\]*)"/;

/**
 * The exchanges of a file that has one on each line.
 * @param wanted ids; all when absent
 */
export async function* exchangesIn<Line = Exchange>(
  chunks: AsyncIterable<Buffer>,
  wanted?: ReadonlySet<string>,
): AsyncGenerator<Line> {
  for await (const line of linesOf(chunks)) {
    const id = idAtStart.exec(line)?.[1];
    if (wanted && id !== undefined && !wanted.has(id)) continue;
    yield JSON.parse(line) as Line;
  }
}
