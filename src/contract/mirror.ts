import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ContractError } from './errors.js';
import { isArray, isObject } from './json-values.js';
import { clear, type Entry, plain, sameOrigin, withoutFragment, writeIndex } from './mirror-index.js';
import { readSource } from './source.js';

const mostFiles = 500;
const mostBytes = 256 * 1024 * 1024;

/** Values of every `$ref` of a document, fragments of the same file excepted. */
const referencesIn = (value: unknown): readonly string[] => {
  const found = new Set<string>();
  const seen = new Set<object>();
  const waiting: unknown[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    if (isObject(next) && typeof next.$ref === 'string' && !next.$ref.startsWith('#')) found.add(next.$ref);
    for (const each of isArray(next) ? next : Object.values(next))
      if (typeof each === 'object' && each !== null) waiting.push(each);
  }
  return [...found];
};

/**
 * Fetches a document, and every file of its origin that it refers to, into `folder`.
 * @param fetch throws an Error whose message finishes "URL: …"
 * @returns the file that holds the document itself
 * @throws {ContractError} where the document itself cannot be fetched or parsed
 */
export const mirrorDocument = async (
  url: string,
  folder: string,
  fetch: (url: URL) => Promise<{ readonly url: URL; readonly bytes: Buffer }>,
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
      for (const reference of referencesIn(readSource(join(folder, file)).value)) {
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
        throw new ContractError([{ file: plain(new URL(next)), line: 1, column: 1, message: why, hint: fetchHint }], {
          cause,
        });
      }
      if (!(cause instanceof ContractError)) entries.push({ url: plain(new URL(next)), why });
    }
  }
  writeIndex(folder, entries);
  return join(folder, entries[0]?.file ?? '');
};

const fetchHint = 'Download the document and set CONTRACT to the file.';

/** Last segment of the path, as far as file systems take it. */
const nameFor = ({ pathname }: URL): string =>
  (pathname.split('/').at(-1) ?? '').replace(/[^\w.-]/g, '_').slice(-80) || 'document';
