import { lineOf } from '../../../src/rules/support/judgement.js';
import {
  type Answer,
  type Asked,
  judgeDocument,
  newKey,
  notFound,
  things,
  unauthorized,
} from '../support/document-server.js';
import { documentOf } from '../support/documents.js';
import { expect, inCi, someOfTable, test } from '../support/test.js';

/**
 * DOC-1 and DOC-2: what a document states of responses is held against the answer to the documented
 * request.
 */

const row = someOfTable();

const key = newKey();
const settings = { API_KEY: key, PROBES: 'standard' };

const listSchema = {
  type: 'object',
  required: ['count', 'results'],
  properties: {
    count: { type: 'integer' },
    results: {
      type: 'array',
      items: { type: 'object', required: ['id', 'name'], properties: { id: { type: 'integer' } } },
    },
  },
};

/** A row per line. */
const lines = things.results.map((one) => `${JSON.stringify(one)}\n`).join('');

const json = (schema: object): object => ({ description: '-', content: { 'application/json': { schema } } });

const documentWith = (responses: object, open: object = { default: { description: '-' } }): object =>
  documentOf({
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    paths: {
      '/things/': { get: { operationId: 'listThings', security: [{ key: [] }], responses } },
      '/news/': { get: { operationId: 'listNews', security: [], responses: open } },
    },
  });

const serve =
  (
    granted: (asked: Asked) => Answer,
    news: (asked: Asked) => Answer = () => ({ status: 200, body: { news: ['one'] } }),
  ) =>
  (asked: Asked): Answer => {
    if (asked.path === '/news/') return news(asked);
    if (asked.path !== '/things/') return notFound;
    return asked.headers.authorization === `Bearer ${key}` ? granted(asked) : unauthorized;
  };

const only = ['@*'];

test('a service that answers as documented passes, and its refusals are nobody’s to judge', async () => {
  const run = await judgeDocument(
    documentWith({ '200': json(listSchema) }, { '2XX': json({ type: 'object' }) }),
    serve(() => ({ status: 200, body: things })),
    { settings, only },
  );
  expect(run.outcomesOf('documented-status')).toEqual(['passed', 'passed']);
  expect(run.outcomesOf('documented-body')).toEqual(['passed', 'passed']);
  expect(run.check('documented-status@listNews').reason).toMatch(/as 2XX \(.*openapi\.yaml:\d+\)/);
  expect(run.results.verdict).toBe('conformant');
});

test('where the document is silent nothing is asserted', async () => {
  const run = await judgeDocument(
    documentWith({ default: { description: '-' } }),
    serve(() => ({ status: 203, body: things })),
    { settings, only },
  );
  expect(run.results.checks.filter(({ rule }) => rule.startsWith('documented-'))).toEqual([]);
  expect(run.results.verdict).toBe('conformant');
});

