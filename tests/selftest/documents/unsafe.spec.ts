import {
  type Answer,
  type Asked,
  judgeDocument,
  newKey,
  notFound,
  things,
  unauthorized,
} from '../support/document-server.js';
import { documentOf, withFiles } from '../support/documents.js';
import { expect, someOfTable, test } from '../support/test.js';

/**
 * UNSAFE_METHODS=true: protected operations that may change something are asked without a key and
 * without a body, last and once.
 */

const row = someOfTable();

const key = newKey();
const responses = { default: { description: '-' } };
const security = [{ key: [] }];
const document = documentOf({
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/things/': {
      get: { operationId: 'listThings', security, responses: { '200': { description: '-' } } },
      post: {
        operationId: 'addThing',
        security,
        requestBody: { required: true, content: { 'application/json': {} } },
        responses: { '201': { description: '-' } },
      },
    },
    '/things/{id}/': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' }, example: 71_235 }],
      put: { operationId: 'replaceThing', security, responses },
      delete: { operationId: 'removeThing', security, responses },
    },
    '/signup/': { post: { operationId: 'signUp', security: [], responses } },
  },
});

type Unsafe = (asked: Asked) => Answer;

const serve =
  (unsafe: Unsafe) =>
  (asked: Asked): Answer => {
    if (!/^\/things\/(?:\d+\/)?$/.test(asked.path)) return notFound;
    if (['GET', 'HEAD'].includes(asked.method))
      return asked.path !== '/things/'
        ? notFound
        : asked.headers.authorization === `Bearer ${key}`
          ? { status: 200, body: things }
          : unauthorized;
    return unsafe(asked);
  };

const settings = { API_KEY: key, UNSAFE_METHODS: 'true' };
const ids = ['addThing', 'replaceThing', 'removeThing'];
const isChange = ({ method }: Asked): boolean => !['GET', 'HEAD', 'OPTIONS'].includes(method);

test('a server that asks for the key is conformant, and each operation got one request, last, without key and body', async () => {
  const run = await judgeDocument(
    document,
    serve(() => unauthorized),
    { settings },
  );
  expect(run.results.verdict).toBe('conformant');
  for (const id of ids) {
    const checks = run.results.checks.filter(({ operation }) => operation === id);
    expect(checks.map(({ rule, outcome }) => `${rule} ${outcome}`)).toEqual(['refuses-missing-key passed']);
  }
  expect(run.results.operations.map(({ id, probed }) => `${id} ${probed}`)).toEqual([
    'listThings true',
    'addThing true',
    'replaceThing true',
    'removeThing true',
    'signUp false',
  ]);
  const changes = run.asked.filter(isChange);
  expect(
    changes
      .filter(({ path }) => !path.includes('missing-'))
      .map(({ method, path }) => `${method} ${path.replace(/\d+/, (id) => (Number(id) > 10 ** 14 ? '<random>' : id))}`)
      .sort(),
  ).toEqual(['DELETE /things/<random>/', 'POST /things/', 'PUT /things/<random>/']);
  expect(new Set(changes.flatMap(({ path }) => path.match(/\d{15}/)?.[0] ?? [])).size).toBe(2);
  expect(changes).toHaveLength(6);
  for (const { headers } of changes) {
    expect(headers.authorization).toBeUndefined();
    expect(headers['transfer-encoding']).toBeUndefined();
  }
  const lastControl = run.asked.findLastIndex(
    ({ path, headers }) => path === '/things/' && headers.authorization === `Bearer ${key}`,
  );
  expect(run.asked.findIndex(isChange)).toBeGreaterThan(0);
  expect(lastControl).toBeGreaterThan(0);
});

test('without the setting nothing but reads is sent', async () => {
  const run = await judgeDocument(
    document,
    serve(() => unauthorized),
    { settings: { API_KEY: key } },
  );
  expect(run.asked.filter(isChange)).toEqual([]);
  expect(run.results.operations.filter(({ probed }) => !probed)).toHaveLength(4);
});

