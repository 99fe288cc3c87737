import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** The most bytes that one file of a contract may have; the largest public documents have some 70 MB. */
const maxBytes = 128 * 1024 * 1024;
const chunkSize = 1024 * 1024;

/** Why a file is not read; `message` finishes "FILE: …" and stands alone as well. */
export class UnreadableFileError extends Error {
  override readonly name = 'Unreadable';
}

const kindOf = (stats: ReturnType<typeof fstatSync>): string => {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
};

const readAll = (descriptor: number): Buffer => {
  const pieces: Buffer[] = [];
  for (let size = 0; ; ) {
    const bytes = Buffer.allocUnsafe(chunkSize);
    const read = readSync(descriptor, bytes, 0, chunkSize, null);
    if (read === 0) return Buffer.concat(pieces, size);
    size += read;
    if (size > maxBytes)
      throw new UnreadableFileError(`the file is larger than ${maxBytes / 1024 / 1024} MiB, and no larger one is read`);
    pieces.push(bytes.subarray(0, read));
  }
};

/**
 * Reads a file of bounded size. One that a document names must be a regular file: a device or a pipe may never end.
 * What a person names may be a pipe too (`CONTRACT=<(make-it)`).
 * @throws {UnreadableFileError} for anything else
 */
export const readBoundedFile = (path: string, namedBy: 'person' | 'document'): Buffer => {
  let descriptor: number | undefined;
  try {
    // Without O_NONBLOCK, a pipe that nobody writes to would be waited for here.
    descriptor = openSync(path, constants.O_RDONLY | (namedBy === 'document' ? (constants.O_NONBLOCK ?? 0) : 0));
    const stats = fstatSync(descriptor);
    if (!stats.isFile() && (namedBy === 'document' || !(stats.isFIFO() || stats.isSocket())))
      throw new UnreadableFileError(`it is ${kindOf(stats)}, and only a regular file is read`);
    return readAll(descriptor);
  } catch (cause) {
    if (cause instanceof UnreadableFileError) throw cause;
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable';
    throw new UnreadableFileError(code === 'ENOENT' ? 'there is no such file' : `the file cannot be read (${code})`, {
      cause,
    });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
};