const wrong: readonly (readonly [
  what: string,
  responses: object,
  answer: Answer,
  status: string,
  body: string,
  reason: RegExp,
])[] = [
  [
    'a status that is not listed',
    { '200': json(listSchema) },
    { status: 203, body: things },
    'failed',
    'excluded',
    /^Answered with 203, and the document lists 200 \(.*openapi\.yaml:\d+\)\.$/,
  ],
  [
    'another media type',
    { '200': json(listSchema) },
    { status: 200, type: 'text/plain', body: 'kestrel-4417 and plover-9920' },
    'passed',
    'failed',
    /^Answered as text\/plain, and the document describes application\/json \(.*openapi\.yaml:\d+\)\.$/,
  ],
  [
    'a member of another type',
    { '200': json(listSchema) },
    { status: 200, body: { ...things, results: things.results.map((one) => ({ ...one, id: `s-${one.id}` })) } },
    'passed',
    'failed',
    /^In the body, \/results\/0\/id must be integer, and is string \(.*openapi\.yaml:\d+\)\.$/,
  ],
  [
    'a missing member',
    { '2XX': json({ ...listSchema, required: ['count', 'results', 'next'] }) },
    { status: 200, body: things },
    'passed',
    'failed',
    /^The body must have required property 'next' \(.*openapi\.yaml:\d+\)\.$/,
  ],
  [
    'a body that is no JSON',
    { '200': json(listSchema) },
    { status: 200, type: 'application/json', body: '{"count": 2, "secret": "kestrel-4417",' },
    'passed',
    'failed',
    /^The body is no JSON \(/,
  ],
  [
    'several JSON texts of a type that is JSON by its suffix, without a schema',
    { '200': { description: '-', content: { 'application/stream+json': {} } } },
    { status: 200, type: 'application/stream+json', body: lines },
    'passed',
    'passed',
    /application\/stream\+json/,
  ],
  [
    'several JSON texts of a type that is JSON by its suffix',
    { '200': { description: '-', content: { 'application/stream+json': { schema: listSchema } } } },
    { status: 200, type: 'application/stream+json', body: lines },
    'passed',
    'inconclusive',
    /^The body consists of several JSON texts, /,
  ],
  [
    'several JSON texts as application/json',
    { '200': { description: '-', content: { 'application/json': {} } } },
    { status: 200, body: lines },
    'passed',
    'failed',
    /^The body is no JSON \(/,
  ],
  [
    'a body without a media type',
    { '200': json(listSchema) },
    { status: 200, type: '', body: things },
    'passed',
    'inconclusive',
    /without Content-Type/,
  ],
  [
    'JSON where something else is described, which is what the requests ask for',
    { '200': { description: '-', content: { 'text/csv': {} } } },
    { status: 200, body: things },
    'passed',
    'inconclusive',
    /which the requests ask for/,
  ],
  [
    'a value that is not of its format, which is an annotation',
    {
      '200': json({
        ...listSchema,
        properties: { count: { type: 'integer' }, results: { items: { properties: { name: { format: 'date' } } } } },
      }),
    },
    { status: 200, body: things },
    'passed',
    'passed',
    /the body fits its schema/,
  ],
  [
    'a schema that cannot be used',
    { '200': json({ type: 'nonsense' }) },
    { status: 200, body: things },
    'passed',
    'inconclusive',
    /^The body has a schema that cannot be used \(.*nonsense\), so it was not checked against .*openapi\.yaml:\d+\.$/,
  ],
  [
    'a status that default covers',
    { '201': json({}), default: json(listSchema) },
    { status: 200, body: things },
    'passed',
    'passed',
    /default|schema/,
  ],
  [
    'a media type that is none',
    { '200': { description: '-', content: { 'application/json, text/csv': { schema: listSchema } } } },
    { status: 200, type: 'text/csv', body: 'id,name\n71235,kestrel-4417\n71236,plover-9920\n' },
    'passed',
    'inconclusive',
    /"application\/json, text\/csv" is no media type\.$/,
  ],
  [
    'a success of a read whose document lists errors alone',
    { '401': json({}), '4XX': { description: '-' } },
    { status: 200, body: things },
    'observed',
    'excluded',
    /^Answered with 200; the document lists no success for this operation, only 401, 4XX \(.*openapi\.yaml:\d+\)\.$/,
  ],
  [
    'a body that fits both alternatives of a oneOf',
    { '200': json({ oneOf: [{ type: 'object' }, { required: ['count'] }] }) },
    { status: 200, body: things },
    'passed',
    'passed',
    /the body fits its schema/,
  ],
  [
    'a body of a schema that no value fits',
    { '200': json({ ...listSchema, properties: { count: { type: 'string', enum: [1, 2] } } }) },
    { status: 200, body: things },
    'passed',
    'inconclusive',
    /^The body has a schema there that no value fits \(.*\), so it was not checked against .*openapi\.yaml:\d+\.$/,
  ],
  [
    'a media range',
    { '200': { description: '-', content: { 'application/*': { schema: listSchema } } } },
    { status: 200, body: things },
    'passed',
    'passed',
    /application\/json/,
  ],
];

for (const [what, responses, answer, status, body, reason] of wrong)
  test(`judges ${what}`, row(), async () => {
    const run = await judgeDocument(
      documentWith(responses),
      serve(() => answer),
      { settings, only: ['documented-*'] },
    );
    expect(run.check('documented-status@listThings').outcome).toBe(status);
    expect(run.check('documented-body@listThings').outcome).toBe(body);
    const decisive = run.check(status !== 'passed' ? 'documented-status@listThings' : 'documented-body@listThings');
    expect(decisive.reason).toMatch(reason);
    const failed = [...(status === 'failed' ? ['DOC-1'] : []), ...(body === 'failed' ? ['DOC-2'] : [])];
    expect(run.failedClauses).toEqual(failed);
    const artefact = JSON.stringify([run.results, run.exchanges]);
    for (const secret of [key, 'kestrel-4417', 's-71235']) expect(artefact).not.toContain(secret);
  });

test('a name that is somebody’s data does not get into the reason', async () => {
  const run = await judgeDocument(
    documentWith({
      '200': json({ type: 'object', additionalProperties: { type: 'object', additionalProperties: false } }),
    }),
    serve(() => ({
      status: 200,
      body: { 'ann@example.com': { 'bob@example.com': 1 }, 'cy@example.com': { list: [1] } },
    })),
    { settings, only },
  );
  const { outcome, reason } = run.check('documented-body@listThings');
  expect(outcome).toBe('failed');
  expect(reason).toContain('/* must NOT have additional properties');
  expect(JSON.stringify(run.results)).not.toContain('example.com');
});

const versioned = (...described: readonly string[]): object => ({
  '200': {
    description: '-',
    content: Object.fromEntries(
      described.map((type) => [
        type,
        { schema: type.includes('version=2') ? { required: ['results'] } : { required: ['old'] } },
      ]),
    ),
  },
});

for (const [type, described, outcome] of [
  ['application/json; Version="2"', ['application/json;version=1', 'application/json; version=2'], 'passed'],
  ['application/json;version=1', ['application/json;version=1', 'application/json; version=2'], 'failed'],
  ['application/json', ['application/json;version=1', 'application/json; version=2'], 'inconclusive'],
  ['application/json', ['application/json', 'application/json; version=2'], 'failed'],
  ['application/json;version=2;charset=utf-8', ['application/json', 'application/json; version=2'], 'passed'],
  ['application/json;charset=utf-8', ['application/json;version=2'], 'passed'],
] as const)
  test(`an answer of ${type} is held against the one it is of: ${described.join(' or ')}`, async () => {
    const run = await judgeDocument(
      documentWith(versioned(...described)),
      serve(() => ({ status: 200, type, body: things })),
      { settings, only: ['documented-*'] },
    );
    expect(run.check('documented-body@listThings').outcome).toBe(outcome);
  });

test('what a schema notes and a body does not keep is said beside the outcome', async () => {
  const run = await judgeDocument(
    documentWith({ default: { description: '-' } }, { '200': json({ properties: { day: { format: 'date' } } }) }),
    serve(
      () => ({ status: 200, body: things }),
      () => ({ status: 200, body: { day: 'tomorrow', news: ['one'] } }),
    ),
    { settings, only: ['documented-*'] },
  );
  expect(run.check('documented-body').outcome).toBe('passed');
  expect(run.check('documented-body').note).toBe(
    'In the body, /day fits but for its format, which is a note of the schema and no demand.',
  );
});

test('null in several operations is one cause', async () => {
  const User = { type: 'object', required: ['avatar'], properties: { avatar: { type: 'string' } } };
  const $ref = '#/components/schemas/User';
  const document = documentWith(
    { '200': json({ properties: { results: { type: 'array', items: { properties: { owner: { $ref } } } } } }) },
    { '200': json({ $ref }) },
  );
  const { results } = await judgeDocument(
    { ...document, components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } }, schemas: { User } } },
    serve(
      () => ({ status: 200, body: { results: things.results.map((row) => ({ ...row, owner: { avatar: null } })) } }),
      () => ({ status: 200, body: { news: ['one'], avatar: null } }),
    ),
    { settings, only: ['documented-*'] },
  );
  expect(results.causes?.map(({ title, outcome }) => [outcome, title])).toEqual([
    ['failed', '2 operations give null where the document does not allow it'],
  ]);
});

