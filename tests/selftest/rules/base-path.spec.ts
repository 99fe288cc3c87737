import type { OutgoingHttpHeaders } from 'node:http';
import { startReference } from '../../../src/reference/index.js';
import { repeatedBasePath } from '../../../src/rules/documented-request/base-path.js';
import { command, folder } from '../support/command.js';
import { type Handler, judgeDocument, newKey, notFound, things, unauthorized } from '../support/document-server.js';
import { judgeReference, judgeRunning } from '../support/judge.js';
import { withPlainServer } from '../support/plain-server.js';
import { expect, inCi, rowsOfTable, test } from '../support/test.js';

/**
 * A base URL that holds the beginning of the documented paths is the setting's fault, and no
 * server's.
 */

const said = (base: string, part: string): string =>
  `${base} ends in a part of the documented path. The contract appends the documented paths itself: leave ${part} out of BASE_URL.`;

const rows = rowsOfTable(2);
for (const [prefix, part] of [
  ['/api/v2', '/api/v2'],
  ['/api', '/api'],
  ['/api/v2/workout', '/api/v2/workout'],
] as const)
  test(`BASE_URL that ends in ${prefix} is inconclusive, in the words of doctor`, rows(), async () => {
    const service = await startReference();
    const baseUrl = `${service.baseUrl}${prefix}/`;
    const run = await judgeRunning({ ...service, baseUrl });
    expect(run.failedClauses).toEqual([]);
    expect(run.results.verdict).toBe('incomplete');
    const check = run.check('serves-documented-path@listWorkouts');
    const sentence = said(`${service.baseUrl}${prefix}`, part);
    expect([check.outcome, check.reason]).toEqual(['inconclusive', sentence]);
    // A public resource says the same, and sends nobody to EXERCISE_PATH; it is one cause for all.
    const open = run.check('opens-without-credentials@listExercises');
    expect([open.outcome, open.reason]).toEqual(['inconclusive', sentence]);
    expect(open.cause).toEqual(check.cause);
    const { path: cwd, remove } = await folder();
    const doctor = await command(['doctor', '--base-url', baseUrl, '--ca-file', service.caFile], { cwd });
    for (const words of sentence.split('. '))
      expect(doctor.out.replace(/\s+/g, ' ')).toContain(words.replace(/\.$/, ''));
    await remove();
    await service.close();
  });

test('a deployment that is really there is judged as any other', async () => {
  const open = await judgeReference({ variant: 'base-path-repeats' });
  expect(open.results.verdict).toBe('conformant');
});

test('the longest end of the base URL that the path begins with, in whole segments', () => {
  const part = (basePath: string, path: string) =>
    repeatedBasePath({ origin: 'https://a.example', basePath }, [path])?.advice.match(/leave (\S+)/)?.[1];
  expect(part('/x/v1', '/v1/things')).toBe('/v1');
  expect(part('/v1/v1', '/v1/v1/things')).toBe('/v1/v1');
  expect(part('/x/api/v1', '/api/v2/things')).toBe('/api/v1');
  expect(part('/x', '/v1/things')).toBeUndefined();
  expect(part('', '/v1/things')).toBeUndefined();
  expect(part('/v', '/v1/things')).toBeUndefined();
  expect(part('/v1/x', '/v1/things')).toBeUndefined();
  expect(part('/v1', '/')).toBeUndefined();
  expect(part('/v1', '/?v1')).toBeUndefined();
});

/** A document whose server has a path, over a service that serves it there. */
const thingsApi = {
  openapi: '3.1.1',
  info: { title: 'Things', version: '1' },
  servers: [{ url: 'https://api.example.com/api/v1/' }],
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
  paths: {
    '/things': { get: { security: [{ key: [] }], responses: { default: { description: 'silent' } } } },
    '/thing': { get: { security: [{ key: [] }], responses: { default: { description: 'silent' } } } },
    '/news': { get: { security: [], responses: { default: { description: 'silent' } } } },
  },
};

const key = newKey();

const servedBelow =
  (prefix: string, missing: readonly string[] = []): Handler =>
  ({ path, headers }) => {
    const names = ['/things', '/thing', '/news'].filter((name) => !missing.includes(name));
    const name = names.find((each) => path === `${prefix}${each}`);
    if (path === '/') return { status: 200, body: { service: 'things' } };
    if (name === undefined) return notFound;
    if (name === '/news') return { status: 200, body: [{ title: 'a first item', at: '2024-01-01T10:00:00Z' }] };
    return headers['x-key'] === key ? { status: 200, body: things } : unauthorized;
  };

test(
  'BASE_URL without the path of the document’s servers is inconclusive, and the sentence names the one to try',
  inCi,
  async () => {
    const api = servedBelow('/api/v1');
    // A guard in front of the API refuses each path below it, also those that do not exist.
    const guarded: Handler = (asked) =>
      asked.path.startsWith('/api/v1/') && asked.headers['x-key'] !== key ? unauthorized : api(asked);
    for (const [handler, seen] of [
      [api, 'it is found'],
      [guarded, 'a key is asked for'],
    ] as const) {
      const run = await judgeDocument(thingsApi, handler, { settings: { API_KEY: key, PROBES: 'standard' } });
      expect(run.failedClauses).toEqual([]);
      expect(run.results.verdict).toBe('incomplete');
      const { reason } = run.check('serves-documented-path@GET /things');
      expect(reason).toMatch(
        /Nothing of the document is found below \S+, .* Set BASE_URL=https:\/\/127\.0\.0\.1:\d+\/api\/v1\.$/,
      );
      expect(reason).toContain(seen);
    }
  },
);

