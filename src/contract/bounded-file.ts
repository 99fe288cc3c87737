import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Maximum bytes of one file of a contract; the largest public documents have some 70 MB. */
const maxBytes = 128 * 1024 * 1024;
const chunkSize = 64 * 1024;

/** A file is not read. `message` finishes "FILE: …" and also stands alone. */
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
 * Reads a file of bounded size. One that a document names must be a regular file, since a device or
 * pipe may never end. One that a person names may be a pipe (`CONTRACT=<(make-it)`).
 * @throws {UnreadableFileError} for anything else
 */
export const readBoundedFile = (path: string, namedBy: 'person' | 'document'): Buffer => {
  let descriptor: number | undefined;
  try {
    // Without O_NONBLOCK, opening a pipe without a writer blocks.
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
