import { shownCauses } from '../../../src/report/causes.js';
import { consoleSummary } from '../../../src/report/console.js';
import {
  type Answer,
  type Asked,
  type DocumentRun,
  judgeDocument,
  newKey,
  notFound,
  things,
  unauthorized,
} from '../support/document-server.js';
import { documentOf } from '../support/documents.js';
import { expect, inCi, someOfTable, test } from '../support/test.js';

/**
 * Operations of every form: with parameters, at the root, below a base path, read with HEAD,
 * several at one path.
 */

const key = newKey();
const responses = { default: { description: '-' } };
const security = [{ key: [] }];
const securitySchemes = { key: { type: 'http', scheme: 'bearer' } };
const settings = { API_KEY: key, PROBES: 'standard' };
const carriesKey = ({ headers }: Asked): boolean => headers.authorization === `Bearer ${key}`;
const get = (operationId: string, more: object = {}): object => ({
  get: { operationId, security, responses, ...more },
});
const path = (name: string, example: unknown): object => ({ name, in: 'path', required: true, schema: {}, example });
const query = (name: string, example: unknown): object => ({ name, in: 'query', required: true, schema: {}, example });

const told = ({ results }: DocumentRun): readonly string[] =>
  results.checks
    .filter(({ outcome }) => !['passed', 'observed', 'excluded', 'lenient'].includes(outcome))
    .map(({ id, outcome, reason }) => `${outcome} ${id}: ${reason}`);

/** Serves the routes to those who carry the key, or to everybody. */
const serve =
  (routes: Readonly<Record<string, Answer>>, needsKey: (asked: Asked) => boolean = () => true) =>
  (asked: Asked): Answer => {
    const found = routes[asked.path];
    if (!found) return notFound;
    if (needsKey(asked) && !carriesKey(asked)) return unauthorized;
    return found === mine ? { status: 200, body: thingsAt(asked.path) } : found;
  };

/** No two operations give the same things: what everybody gets at several may be a refusal. */
const thingsAt = (path: string): object => ({
  ...things,
  results: things.results.map((thing) => ({
    ...thing,
    id: thing.id + ([...path].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 90_000),
    secret: `${thing.secret} ${path}`,
  })),
});

const mine: Answer = { status: 200, body: things };

const documents: readonly (readonly [
  what: string,
  paths: object,
  routes: Readonly<Record<string, Answer>>,
  basePath?: string,
])[] = [
  [
    'path and query parameters',
    {
      '/things/{id}': get('getThing', { parameters: [path('id', 71_235), query('view', 'full')] }),
      '/things/{id}/parts/{part}/': get('getPart', { parameters: [path('id', 71_235), path('part', 'a b')] }),
    },
    { '/things/71235': mine, '/things/71235/parts/a%20b/': mine },
  ],
  ['an operation at the root', { '/': get('root') }, { '/': mine }],
  ['an operation at the root of a base path', { '/': get('root') }, { '/sub/api/': mine }, '/sub/api'],
  ['a base path', { '/things/': get('listThings') }, { '/base/things/': mine }, '/base'],
  [
    'a parameter whose example names another operation',
    { '/things/{id}': get('getThing', { parameters: [path('id', 'mine')] }), '/things/mine': get('getMine') },
    { '/things/mine': mine },
  ],
];

const askingRow = someOfTable();
const openRow = someOfTable();
for (const [what, paths, routes, basePath] of documents) {
  const document = documentOf({ components: { securitySchemes }, paths });
  const options = { settings, ...(basePath === undefined ? {} : { basePath }) };

  test(`${what}: a server that asks for the key is conformant`, askingRow(), async () => {
    const run = await judgeDocument(document, serve(routes), { ...options, settings: { API_KEY: key } });
    expect(told(run)).toEqual([]);
    expect(run.results.verdict).toBe('conformant');
  });

  test(`${what}: a server that does not breaks AUTH-3 alone`, openRow(), async () => {
    const run = await judgeDocument(
      document,
      serve(routes, () => false),
      options,
    );
    expect(run.failedClauses).toEqual(['AUTH-3']);
    for (const outcome of run.outcomesOf('refuses-missing-key')) expect(outcome).toBe('failed');
  });
}

test('a public operation at the root', async () => {
  const document = documentOf({ paths: { '/': { get: { operationId: 'root', security: [], responses } } } });
  const run = await judgeDocument(
    document,
    serve({ '/': mine }, () => false),
    {},
  );
  expect(run.check('opens-without-credentials').outcome).toBe('passed');
});