test('a redirect that every path gets is nothing of the operation, and the servers’ path is named', inCi, async () => {
  const api = servedBelow('/api/v1');
  const judged = (to: string) =>
    judgeDocument(
      thingsApi,
      (asked) =>
        asked.path.startsWith('/api/v1/') ? api(asked) : { status: 302, headers: { location: `${to}${asked.path}` } },
      { settings: { API_KEY: key, PROBES: 'standard' } },
    );
  const found = await judged('/app');
  expect(found.failedClauses).toEqual([]);
  expect(found.check('serves-documented-path@GET /things').reason).toMatch(/Set BASE_URL=\S+\/api\/v1\.$/);
  // An operation that alone leads elsewhere is not at its path.
  const alone = await judgeDocument(
    thingsApi,
    (asked) =>
      asked.path === '/things' ? { status: 302, headers: { location: '/old/things' } } : servedBelow('')(asked),
    { settings: { API_KEY: key, PROBES: 'standard' } },
  );
  expect(alone.failedClauses).toEqual(['PATH-1']);
});

test('a web interface that is shown at every path but the API’s is no operation, and BASE_URL is named', async () => {
  const responses = { '200': { description: '-', content: { 'application/json': {} } } };
  const operation = { security: [{ key: [] }], responses };
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
  const api = servedBelow('/api/v1');
  const run = await judgeDocument(
    {
      ...thingsApi,
      paths: {
        '/things': { get: operation },
        '/thing': { get: operation },
        '/of/{id}': { parameters, get: operation },
      },
    },
    (asked) =>
      asked.path.startsWith('/api/v1')
        ? asked.path.startsWith('/api/v1/of/')
          ? unauthorized
          : api(asked)
        : // Pages of routes that the interface knows are others than the rest.
          {
            status: 200,
            type: 'text/html',
            body: `<title>${asked.path.length}</title><p>${asked.path.slice(0, 4)}</p>`,
          },
    { settings: { API_KEY: key, PROBES: 'standard' } },
  );
  expect(run.failedClauses).toEqual([]);
  expect(run.results.causes?.map(({ title }) => title)).toEqual(['3 operations are not found below BASE_URL']);
});

test(
  'with the path of the servers in BASE_URL, or none there, the documented path is judged as ever',
  inCi,
  async () => {
    const there = await judgeDocument(thingsApi, servedBelow('/api/v1'), {
      basePath: '/api/v1',
      settings: { API_KEY: key, PROBES: 'standard' },
    });
    expect(there.failedClauses).toEqual([]);
    // One operation is gone, and the others are there: its path is broken, whatever the servers are
    // called.
    const gone = await judgeDocument(thingsApi, servedBelow('', ['/things']), {
      settings: { API_KEY: key, PROBES: 'standard' },
    });
    expect(gone.failedClauses).toEqual(['PATH-1']);
    // `/thing` answers, and is another operation of the document: that is no place where `/things`
    // would be.
    const [reason] = gone.results.checks.flatMap(({ id, outcome, reason: words }) =>
      id.startsWith('serves-documented-path') && outcome === 'failed' ? [words] : [],
    );
    expect(reason).not.toContain('/thing ');
  },
);

test('plan and doctor compare the servers of the document with BASE_URL', inCi, async () => {
  const { path: cwd, remove } = await folder({ 'openapi.json': JSON.stringify(thingsApi) });
  const said = "The document's servers have the path /api/v1, and BASE_URL has none.";
  const plan = await command(['plan', '--contract', 'openapi.json', '--base-url', 'https://127.0.0.1:9'], { cwd });
  expect(plan.err).toContain(`BASE_URL: ${said} If nothing is found, try BASE_URL=https://127.0.0.1:9/api/v1.`);
  const right = await command(['plan', '--contract', 'openapi.json', '--base-url', 'https://127.0.0.1:9/x/api/v1'], {
    cwd,
  });
  expect(right.err).not.toContain(said);
  await remove();
});

test('what HTTPS does not serve at a path is not said to be refused there by plain HTTP', async () => {
  const outcomeWith = (status: number, headers: OutgoingHttpHeaders): Promise<string | undefined> =>
    withPlainServer(
      (_, response) => void response.writeHead(status, headers).end(),
      async (origin) => {
        const run = await judgeDocument(thingsApi, servedBelow('/api/v1'), {
          settings: { API_KEY: key, HTTP_BASE_URL: origin },
          only: ['HTTPS-2'],
        });
        return run.results.clauses.find(({ id }) => id === 'HTTPS-2')?.outcome;
      },
    );
  expect(await outcomeWith(404, {})).toBe('blocked');
  expect(await outcomeWith(301, { location: 'https://127.0.0.1/' })).toBe('passed');
});

test('HTTP_BASE_URL without the path of BASE_URL hides no plain HTTP', async () => {
  const served = await startReference({ fault: 'plain-http-public', variant: 'base-path' });
  const { origin } = new URL(served.httpBaseUrl);
  const run = await judgeRunning({ ...served, httpBaseUrl: origin }, { only: ['HTTPS-2'] });
  await served.close();
  expect(run.failedClauses).toEqual(['HTTPS-2']);
  expect(run.results.checks.find(({ outcome }) => outcome === 'failed')?.reason).toContain('the path of BASE_URL');
});
