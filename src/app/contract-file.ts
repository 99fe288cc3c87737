import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSourceCache, type ReadSource, readSource } from '../contract/source.js';
import { isWebAddress } from '../settings/setting-parser.js';
import type { Settings } from '../settings/settings.js';
import { parseResolveEntries } from '../settings/value-parsers.js';
import type { FetchDocument, FetchedDocument } from '../wire/https-request.js';

/** Folder of a fetched contract beside the results. */
export const contractFolder = 'contract';

interface ContractFile {
  readonly path: string;
  /** Reads the file and those beside it. What was already parsed when it was fetched is cached. */
  readonly read: ReadSource;
  /** Deletes what was fetched for this process alone. */
  release(): Promise<void>;
}

/** Fetched documents by their address and the route to it. Several targets share them. */
export type Fetched = Map<string, Promise<FetchedDocument>>;

const nothing = async (): Promise<void> => undefined;

/**
 * The file of CONTRACT; a URL is fetched first, with every file of its origin that it refers to.
 * @param keepIn folder that the fetched files stay in, emptied before; a temporary one when absent
 * @param fetched what is there is not fetched again
 * @throws {ContractError} where the document cannot be fetched
 */
export const contractFile = async (
  settings: Settings,
  keepIn?: string,
  fetched: Fetched = new Map(),
): Promise<ContractFile> => {
  const { values, pem, proxy } = settings;
  if (!isWebAddress(values.CONTRACT)) return { path: values.CONTRACT, read: readSource, release: nothing };
  const { createDocumentFetcher } = await import('../wire/https-request.js');
  const { mirrorDocument } = await import('../contract/kept-document.js');
  const way = JSON.stringify([values.RESOLVE, pem.ca, proxy]);
  const fetchNow = createDocumentFetcher({
    timeoutMs: values.TIMEOUT_MS,
    resolve: parseResolveEntries(values.RESOLVE),
    ca: pem.ca,
    proxy,
  });
  const fetch: FetchDocument = (url) => {
    const name = `${url.href} ${way}`;
    const known = fetched.get(name) ?? fetchNow(url);
    fetched.set(name, known);
    return known;
  };
  const folder = keepIn ?? (await mkdtemp(join(tmpdir(), 'access-conformance-')));
  const release = keepIn === undefined ? () => rm(folder, { recursive: true, force: true }) : nothing;
  try {
    const read = createSourceCache();
    return { path: await mirrorDocument(values.CONTRACT, folder, fetch, read), read, release };
  } catch (error) {
    await release();
    throw error;
  }
};
