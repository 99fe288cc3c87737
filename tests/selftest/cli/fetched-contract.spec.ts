import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { app } from '../support/app.js';
import { certificate } from '../support/certificates.js';
import { newKey, things, tokenComponents } from '../support/document-server.js';
import { expect, inCi, test } from '../support/test.js';

/**
 * CONTRACT as an https URL: fetched without credentials, kept beside the results, read again
 * without the network.
 */

interface Host {
  readonly origin: string;
  readonly cert: string;
  /** `GET /path`, and the Authorization field of each request for a document. */
  readonly fetched: { readonly request: string; readonly authorization: string | undefined }[];
  readonly files: Map<string, string | 401 | { readonly redirect: string }>;
  close(): Promise<void>;
}

const key = newKey();

/** Serves documents below /docs, and one protected resource. */
const host = async (): Promise<Host> => {
  const { cert, key: privateKey } = await certificate();
  const fetched: Host['fetched'] = [];
  const files: Host['files'] = new Map();
  const server = https.createServer({ cert, key: privateKey }, ({ method, url = '', headers }, response) => {
    const file = files.get(url);
    if (file !== undefined || url.startsWith('/docs')) {
      fetched.push({ request: `${method} ${url}`, authorization: headers.authorization });
      if (typeof file === 'object') response.writeHead(302, { location: file.redirect }).end();
      else if (typeof file === 'number') response.writeHead(file).end();
      else response.writeHead(file === undefined ? 404 : 200).end(file);
      return;
    }
    const opens = headers.authorization === `Token ${key}` && url === '/things';
    const status = url === '/things' ? (opens ? 200 : 401) : 404;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(opens ? things : { detail: 'no' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `https://127.0.0.1:${port}`,
    cert,
    fetched,
    files,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const document = (reference: string): string =>
  stringify({
    openapi: '3.1.1',
    info: { title: 'Things', version: '1' },
    components: tokenComponents,
    paths: {
      '/things': {
        get: {
          operationId: 'listThings',
          security: [{ key: [] }],
          responses: {
            200: { description: 'ok', content: { 'application/json': { schema: { $ref: reference } } } },
            default: { description: 'silent' },
          },
        },
      },
    },
  });

const withHost = async (use: (host: Host) => Promise<void>): Promise<void> => {
  const one = await host();
  try {
    await use(one);
  } finally {
    await one.close();
  }
};

test('a contract on the web is fetched with its files, kept, and judged again offline', inCi, async ({ cwd }) => {
  const { origin, results } = await (async () => {
    const one = await host();
    one.files.set('/docs/openapi.yaml?version=secret', document('schemas/thing.json#/Things'));
    one.files.set('/docs/schemas/thing.json', JSON.stringify({ Things: { $ref: '/docs/list.json#/List' } }));
    one.files.set('/docs/list.json', JSON.stringify({ List: { type: 'object', required: ['results'] } }));
    writeFileSync(join(cwd, 'ca.pem'), one.cert);
    try {
      const run = await app(['run', '--contract', `${one.origin}/docs/openapi.yaml?version=secret`], {
        cwd,
        env: { BASE_URL: one.origin, API_KEY: key, HTTP_BASE_URL: 'none', CA_FILE: 'ca.pem' },
      });
      expect(run.code, run.err).toBe(0);
      expect(one.fetched).toEqual(
        ['openapi.yaml?version=secret', 'schemas/thing.json', 'list.json'].map((name) => ({
          request: `GET /docs/${name}`,
          authorization: undefined,
        })),
      );
      const text = readFileSync(join(cwd, 'reports/conformance/results.json'), 'utf8');
      expect(text).not.toContain('version=secret');
      return { origin: one.origin, results: JSON.parse(text) };
    } finally {
      await one.close();
    }
  })();
  expect(results.contract.file).toBe(`${origin}/docs/openapi.yaml`);
  expect(
    results.checks.filter(
      ({ rule, outcome }: { rule: string; outcome: string }) =>
        rule === 'answers-as-documented' || outcome === 'failed',
    ),
  ).toEqual([]);
  const again = await app(['judge', 'reports/conformance/results.json'], { cwd });
  expect(again.err).toBe('');
  expect(again.out).toContain('Nothing changed');
  expect(again.code).toBe(0);
});

test('a problem of a fetched document names its URL, line and column', async ({ cwd }) => {
  await withHost(async ({ origin, cert, files }) => {
    writeFileSync(join(cwd, 'ca.pem'), cert);
    const env = { BASE_URL: origin, API_KEY: key, CA_FILE: 'ca.pem' };
    const ended = (name: string) => app(['plan', '--contract', `${origin}/docs/${name}`], { cwd, env });

    files.set('/docs/gone.yaml', document('nowhere.json#/Things'));
    const gone = await ended('gone.yaml');
    expect(gone.err).toMatch(/\/docs\/gone\.yaml:\d+:\d+ \$ref "nowhere\.json" cannot be read: the server answers 404/);
    expect(gone.code).toBe(3);

    files.set('/docs/foreign.yaml', document('https://example.com/thing.json#/Things'));
    expect((await ended('foreign.yaml')).err).toContain('it leads to another origin');

    files.set('/docs/file.yaml', document('file:///etc/passwd'));
    expect((await ended('file.yaml')).err).toContain('it leads to another origin');

    files.set('/docs/moved.yaml', { redirect: 'https://example.com/openapi.yaml' });
    expect((await ended('moved.yaml')).err).toContain('redirects to https://example.com, another origin');

    files.set('/docs/old.yaml', { redirect: '/docs/new/openapi.yaml' });
    files.set('/docs/new/openapi.yaml', document('thing.json#/Things'));
    files.set('/docs/new/thing.json', JSON.stringify({ Things: true }));
    expect((await ended('old.yaml')).code).toBe(0);

    files.set('/docs/closed.yaml', 401);
    expect((await ended('closed.yaml')).err).toContain('answers 401, and no key is ever sent for a document');

    const missing = await ended('missing.yaml');
    expect(missing.err).toContain(`${origin}/docs/missing.yaml:1:1 the server answers 404`);
    expect(missing.err).toContain('Download the document');
    expect(missing.code).toBe(3);
    expect(existsSync(join(cwd, 'reports'))).toBe(false);
  });
});

test('only https, with a certificate that is trusted, and without a user in the URL', async ({ cwd }) => {
  await withHost(async ({ origin, files }) => {
    files.set('/docs/openapi.yaml', document('#/components'));
    const ended = async (contract: string, ...flags: string[]) =>
      (await app(['plan', '--contract', contract, ...flags], { cwd, env: { BASE_URL: origin, API_KEY: key } })).err;
    expect(await ended(`${origin.replace('https', 'http')}/docs/openapi.yaml`)).toContain('over HTTPS only');
    expect(await ended(origin.replace('//', '//user:pass@'))).toContain('a user or password in it');
    const untrusted = await ended(`${origin}/docs/openapi.yaml`, '--insecure-tls');
    expect(untrusted).toMatch(/the certificate is not accepted/);
    expect(untrusted).toMatch(/Set CA_FILE to that very certificate\. Or download the document/);
  });
});

test('several targets share one fetch, and each keeps the document beside its results', inCi, async ({ cwd }) => {
  await withHost(async ({ origin, cert, files, fetched }) => {
    files.set('/docs/openapi.yaml', document('thing.json#/Things'));
    files.set('/docs/thing.json', JSON.stringify({ Things: true }));
    writeFileSync(join(cwd, 'ca.pem'), cert);
    const targets = ['blue', 'green'].map((name) => ({ name, baseUrl: origin, ca: 'ca.pem', httpBaseUrl: 'none' }));
    writeFileSync(join(cwd, 'targets.yaml'), stringify({ targets }));
    const args = ['--targets', 'targets.yaml', '--contract', `${origin}/docs/openapi.yaml`];
    await app(['run', '--only', 'HTTPS-1', ...args], { cwd, env: {} });
    expect(fetched.map(({ request }) => request)).toEqual(['GET /docs/openapi.yaml', 'GET /docs/thing.json']);
    for (const name of ['blue', 'green'])
      expect((await app(['judge', `reports/${name}/conformance/results.json`], { cwd })).out).toContain(
        'Nothing changed',
      );
    expect((await app(['plan', ...args], { cwd, env: {} })).code).toBe(0);
    expect(fetched).toHaveLength(4);
  });
});