test('an example that names nothing on this deployment is no fault of the server', async () => {
  const document = documentOf({
    components: { securitySchemes },
    paths: {
      '/things/{id}': get('getThing', { parameters: [path('id', 1)] }),
      '/news/{id}': get('getNews', { parameters: [path('id', 1)], security: [] }),
    },
  });
  const run = await judgeDocument(
    document,
    (asked) => (carriesKey(asked) || asked.path.startsWith('/news/') ? notFound : unauthorized),
    { settings },
  );
  expect(run.failedClauses).toEqual([]);
  const open = run.results.checks.filter(({ outcome }) => outcome === 'inconclusive');
  expect(open.map(({ reason }) => reason)).toEqual([
    expect.stringContaining('the value filled in for {id} may name nothing on this deployment'),
    expect.stringContaining('The value filled in for {id} may name nothing there'),
  ]);
});

test('a value of the query alone does not hide that nothing may be served, nor a 400 that the value may be good', async () => {
  const text = { name: 'text', in: 'query', required: true, example: 'tea', schema: { type: 'string' } };
  const document = documentOf({
    components: { securitySchemes },
    paths: {
      '/things/': get('listThings'),
      '/cost': get('getCost', { parameters: [text] }),
      '/search': get('search', { parameters: [text] }),
    },
  });
  const run = await judgeDocument(
    document,
    (asked) => {
      if (!carriesKey(asked)) return unauthorized;
      if (asked.path === '/things/') return { status: 200, body: mine };
      // Switched off, and broken.
      return asked.path === '/search' ? { status: 400, body: { error: 'cannot unpack' } } : notFound;
    },
    { settings },
  );
  expect(run.failedClauses).toEqual([]);
  expect(run.results.causes?.filter(({ outcome }) => outcome === 'inconclusive').map(({ title }) => title)).toEqual([
    'GET /cost is answered like a path that does not exist (404)',
    'GET /search does not take the request with its values (400)',
  ]);
  const reasons = ['getCost', 'search'].map((id) => run.check(`serves-documented-path@${id}`).reason);
  expect(reasons[0]).toContain('nothing may be served there, or the value filled in for the query');
  expect(reasons[1]).toContain('or the service makes a mistake');
});

test('a path that is not there is said to be perhaps below a prefix that BASE_URL lacks', async () => {
  const document = documentOf({ components: { securitySchemes }, paths: { '/things/': get('listThings') } });
  const page: Answer = { status: 302, headers: { Location: '/admin' } };
  const run = await judgeDocument(document, (asked) => (asked.path === '/' ? page : notFound), { settings });
  expect(run.failedClauses).toEqual(['PATH-1']);
  expect(run.check('serves-documented-path').reason).toContain('BASE_URL may lack a prefix of the path');
});

const headDocument = documentOf({
  components: { securitySchemes },
  paths: { '/things/': { head: { operationId: 'headThings', security, responses } } },
});

const list = { get: { operationId: 'listThings', security, responses } };

test('HEAD: a server that asks for the key is conformant, one that does not breaks AUTH-3', inCi, async () => {
  const good = await judgeDocument(headDocument, serve({ '/things/': mine }), { settings });
  expect(told(good)).toEqual([]);
  const bad = await judgeDocument(
    documentOf({
      components: { securitySchemes },
      paths: { '/things/': { ...list, head: { operationId: 'headThings', security, responses } } },
    }),
    serve({ '/things/': mine }, () => false),
    { settings },
  );
  expect(bad.failedClauses).toEqual(['AUTH-3']);
});

test('HEAD: where nothing shows a body, the same for everybody is blocked: so is one refusal for all, with status 200', async () => {
  const run = await judgeDocument(
    headDocument,
    serve({ '/things/': mine }, () => false),
    { settings },
  );
  expect(run.failedClauses).toEqual([]);
  expect(run.results.verdict).toBe('incomplete');
  expect(run.check('refuses-missing-key').outcome).toBe('blocked');
});

test('HEAD: a login page with status 200 is no grant', async () => {
  const run = await judgeDocument(
    headDocument,
    (asked) => {
      const answer = serve({ '/things/': mine })(asked);
      return answer === unauthorized
        ? { status: 200, type: 'text/html', body: '<!doctype html><form>Log in</form>' }
        : answer;
    },
    { settings },
  );
  expect(run.failedClauses).toEqual([]);
  expect(run.check('refuses-missing-key').outcome).toBe('passed');
});