test('every value of a body that differs is named, and rows that differ alike once', async () => {
  const member = {
    type: 'object',
    required: ['id', 'name', 'kind'],
    properties: { name: { type: 'string' }, added: { type: 'string', format: 'date' } },
  };
  const either = { oneOf: [{ type: 'integer' }, { type: 'boolean' }] };
  const schema = {
    type: 'object',
    properties: { page: { type: 'integer' }, rows: { type: 'array', items: member }, either },
  };
  const row = (id: number) => ({ id, name: null, added: 'spring' });
  const run = await judgeDocument(
    documentWith({ '200': json(schema) }),
    serve(() => ({ status: 200, body: { page: 'kestrel', either: 'none', rows: [row(71_235), row(71_236)] } })),
    { settings, only: ['DOC-2'], exchanges: true },
  );
  const { reason, cause } = run.check('documented-body@listThings');
  expect(reason).toMatch(/\)\. Nor do others fit: .*\.$/);
  for (const place of [
    '/page must be integer',
    "must have required property 'kind'",
    '/name must be string, and is null',
  ])
    expect(reason.split(place)).toHaveLength(2);
  expect(reason.split('/either ')).toHaveLength(2);
  expect(reason).toContain('and no other alternative fits');
  // A format is a note.
  expect(reason).not.toContain('added');
  // The cause is that of the first value.
  expect(cause?.values?.[0]).toMatch(/^\//);
  expect(JSON.stringify(run.results)).not.toContain('kestrel');
});

