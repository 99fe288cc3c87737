import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isObject } from '../collections.js';
import { messageOf } from '../errors.js';
import { urlIn } from '../urls.js';
import { ContractError } from './errors.js';
import { forEachObject, isArray } from './json-values.js';

/**
 * A document from the web, kept in a folder with every file that it refers to, so that it is read,
 * and read again, without the network.
 */
export interface Mirror {
  /** The kept file of a reference written in another one; in words why there is none. */
  fileOf(reference: string, from: string): { readonly file: string } | { readonly why: string };
}

/** One entry of `mirror.json`: the first is the document itself. */
export interface MirrorEntry {
  /** Without query and fragment. */
  readonly url: string;
  /** Name in the folder; absent where it could not be fetched. */
  readonly file?: string;
  readonly why?: string;
}

const indexName = 'mirror.json';

const withoutFragment = (url: URL): string => url.href.replace(/#.*$/s, '');

/** What is kept and shown of a URL: a query may hold a secret. */
const plain = ({ origin, pathname }: URL): string => origin + pathname;

/** Where a reference leads, when that is on the origin of the document. */
const sameOrigin = (reference: string, from: string): { readonly url: string } | { readonly why: string } => {
  const url = urlIn(reference, from);
  if (!url) return { why: 'it is no URL' };
  if (url.origin !== new URL(from).origin)
    return { why: 'it leads to another origin, and only files of the same origin are read' };
  if (url.username !== '' || url.password !== '') return { why: 'it has a user or password in it' };
  return { url: withoutFragment(url) };
};

const writeIndex = (folder: string, entries: readonly MirrorEntry[]): void =>
  writeFileSync(join(folder, indexName), `${JSON.stringify({ files: entries }, undefined, 2)}\n`);

/** Entries of the index in a folder; empty where there is none. */
const entriesIn = (folder: string): readonly MirrorEntry[] => {
  const index = join(folder, indexName);
  if (!existsSync(index)) return [];
  const parsed: unknown = JSON.parse(readFileSync(index, 'utf8'));
  if (!isObject(parsed) || !isArray(parsed.files)) return [];
  return parsed.files.flatMap((each) => {
    if (!isObject(each) || typeof each.url !== 'string') return [];
    const { url, file, why } = each;
    return [{ url, ...(typeof file === 'string' ? { file } : {}), ...(typeof why === 'string' ? { why } : {}) }];
  });
};

/** Deletes what an earlier run has fetched, and nothing else. */
const clear = (folder: string): void => {
  for (const { file } of entriesIn(folder))
    if (file !== undefined) rmSync(join(folder, basename(file)), { force: true });
};

/** The file of the document itself in a folder that `mirrorDocument` has filled. */
export const mirroredIn = (folder: string): string | undefined => {
  const file = entriesIn(folder)[0]?.file;
  return file === undefined ? undefined : join(folder, basename(file));
};

/** The URL that a file of such a folder came from, without its query. */
export const mirroredUrl = (file: string): string | undefined =>
  entriesIn(dirname(file)).find((each) => each.file === basename(file))?.url;

/** How references of a kept document are followed; `undefined` for any other file. */
export const mirrorOf = (document: string): Mirror | undefined => {
  const folder = dirname(document);
  const entries = entriesIn(folder);
  const urlOf = (file: string): string | undefined => entries.find((each) => each.file === basename(file))?.url;
  if (urlOf(document) === undefined) return undefined;
  return {
    fileOf: (reference, from) => {
      const base = urlOf(from);
      if (base === undefined) return { why: 'it stands in a file that was not fetched' };
      const target = sameOrigin(reference, base);
      if ('why' in target) return target;
      const wanted = plain(new URL(target.url));
      const entry = entries.find(({ url }) => url === wanted);
      if (entry?.file !== undefined) return { file: join(folder, basename(entry.file)) };
      return { why: entry?.why ?? 'it was not fetched' };
    },
  };
};

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
  read: (file: string) => { readonly value: unknown },
): Promise<string> => {
  mkdirSync(folder, { recursive: true });
  clear(folder);
  const entries: MirrorEntry[] = [];
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
      const why = messageOf(cause);
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