test('a public read beside a protected change at one path', async () => {
  const document = documentOf({
    components: { securitySchemes },
    paths: {
      '/things/': {
        get: { operationId: 'list', security: [], responses },
        post: { operationId: 'add', security, responses },
      },
    },
  });
  const run = await judgeDocument(
    document,
    serve({ '/things/': mine }, ({ method }) => method === 'POST'),
    {
      settings: { ...settings, UNSAFE_METHODS: 'true' },
    },
  );
  expect(told(run)).toEqual([]);
  expect(run.check('refuses-missing-key@add').outcome).toBe('passed');
});

test('an operation that the document locks and the server leaves open is told with the line to mend', async () => {
  const document = documentOf({
    components: { securitySchemes },
    security,
    paths: {
      '/things/': { get: { operationId: 'listThings', responses } },
      '/news/': { get: { operationId: 'listNews', responses } },
    },
  });
  const run = await judgeDocument(
    document,
    serve({ '/things/': mine, '/news/': mine }, (asked) => asked.path === '/things/'),
    { settings },
  );
  const { outcome, reason, expected } = run.check('refuses-missing-key@listNews');
  expect(outcome).toBe('failed');
  expect(reason).toMatch(
    /The document asks for "key" here \(.*openapi\.yaml:\d+\): either the server forgot to, or the operation is public and the document has to say so with security: \[\] \(access-conformance propose prepares an overlay for that\)\.$/,
  );
  expect(expected).toMatch(/The document asks for "key" here \(.*openapi\.yaml:\d+\)\.$/);
  expect(run.check('refuses-missing-key@listThings').outcome).toBe('passed');
});

test(
  'an operation that answers everybody alike, in words that may be a refusal, is told with the line to mend',
  inCi,
  async () => {
    const document = documentOf({
      components: { securitySchemes },
      paths: { '/news/': get('listNews'), '/tips/': get('listTips'), '/things/': get('listThings') },
    });
    const news: Answer = { status: 200, body: { news: ['one', 'two', 'three'] } };
    const tips: Answer = { status: 200, body: [] };
    const run = await judgeDocument(
      document,
      serve({ '/things/': mine, '/news/': news, '/tips/': tips }, (asked) => asked.path === '/things/'),
      { settings },
    );
    expect(run.failedClauses).toEqual([]);
    for (const check of ['takes-documented-format@listNews', 'refuses-missing-key@listNews']) {
      const { outcome, reason } = run.check(check);
      expect(outcome).toBe('inconclusive');
      expect(reason).toMatch(
        /^It answers 200 to everybody\. The document asks for "key" here \(.*openapi\.yaml:\d+\): if the operation is public, the document has to say so with security: \[\]\./,
      );
    }
    const [cause, ...others] = run.results.causes ?? [];
    expect(others).toEqual([]);
    expect(cause).toMatchObject({
      id: 'answers-everybody:200',
      title: '2 operations answer 200 to everybody: public, or open by mistake?',
      operations: ['listNews', 'listTips'],
    });
    const ofKey = run.results.matrix?.filter(
      ({ identity, operation }) => identity === 'the key' && operation === 'listNews',
    );
    expect(ofKey?.map(({ seen }) => seen)).toEqual(['unclear']);
    expect(consoleSummary(run.results, { color: false, width: 120 })).toContain(
      '\n  overlay target: $.paths["/tips/"].get  # hole in the service, or error of the document?\n',
    );
    expect(cause?.curl.join()).not.toContain('API_KEY');
    // Lines of the document alone make no other reason.
    expect(shownCauses(run.results).open.map(({ reasons }) => reasons.length)).toEqual([1]);
    expect(run.results.operations.find(({ id }) => id === 'listNews')).toMatchObject({
      judged: false,
      why: 'answers-everybody',
      mend: 'overlay target: $.paths["/news/"].get  # hole in the service, or error of the document?',
    });
  },
);

