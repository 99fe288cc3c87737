import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { startReference, startRoles } from '../../../src/reference/index.js';
import { app } from '../support/app.js';
import { documentOf, operationOf } from '../support/documents.js';
import { settingsOfRoles } from '../support/roles.js';
import { expect, inCi, test } from '../support/test.js';

/** The doctor ticks what is well, and nothing else. */

const asked = async (
  cwd: string,
  how: Parameters<typeof startReference>[0],
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly out: string; readonly err: string; readonly code: number }> => {
  const service = await startReference(how);
  try {
    const { baseUrl, httpBaseUrl, key, caFile } = service;
    const env = { BASE_URL: baseUrl, HTTP_BASE_URL: httpBaseUrl, API_KEY: key, CA_FILE: caFile, ...more };
    return await app(['doctor'], { cwd, env });
  } finally {
    await service.close();
  }
};

const document = (cwd: string, parts: Readonly<Record<string, unknown>>): string => {
  mkdirSync(cwd, { recursive: true });
  const file = join(cwd, 'openapi.yaml');
  writeFileSync(file, stringify(documentOf(parts)));
  return file;
};

const scheme = {
  type: 'apiKey',
  in: 'header',
  name: 'Authorization',
  'x-access-credential': { scheme: 'Token', separator: ' ' },
};

test('a conforming service is well', async ({ cwd }) => {
  const { out, code } = await asked(cwd, {});
  expect(out).toContain('✓ path listWorkouts');
  expect(out).toContain('All is well');
  expect(code).toBe(0);
});

test('a protected operation that answers 200 without a key is not well', async ({ cwd }) => {
  const { out } = await asked(cwd, { fault: 'no-key-asked' });
  expect(out).toMatch(/! path listWorkouts .*answers 200 without a key, and the document says that it needs one/);
  expect(out).toContain('✓ path listExercises');
  expect(out).not.toContain('All is well');
});

test('a key is tried, and one that opens nothing is not well', async ({ cwd }) => {
  expect((await asked(cwd, {})).out).toMatch(/✓ API_KEY +\/api\/v2\/workout\/ answers 200 with it/);
  const { out } = await asked(cwd, {}, { API_KEY: 'f613ec2fcc637baa140988be06f5c20000f02fe3' });
  expect(out).toMatch(/! API_KEY +\/api\/v2\/workout\/ answers 401 with it/);
  expect(out).not.toContain('All is well');
});

test('a public operation that refuses is not well', async ({ cwd }) => {
  const { out } = await asked(cwd, { fault: 'public-needs-key' });
  expect(out).toMatch(/! path listExercises .*answers 401 without a key, and the document says that it needs none/);
  expect(out).not.toContain('All is well');
});

test('a key that travels in the URL, where it may not be sent, is told', async ({ cwd }) => {
  const CONTRACT = document(cwd, {
    components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'api_key' } } },
    paths: { '/api/v2/workout/': { get: operationOf({ operationId: 'listWorkouts', security: [{ key: [] }] }) } },
  });
  const { out } = await asked(cwd, {}, { CONTRACT });
  expect(out).toMatch(/! PROBE_KEY_IN_URL +Not set; 1 protected operation takes the key in the URL/);
  expect((await asked(cwd, {}, { CONTRACT, PROBE_KEY_IN_URL: 'true' })).out).not.toContain('PROBE_KEY_IN_URL  ');
});

test('a key that the document leaves unused is told', async ({ cwd }) => {
  const CONTRACT = document(cwd, {
    paths: { '/api/v2/exercise/': { get: operationOf({ operationId: 'listExercises' }) } },
  });
  const { out } = await asked(cwd, {}, { CONTRACT });
  expect(out).toMatch(/! API_KEY .*leaves it unused. No operation of it asks for a key/);
  expect(out).not.toContain('All is well');
});

test('a key is used by operations whose parameters have no value yet, and by writes', async ({ cwd }) => {
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
  const closed = operationOf({ security: [{ one: [] }] });
  for (const item of [
    { parameters, get: closed },
    { parameters, put: closed },
  ]) {
    const paths = { '/api/v2/exercise/': { get: operationOf({ operationId: 'listExercises', security: [] }) } };
    const CONTRACT = document(cwd, {
      components: { securitySchemes: { one: scheme } },
      paths: { ...paths, '/api/v2/workout/{id}/': item },
    });
    expect((await asked(cwd, {}, { CONTRACT })).out).not.toContain('leaves it unused');
  }
});