const cases: readonly (readonly [what: string, answer: Answer, outcome: string, reason: RegExp])[] = [
  [
    '201 and the new thing',
    { status: 201, body: { id: 9 } },
    'failed',
    /^POST without a key is answered with 201, unlike.*It was sent twice.*see what it may have changed.*openapi\.yaml:\d+\): either the server forgot/,
  ],
  ['204', { status: 204 }, 'failed', /sent twice/],
  // A refusal in the body may have the members of a thing.
  ['200 and a thing', { status: 200, body: { id: 9, name: 'new' } }, 'inconclusive', /may be a refusal/],
  ['200 and an error', { status: 200, body: { code: 401, error: 'no key' } }, 'inconclusive', /may be a refusal/],
  ['403', { status: 403, body: {} }, 'passed', /^Refused: 403\.$/],
  // A page to log in at, and one that follows on what was done, are both a place.
  ['a redirect to a login page', { status: 302, headers: { location: '/login/' } }, 'inconclusive', /a redirect/],
  ['a redirect to what may be new', { status: 303, headers: { location: '/things/9/' } }, 'inconclusive', /a redirect/],
  ['409', { status: 409, body: { detail: 'There is one.' } }, 'inconclusive', /^Answered with 409, which speaks of/],
  ['405', { status: 405 }, 'inconclusive', /speaks of what is there and not of the key/],
  ['404, as where nothing is', notFound, 'inconclusive', /speaks of what is there and not of the key\.$/],
  ['410', { status: 410 }, 'inconclusive', /speaks of what is there/],
  ['415', { status: 415 }, 'inconclusive', /speaks of the missing body/],
  ['407, which a proxy says', { status: 407 }, 'inconclusive', /speaks of what is there/],
  ['404 of another kind', { status: 404, body: { detail: 'No basket.' } }, 'inconclusive', /speaks of what is there/],
  ['422', { status: 422, body: { detail: 'name is required' } }, 'inconclusive', /speaks of the missing body/],
  ['500', { status: 500, body: 'TypeError' }, 'inconclusive', /server error/],
  ['503', { status: 503 }, 'inconclusive', /503/],
];

for (const [what, answer, outcome, reason] of cases)
  test(`judges ${what}`, row(), async () => {
    let posts = 0;
    const run = await judgeDocument(
      document,
      serve(({ method }) => {
        if (method !== 'POST') return unauthorized;
        posts += 1;
        return answer;
      }),
      { settings, only: ['refuses-missing-key'] },
    );
    const { outcome: found, reason: said } = run.check('refuses-missing-key@addThing');
    expect(found, said).toBe(outcome);
    expect(said).toMatch(reason);
    expect(run.failedClauses).toEqual(outcome === 'failed' ? ['AUTH-3'] : []);
    expect(posts).toBe(outcome === 'failed' ? 2 : 1);
  });

test('404 is a refusal where reads that are guarded alike are refused so, and says nothing elsewhere', async () => {
  const outcomes = async (refusal: Answer): Promise<readonly string[]> => {
    const run = await judgeDocument(
      document,
      (asked) => {
        const answer = serve(() => notFound)(asked);
        return answer === unauthorized ? refusal : answer;
      },
      { settings, only: ['refuses-missing-key'] },
    );
    return ids.map((id) => run.check(`refuses-missing-key@${id}`).outcome);
  };
  expect(await outcomes(unauthorized)).toEqual(['inconclusive', 'inconclusive', 'inconclusive']);
  expect(await outcomes(notFound)).toEqual(['passed', 'passed', 'passed']);
});

const elsewhere = documentOf({
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/things/': { get: { operationId: 'listThings', security, responses: { '200': { description: '-' } } } },
    '/search': { post: { operationId: 'search', security, responses } },
  },
});
const logIn = (from: string): Answer => ({ status: 302, headers: { location: `/login?next=${from}` } });
const teapot: Answer = { status: 418, body: { detail: 'No key.' } };
const elsewhereCases: readonly (readonly [what: string, ofReads: Answer, answer: Answer, outcome: string])[] = [
  ['the redirect to a log-in page', logIn('things'), logIn('search'), 'passed'],
  ['the client error of no other meaning', teapot, teapot, 'passed'],
  ['a redirect to another place', logIn('things'), { status: 303, headers: { location: '/found' } }, 'inconclusive'],
  ['404, which may say what is there', notFound, notFound, 'inconclusive'],
  ['400, which may say that a body is needed', { status: 400 }, { status: 400 }, 'inconclusive'],
];
for (const [what, ofReads, answer, outcome] of elsewhereCases)
  test(`where reads at other paths get ${ofReads.status}, a write without a key that gets ${what} is ${outcome}`, async () => {
    const run = await judgeDocument(
      elsewhere,
      ({ method, path, headers }) => {
        if (path === '/search' && method === 'POST') return answer;
        if (path !== '/things/') return notFound;
        return headers.authorization === `Bearer ${key}` ? { status: 200, body: things } : ofReads;
      },
      { settings, only: ['refuses-missing-key'] },
    );
    expect(run.check('refuses-missing-key@search').outcome).toBe(outcome);
  });