for (const [what, parts, paths] of [
  ['lack a value', {}, { '/things/{id}': get('getThing', { parameters: [{ ...path('id', 1), example: undefined }] }) }],
  ['need a client certificate', { key: { type: 'mutualTLS' } }, { '/things/1': get('getThing') }],
  ['may change something', {}, { '/things/1': { delete: { operationId: 'getThing', security, responses } } }],
] as const)
  test(`where all operations that need a key ${what}, an open server is not called conformant`, async () => {
    const news = { '/news/': { get: { operationId: 'listNews', security: [], responses } } };
    const document = documentOf({
      components: { securitySchemes: { ...securitySchemes, ...parts } },
      paths: { ...news, ...paths },
    });
    const run = await judgeDocument(
      document,
      serve({ '/news/': mine, '/things/1': mine }, () => false),
      { settings },
    );
    expect(run.results.verdict).toBe('incomplete');
    const { outcome, reason } = run.check('refuses-missing-key@getThing');
    expect(outcome).toBe('inconclusive');
    const isMadeUp = what === 'lack a value';
    expect(reason).toMatch(
      isMadeUp
        ? /^Answered with 404, and the value for id is made up/
        : /^It was not probed, nor was any other operation that needs a key\. \S/,
    );
    const clauses = run.results.clauses.filter(({ id }) => /^AUTH-[123]$/.test(id));
    expect(clauses.map(({ outcome: told }) => told)).toEqual(
      isMadeUp ? ['inconclusive', 'inconclusive', 'inconclusive'] : ['blocked', 'blocked', 'inconclusive'],
    );
  });

const unread = { requestBody: { required: true, content: { 'application/json': {} } } };
for (const [what, operation, check, clauses] of [
  ['states no access', { responses }, 'serves-documented-path', ['PATH-1 inconclusive']],
  [
    'is public and needs a body',
    { security: [], responses, ...unread },
    'opens-without-credentials',
    ['AUTH-4 inconclusive'],
  ],
  [
    'needs a key and a body',
    { security, responses, ...unread },
    'refuses-missing-key',
    ['AUTH-1 blocked', 'AUTH-2 blocked', 'AUTH-3 inconclusive'],
  ],
] as const)
  test(`a document whose every read ${what} is judged by nothing, and no server is conformant by it`, async () => {
    const document = documentOf({
      components: { securitySchemes },
      paths: {
        '/things/': { get: { operationId: 'listThings', ...operation }, options: { security: [], responses } },
        '/news/': { get: { operationId: 'listNews', ...operation } },
      },
    });
    const run = await judgeDocument(document, serve({}), { settings });
    expect(run.check('serves-https').outcome).toBe('passed');
    expect(run.results.verdict).toBe('incomplete');
    for (const id of ['listThings', 'listNews']) {
      const { outcome, reason } = run.check(`${check}@${id}`);
      expect(outcome).toBe('inconclusive');
      expect(reason).toMatch(/^It was not probed, nor was any other operation\. \S/);
    }
    expect(run.check('serves-documented-path@OPTIONS /things/').outcome).toBe('inconclusive');
    expect(run.results.clauses.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual(
      expect.arrayContaining([...clauses]),
    );
  });

test('beside a probed operation that needs a key, public ones that are not probed are listed and judged by nothing', async () => {
  const document = documentOf({
    components: { securitySchemes },
    paths: { '/things/': get('listThings'), '/news/': get('listNews', { security: [], ...unread }) },
  });
  const run = await judgeDocument(document, serve({ '/things/': mine }), { settings });
  expect(told(run)).toEqual([]);
  expect(run.results.verdict).toBe('conformant');
  expect(run.results.operations.map(({ id, probed }) => `${id} ${probed}`)).toEqual([
    'listThings true',
    'listNews false',
  ]);
});

for (const example of ['dark-mode', 2026])
  test(`a parameter for which every value is as good as ${example}`, async () => {
    const document = documentOf({
      components: { securitySchemes },
      paths: {
        '/flags/{name}': get('getFlag', { parameters: [path('name', example)] }),
        '/things/': get('listThings'),
      },
    });
    const answer = (needsKey: boolean) => (asked: Asked) =>
      serve({ '/things/': mine, [asked.path.startsWith('/flags/') ? asked.path : '']: mine }, () => needsKey)(asked);
    const good = await judgeDocument(document, answer(true), { settings });
    expect(told(good)).toEqual([]);
    expect(good.results.checks.map(({ id }) => id)).not.toContain('needs-no-other-version@getFlag');
    const bad = await judgeDocument(document, answer(false), { settings });
    expect(bad.failedClauses).toEqual(['AUTH-3']);
  });