test('places in a document of one line are told apart by their columns', () => {
  const at = (line: number) => lineOf({ file: 'openapi.json', line, column: 4711 });
  expect([at(1), at(12)]).toEqual(['openapi.json:1:4711', 'openapi.json:12']);
});

/**
 * Judges a service whose public list differs from its document, and is another one when read again.
 */
const judgeReadTwice = (again: Answer) => {
  let reads = 0;
  return judgeDocument(
    documentWith({ default: { description: '-' } }, { '200': json({ required: ['news'] }) }),
    serve(
      () => ({ status: 200, body: things }),
      () => {
        reads += 1;
        return reads === 1 ? { status: 200, body: { old: ['one'] } } : again;
      },
    ),
    { settings, only: ['documented-*'] },
  );
};

test('a mismatch that a second read does not show again is inconclusive', async () => {
  const run = await judgeReadTwice({ status: 200, body: { news: ['one'] } });
  expect(run.check('documented-body').outcome).toBe('inconclusive');
  expect(run.check('documented-body').reason).toContain('A second read did not show it again.');
});

test('a mismatch whose second read cannot be checked names why', async () => {
  const run = await judgeReadTwice({ status: 200, body: { old: ['one'] }, type: '' });
  expect(run.check('documented-body').outcome).toBe('inconclusive');
  expect(run.check('documented-body').reason).toContain(
    'A second read could not be checked: The body came without Content-Type',
  );
});

test('a refusal is blocked, never failed', inCi, async () => {
  for (const status of [401, 404, 429, 503]) {
    const run = await judgeDocument(
      documentWith({ '200': json(listSchema) }, { '200': json({}) }),
      serve(
        () => ({ status }),
        () => ({ status }),
      ),
      { settings: { ...settings, RATE_LIMIT_WAIT_S: '0' }, only: ['documented-*'] },
    );
    expect(run.outcomesOf('documented-status')).toEqual(['blocked', 'blocked']);
    expect(run.outcomesOf('documented-body')).toEqual(['blocked', 'blocked']);
    expect(run.results.verdict).toBe('incomplete');
  }
});

test('a server error that comes twice where the document lists a success is a broken promise', async () => {
  const run = await judgeDocument(
    documentWith({ default: { description: '-' } }, { '200': json({}) }),
    serve(
      () => ({ status: 200, body: things }),
      () => ({ status: 500, body: { error: 'oops' } }),
    ),
    { settings, only: ['documented-*'] },
  );
  expect(run.check('documented-status').outcome).toBe('failed');
  expect(run.check('documented-body').outcome).toBe('excluded');
});

test('what was found is recorded with the exchange, so that a recorded run is judged the same', async () => {
  const run = await judgeDocument(
    documentWith({ '200': json({ ...listSchema, required: ['next'] }) }),
    serve(() => ({ status: 200, body: things })),
    { settings, only: ['documented-*'] },
  );
  const [id] = run.check('documented-body').exchanges;
  const stored = run.exchanges.find((exchange) => exchange.id === id);
  expect(stored?.attempts.at(-1)?.response?.documented).toEqual({
    listThings: {
      verdict: 'differs',
      pointer: '',
      message: "must have required property 'next'",
      schema: expect.stringMatching(/^nameless:[0-9a-f]{12}\/required\/next$/),
    },
  });
});

test('HEAD has no body to judge', async () => {
  const document = documentOf({
    paths: { '/news/': { head: { operationId: 'headNews', security: [], responses: { '200': json({}) } } } },
  });
  const run = await judgeDocument(document, ({ path }) => (path === '/news/' ? { status: 200 } : notFound), { only });
  expect(run.check('documented-status').outcome).toBe('passed');
  expect(run.outcomesOf('documented-body')).toEqual([]);
});

test('a refusal that cannot be compared with the documented one is not called the same', async () => {
  const refusal = { description: '-', 'x-access-refusal': true, content: { 'application/problem+json': {} } };
  const run = await judgeDocument(
    documentWith({ '200': json(listSchema), '401': refusal }),
    serve(() => ({ status: 200, body: things })),
    { settings, only: ['documented-refusal'] },
  );
  const { outcome, reason } = run.check('documented-refusal@listThings');
  expect([outcome, reason]).toEqual(['inconclusive', expect.stringContaining('which the requests ask for')]);
});