const itemOf = (parameter: object, method = 'delete'): object =>
  documentOf({
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' }, staff: { type: 'http', scheme: 'basic' } },
    },
    paths: {
      '/things/': { get: { operationId: 'listThings', security, responses: { '200': { description: '-' } } } },
      '/things/{id}/': {
        [method]: {
          operationId: 'changeThing',
          security,
          parameters: [{ name: 'id', in: 'path', required: true, ...parameter }],
          responses,
        },
      },
    },
  });

/** Shows its list to the key alone, reads without it get `refusal`, and every change `answer`. */
const guarding =
  (answer: Answer, refusal: Answer = unauthorized) =>
  ({ method, path, headers }: Asked): Answer => {
    if (method !== 'GET') return answer;
    if (path !== '/things/') return notFound;
    return headers.authorization === `Bearer ${key}` ? { status: 200, body: things } : refusal;
  };

/** What a server that shows its list to the key alone is asked to change. */
const changesAsked = async (document: object, answer: Answer = unauthorized) => {
  const run = await judgeDocument(document, guarding(answer), {
    settings: { ...settings, PROBES: 'standard' },
  });
  const changes = run.asked.filter((asked) => isChange(asked) && !asked.path.includes('missing-'));
  return { run, changes };
};

const uuid = /^\/things\/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}\/$/;
const integer = /^\/things\/[1-9]\d{14}\/$/;
const ofAnyType: readonly (readonly [what: string, parameter: object, path: RegExp])[] = [
  [
    'a UUID with an example',
    { schema: { type: 'string', format: 'uuid' }, example: 'aaaaaaaa-0000-4000-8000-000000000001' },
    uuid,
  ],
  ['a text with a default', { schema: { type: 'string', default: 'mine' } }, uuid],
  ['an empty schema', { schema: {} }, uuid],
  ['an integer with an example', { schema: { type: 'integer', format: 'int64', example: 7 } }, integer],
  ['a nullable integer', { schema: { anyOf: [{ type: 'integer' }, { type: 'null' }] } }, integer],
];

for (const [what, parameter, path] of ofAnyType)
  test(`a write for ${what} is asked at a random id`, row(), async () => {
    const { run, changes } = await changesAsked(itemOf(parameter));
    expect(changes).toHaveLength(1);
    expect(changes[0]?.path).toMatch(path);
    expect(run.check('refuses-missing-key@changeThing').outcome).toBe('passed');
  });

const withoutRandomId: readonly (readonly [what: string, parameter: object])[] = [
  ['one of listed words', { schema: { type: 'string', enum: ['a', 'b'] } }],
  ['one of listed words, by reference or not', { schema: { allOf: [{ type: 'string', const: 'a' }] } }],
  ['a text of a pattern', { schema: { type: 'string', pattern: '^[a-z]{3}$' } }],
  ['a short text', { schema: { type: 'string', maxLength: 8 } }],
  ['a date', { schema: { type: 'string', format: 'date' }, example: '2024-01-01' }],
  ['a boolean', { schema: { type: 'boolean' } }],
];

for (const [what, parameter] of withoutRandomId)
  test(`a write for ${what} is missed, and never asked`, row(), async () => {
    const { run, changes } = await changesAsked(itemOf(parameter, 'put'));
    expect(changes).toEqual([]);
    expect(run.results.operations.find(({ id }) => id === 'changeThing')).toMatchObject({
      judged: false,
      why: 'no-random-id',
      reason: expect.stringMatching(/^No random id fits the required path parameter "id"/),
    });
    expect(run.results.coverage).toMatchObject({ missed: 1, leftOut: 0 });
  });

test('a DELETE without a path parameter is missed, and never asked', async () => {
  const { run, changes } = await changesAsked(
    documentOf({
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      paths: {
        '/things/': {
          get: { operationId: 'listThings', security, responses: { '200': { description: '-' } } },
          delete: { operationId: 'removeAll', security, responses },
        },
      },
    }),
    { status: 204 },
  );
  expect(changes).toEqual([]);
  expect(run.results.operations.find(({ id }) => id === 'removeAll')).toMatchObject({
    judged: false,
    why: 'no-random-id',
    reason: expect.stringMatching(/^A DELETE is only sent at a random id/),
  });
});