test('with several schemes the keys that are missing are named, and API_KEY stands in for them', async ({ cwd }) => {
  const CONTRACT = document(cwd, {
    components: { securitySchemes: { one: scheme, two: { type: 'apiKey', in: 'header', name: 'X-Two' } } },
    paths: {
      '/api/v2/workout/': { get: operationOf({ operationId: 'listWorkouts', security: [{ one: [] }] }) },
      '/api/v2/other/': { get: operationOf({ operationId: 'listOthers', security: [{ two: [] }] }) },
    },
  });
  const key = '0123456789abcdef';
  const shared = await asked(cwd, {}, { CONTRACT, API_KEY_ONE: key });
  expect(shared.err).toContain('API_KEY is sent for the scheme "two", for which no key of its own was given');
  const { out } = await asked(cwd, {}, { CONTRACT, API_KEY_ONE: key, API_KEY: '' });
  expect(out).toMatch(/! API_KEY_TWO +Not set; 1 protected operation needs it/);
});

test('operations that are not asked are counted', async ({ cwd }) => {
  const paths = Object.fromEntries(
    Array.from({ length: 13 }, (_, index) => [
      `/api/v2/exercise/${index}`,
      { get: operationOf({ operationId: `list${index}` }) },
    ]),
  );
  const { out } = await asked(cwd, {}, { CONTRACT: document(cwd, { paths }) });
  expect(out).toContain('3 more operations not asked here');
});

test('reads that are documented without content are named with the line that leaves one out', async ({ cwd }) => {
  const answers = (...statuses: readonly string[]) => ({
    get: operationOf({
      responses: Object.fromEntries(statuses.map((status) => [status, { description: '-' }])),
    }),
  });
  const paths = {
    '/mail': answers('204', '401'),
    '/job': answers('202'),
    '/list': answers('200', '204'),
    '/open': answers('default'),
  };
  const env = { CONTRACT: document(cwd, { paths }) };
  const { out } = await asked(cwd, {}, env);
  expect(out).toMatch(/! reads +2 GETs are documented without content .*: GET \/mail, GET \/job\.\n/);
  expect(out).toContain('- {leaveOut: "GET /mail", reason: …}');
  writeFileSync(
    join(cwd, 'deviations.yaml'),
    '- {leaveOut: "GET /mail", reason: sends a mail}\n- {leaveOut: "GET /job", reason: starts a job}\n',
  );
  const plan = await app(['plan'], {
    cwd,
    env: { ...env, BASE_URL: 'https://a.invalid', DEVIATIONS: 'deviations.yaml' },
  });
  expect(plan.out).toContain('https://a.invalid/list');
  expect(plan.out).not.toMatch(/a\.invalid\/(?:mail|job)|documented without content/);
});

test('an identity that may not read the first operations is tried at others', async ({ cwd }) => {
  const read = { get: { security: [{ key: [] }], responses: { 200: { description: '-' } } } };
  const doctorOf = async (...paths: readonly string[]): Promise<string> => {
    const CONTRACT = document(cwd, {
      paths: Object.fromEntries(paths.map((path) => [path, read])),
      components: { securitySchemes: { key: scheme } },
    });
    const IDENTITIES = join(cwd, 'identities.yaml');
    writeFileSync(IDENTITIES, 'identities: [{ name: mara, keys: { key: { variable: API_KEY } } }]\n');
    return (await asked(cwd, {}, { CONTRACT, IDENTITIES })).out;
  };
  expect(await doctorOf('/a', '/b', '/api/v2/workout/')).toMatch(
    /✓ identity mara +\/api\/v2\/workout\/ answers 200 to its key\./,
  );
  const closed = '/a answers 404 to its key, /b answers 404 to its key, /c answers 404 to its key.';
  expect(await doctorOf('/a', '/b', '/c', '/d')).toMatch(new RegExp(`! identity mara +${closed}\n`));
});

test('each identity is tried, also with a key that a token endpoint gives', inCi, async ({ cwd }) => {
  const roles = await startRoles();
  try {
    const { out, code } = await app(['doctor'], { cwd, env: settingsOfRoles(roles) });
    expect(out).toMatch(
      /✓ API_KEY_OF_ROBOT .*got it by the client credentials flow at .*\/oauth\/token: \d+ characters/,
    );
    for (const name of ['mara', 'tomas', 'ilse', 'guest', 'robot'])
      expect(out).toMatch(new RegExp(`✓ identity ${name} .*/api/v2/\\w+/ answers 200 to its key`));
    for (const name of ['ended', 'newsletter']) expect(out).toMatch(new RegExp(`. identity ${name} `));
    expect(code).toBe(0);
    for (const key of Object.values(roles.variables)) expect(out).not.toContain(key);
  } finally {
    await roles.service.close();
  }
});
