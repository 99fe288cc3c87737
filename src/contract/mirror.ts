import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ContractError } from './errors.js';
import { clear, type Entry, plain, sameOrigin, withoutFragment, writeIndex } from './mirror-index.js';
import type { ReadSource } from './source.js';
import { forEachObject } from './walk.js';

const mostFiles = 500;
const mostBytes = 256 * 1024 * 1024;

/** Values of every `$ref` of a document, fragments of the same file excepted. */
const referencesIn = (value: unknown): readonly string[] => {
  const found = new Set<string>();
  forEachObject(value, ({ $ref }) => {
    if (typeof $ref === 'string' && !$ref.startsWith('#')) found.add($ref);
  });
  return [...found];
};

/**
 * Fetches a document, and every file of its origin that it refers to, into `folder`.
 * @param fetch throws an Error whose message finishes "URL: …", and may have a `hint`
 * @param read parses a file
 * @returns the file that holds the document itself
 * @throws {ContractError} where the document itself cannot be fetched or parsed
 */
export const mirrorDocument = async (
  url: string,
  folder: string,
  fetch: (url: URL) => Promise<{ readonly url: URL; readonly bytes: Buffer }>,
  read: ReadSource,
): Promise<string> => {
  mkdirSync(folder, { recursive: true });
  clear(folder);
  const entries: Entry[] = [];
  const waiting = [url];
  const known = new Set(waiting);
  let size = 0;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    try {
      if (entries.length >= mostFiles) throw new Error(`more than ${mostFiles} files`);
      const { url: end, bytes } = await fetch(new URL(next));
      size += bytes.length;
      if (size > mostBytes) throw new Error(`all files together are larger than ${mostBytes / 1024 / 1024} MiB`);
      const file = `${entries.length}-${nameFor(end)}`;
      writeFileSync(join(folder, file), bytes);
      for (const each of new Set([plain(end), plain(new URL(next))])) entries.push({ url: each, file });
      known.add(withoutFragment(end));
      // The index tells where a file came from, which is its name in an error.
      writeIndex(folder, entries);
      for (const reference of referencesIn(read(join(folder, file)).value)) {
        const target = sameOrigin(reference, end.href);
        if ('url' in target && !known.has(target.url)) {
          known.add(target.url);
          waiting.push(target.url);
        }
      }
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      if (entries.length === 0) {
        if (cause instanceof ContractError) throw cause;
        const hint = hintIn(cause);
        throw new ContractError([{ file: plain(new URL(next)), line: 1, column: 1, message: why, hint }], { cause });
      }
      if (!(cause instanceof ContractError)) entries.push({ url: plain(new URL(next)), why });
    }
  }
  writeIndex(folder, entries);
  return join(folder, entries[0]?.file ?? '');
};

/** What to do about a failed fetch: what the error advises, or else a file. */
const hintIn = (cause: unknown): string => {
  const advised = cause instanceof Error && 'hint' in cause && typeof cause.hint === 'string' ? cause.hint : '';
  return advised === ''
    ? 'Download the document and set CONTRACT to the file.'
    : `${advised} Or download the document and set CONTRACT to the file.`;
};

/** Last segment of the path, as far as file systems take it. */
const nameFor = ({ pathname }: URL): string =>
  (pathname.split('/').at(-1) ?? '').replace(/[^\w.-]/g, '_').slice(-80) || 'document';