test('a value of PARAMETERS is never used for a write', async () => {
  const run = await withFiles({ 'parameters.yaml': { id: 71_235, removeThing: { id: 71_236 } } }, (path) =>
    judgeDocument(
      document,
      serve(() => unauthorized),
      { settings: { ...settings, PARAMETERS: path('parameters.yaml') }, only: ['refuses-missing-key'] },
    ),
  );
  expect(run.asked.filter(isChange)).not.toEqual([]);
  expect(run.asked.filter(isChange).filter(({ path }) => /\/7123[56]\//.test(path))).toEqual([]);
});

/**
 * Reads without a key get `refusal`, and every DELETE, with a check of the key or without one,
 * `answer`.
 */
const deletesWith = async (refusal: Answer, answer: Answer, document = itemOf({ schema: { type: 'integer' } })) => {
  const run = await judgeDocument(document, guarding(answer, refusal), {
    settings,
    only: ['refuses-missing-key'],
  });
  return run.check('refuses-missing-key@changeThing');
};

test('a DELETE that nobody guards answers 404 at a random id, and is not called guarded', async () => {
  expect((await deletesWith(unauthorized, notFound)).outcome).toBe('inconclusive');
  expect((await deletesWith(unauthorized, unauthorized)).outcome).toBe('passed');
});

for (const status of [404, 405, 409, 410, 415, 422])
  test(`${status} is a refusal only where reads behind the gate get that very answer`, async () => {
    const answer: Answer = { status, body: { detail: 'No.' } };
    expect((await deletesWith(answer, answer)).outcome).toBe('passed');
    expect((await deletesWith({ status, body: { detail: 'Other words.' } }, answer)).outcome).toBe('inconclusive');
  });

test('a read that the key does not open, or that another key opens, is no measure', async () => {
  const closed = await judgeDocument(itemOf({ schema: { type: 'integer' } }), () => notFound, {
    settings,
    only: ['refuses-missing-key'],
  });
  expect(closed.check('refuses-missing-key@changeThing').outcome).toBe('inconclusive');
  const paths = Object(itemOf({ schema: { type: 'integer' } }));
  paths.paths['/things/{id}/'].delete.security = [{ staff: [] }];
  expect((await deletesWith(notFound, notFound, paths)).outcome).toBe('inconclusive');
});

test('a redirect to where reads are sent without a key is a refusal', async () => {
  const elsewhere = (path: string): Answer => ({ status: 302, headers: { location: `/hello/?next=${path}` } });
  const run = await judgeDocument(
    document,
    (asked) => {
      const answer = serve(({ path }) => elsewhere(path))(asked);
      return answer === unauthorized ? elsewhere(asked.path) : answer;
    },
    { settings, only: ['refuses-missing-key'] },
  );
  expect(run.outcomesOf('refuses-missing-key')).toEqual(['passed', 'passed', 'passed', 'passed']);
});

test('a server that says yes to every change of anything has shown nothing', async () => {
  const run = await judgeDocument(
    document,
    (asked) => (isChange(asked) ? { status: 200, body: {} } : serve(() => unauthorized)(asked)),
    { settings },
  );
  for (const id of ids) expect(run.check(`refuses-missing-key@${id}`).outcome).toBe('inconclusive');
  expect(run.failedClauses).toEqual([]);
});

test('a refusal in the body with status 200, as reads get it, is a refusal', async () => {
  const refusal: Answer = { status: 200, body: { code: 401, data: null } };
  const run = await judgeDocument(
    document,
    (asked) => {
      const answer = serve(() => refusal)(asked);
      return answer === unauthorized ? refusal : answer;
    },
    { settings, only: ['refuses-missing-key'] },
  );
  expect(run.outcomesOf('refuses-missing-key')).toEqual(['passed', 'passed', 'passed', 'passed']);
});

for (const plain of ['none', 'said nothing of'] as const)
  test(`a document of unsafe operations alone is asked for its base path over plain HTTP, which is ${plain}`, async () => {
    const run = await judgeDocument(
      documentOf({
        components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
        paths: { '/things/': { post: { operationId: 'addThing', security, responses } } },
      }),
      serve(() => unauthorized),
      { settings: { API_KEY: key, HTTP_BASE_URL: plain === 'none' ? plain : '' } },
    );
    expect(run.check('refuses-plain-http-on-tls-port').outcome).toBe(plain === 'none' ? 'passed' : 'inconclusive');
  });
