import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { urlIn } from '../urls.js';
import { isArray, isObject } from './json-values.js';

/**
 * A document from the web, kept in a folder with every file that it refers to, so that it is read,
 * and read again, without the network.
 */
export interface Mirror {
  /** The kept file of a reference written in another one; in words why there is none. */
  fileOf(reference: string, from: string): { readonly file: string } | { readonly why: string };
}

/** One entry of `mirror.json`: the first is the document itself. */
export interface Entry {
  /** Without query and fragment. */
  readonly url: string;
  /** Name in the folder; absent where it could not be fetched. */
  readonly file?: string;
  readonly why?: string;
}

const indexName = 'mirror.json';

export const withoutFragment = (url: URL): string => url.href.replace(/#.*$/s, '');

/** What is kept and shown of a URL: a query may hold a secret. */
export const plain = ({ origin, pathname }: URL): string => origin + pathname;

/** Where a reference leads, when that is on the origin of the document. */
export const sameOrigin = (reference: string, from: string): { readonly url: string } | { readonly why: string } => {
  const url = urlIn(reference, from);
  if (!url) return { why: 'it is no URL' };
  if (url.origin !== new URL(from).origin)
    return { why: 'it leads to another origin, and only files of the same origin are read' };
  if (url.username !== '' || url.password !== '') return { why: 'it has a user or password in it' };
  return { url: withoutFragment(url) };
};

export const writeIndex = (folder: string, entries: readonly Entry[]): void =>
  writeFileSync(join(folder, indexName), `${JSON.stringify({ files: entries }, undefined, 2)}\n`);

/** Entries of the index in a folder; empty where there is none. */
const entriesIn = (folder: string): readonly Entry[] => {
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
export const clear = (folder: string): void => {
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
