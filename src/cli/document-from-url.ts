import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { prepareRun } from '../app/prepare.js';
import { judgePrepared } from '../app/run.js';
import type { Finding } from '../engine/results.js';
import { readSettings } from '../settings/settings.js';
import { visible } from '../visible.js';
import type { CommandContext } from './arguments.js';
import { type UsualScheme, usualSchemes } from './files.js';

/**
 * A first OpenAPI document of a service that has none, from what answers with and without the key.
 */

type SeenAccess = 'public' | 'protected' | 'absent' | 'unclear';

interface AskedPath {
  readonly path: string;
  readonly seen: SeenAccess;
  readonly reason?: string;
}

export interface FoundApi {
  readonly url: string;
  readonly paths: readonly AskedPath[];
  /** The scheme that opened a path; absent where none did. */
  readonly scheme?: UsualScheme;
}

interface DocumentRequest {
  readonly url: string;
  readonly paths: readonly string[];
  readonly context: Pick<CommandContext, 'env' | 'cwd' | 'signal'>;
}

const documentOf = (url: string, paths: ReadonlyMap<string, SeenAccess>, scheme: UsualScheme | undefined): object => {
  const operationOf = (path: string, seen: SeenAccess): object => ({
    ...queryOf(path),
    security: seen === 'protected' ? [{ key: [] }] : [],
    responses: { default: { description: 'Not stated yet.' } },
  });
  return {
    openapi: '3.1.1',
    info: { title: new URL(url).host, version: '0' },
    servers: [{ url }],
    paths: Object.fromEntries(
      [...paths].map(([path, seen]) => [path.replace(/\?.*$/, ''), { get: operationOf(path, seen) }]),
    ),
    ...(scheme ? { components: { securitySchemes: { key: scheme.definition } } } : {}),
  };
};

/** A query is no part of a path in OpenAPI. The id stays what the path was asked as. */
const queryOf = (path: string): object => {
  const [, query] = path.split(/\?(.*)/, 2);
  if (query === undefined) return {};
  const common = { in: 'query', required: true, schema: { type: 'string' } };
  const parameters = [...new URLSearchParams(query)].map(([name, example]) => ({ name, ...common, example }));
  return { operationId: `GET ${path}`, parameters };
};

/** The findings of some rules, of a document that says this of the paths. */
const findingsOf = async (
  { url, context }: DocumentRequest,
  paths: ReadonlyMap<string, SeenAccess>,
  scheme: UsualScheme | undefined,
  only: readonly string[],
): Promise<readonly Finding[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'access-conformance-'));
  try {
    const file = join(folder, 'openapi.yaml');
    writeFileSync(file, stringify(documentOf(url, paths, scheme)));
    const { env, cwd, signal } = context;
    const settings = readSettings({ flags: { BASE_URL: url, CONTRACT: file }, env, cwd });
    const prepared = await prepareRun(settings, { cwd, warn: () => {} });
    const { record } = await judgePrepared(prepared, { only, signal });
    const { checks } = record.results;
    await record.dispose();
    return checks;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const all = (paths: readonly string[], seen: SeenAccess): ReadonlyMap<string, SeenAccess> =>
  new Map(paths.map((path) => [path, seen]));

const findingAt = (findings: readonly Finding[], path: string): Finding | undefined =>
  findings.find(({ operation }) => operation === `GET ${path}`);

/**
 * Asks each path with and without the key.
 * @throws errors for people: settings, an URL that is not https
 */
export const findApi = async (request: DocumentRequest): Promise<FoundApi> => {
  const { url, paths } = request;
  const open = await findingsOf(request, all(paths, 'public'), undefined, ['opens-without-credentials']);
  const closed = paths.filter((path) => findingAt(open, path)?.outcome !== 'passed');
  const seen = new Map<string, AskedPath>(
    paths.filter((path) => !closed.includes(path)).map((path) => [path, { path, seen: 'public' }]),
  );
  let opened: UsualScheme | undefined;
  for (const scheme of closed.length === 0 ? [] : usualSchemes) {
    const findings = await findingsOf(request, all(closed, 'protected'), scheme, ['refuses-missing-key']);
    for (const path of closed)
      if (findingAt(findings, path)?.outcome === 'passed') seen.set(path, { path, seen: 'protected' });
    if (closed.some((path) => seen.has(path))) {
      opened = scheme;
      break;
    }
  }
  return {
    url,
    ...(opened ? { scheme: opened } : {}),
    paths: paths.map((path) => {
      const found = seen.get(path);
      const finding = findingAt(open, path);
      if (found) return found;
      return finding?.cause?.id === 'answered-like-nothing'
        ? { path, seen: 'absent' }
        : { path, seen: 'unclear', reason: finding?.reason ?? 'It was not asked.' };
    }),
  };
};

const comment = (text: string): string => `# ${visible(text).replaceAll('\n', ' ')}`;

/** The document, with what could not be told in comments. */
export const foundDocument = ({ url, paths, scheme }: FoundApi): string => {
  const seenAs = (wanted: SeenAccess): readonly AskedPath[] => paths.filter(({ seen }) => seen === wanted);
  const stated = paths.filter(({ seen }) => seen === 'public' || seen === 'protected');
  const open = seenAs('public').map(({ path }) => path);
  return [
    comment(`What answered at ${url}, with and without the key. Read it before you rely on it.`),
    ...(open.length > 0
      ? [comment(`Open to everybody: ${open.join(', ')}. If that is a hole, write security: [{key: []}] there.`)]
      : []),
    ...seenAs('absent').map(({ path }) =>
      comment(`${path} answers as a path that does not exist, with the key too: it is left out.`),
    ),
    ...seenAs('unclear').map(({ path, reason = '' }) => comment(`${path} is left out: ${reason}`)),
    stringify(documentOf(url, new Map(stated.map(({ path, seen }) => [path, seen])), scheme)),
  ].join('\n');
};
