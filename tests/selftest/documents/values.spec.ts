import { loadContract } from '../../../src/contract/load.js';
import { judgeAgain } from '../../../src/engine/judge-again.js';
import type { Exchange } from '../../../src/wire/types.js';
import {
  type Answer,
  type Asked,
  type DocumentRun,
  type Handler,
  judgeDocument,
  newKey,
  notFound,
  unauthorized,
} from '../support/document-server.js';
import { documentOf, withFiles } from '../support/documents.js';
import { expect, inCi, someOfTable, test } from '../support/test.js';

/**
 * Parameters without a value: what is read from answers, in which order, and what is kept of it.
 */

const key = newKey();
const settings = { API_KEY: key, PROBES: 'standard' };
/** One rule is enough where every rule gets the same values. */
const one = { settings, only: ['refuses-missing-key'] };
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
const read = (operationId: string, more: object = {}): object => ({
  get: { operationId, security: [{ key: [] }], responses: { '200': { description: '-' } }, ...more },
});
const documentWith = (paths: object): object =>
  documentOf({ components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } }, paths });

/** Opens `bodies` with the key; a path in `open` to everybody. */
const serve =
  (bodies: Readonly<Record<string, unknown>>, open: readonly string[] = []): Handler =>
  ({ path, query, headers }: Asked): Answer => {
    const at = query.has('project') ? `${path}?project=${query.get('project')}` : path;
    const body = bodies[at];
    if (headers.authorization !== `Bearer ${key}` && !open.includes(path))
      return body === undefined && !/^\/(?:things|dags|repos|items|tasks|projects|reports|users)/.test(path)
        ? notFound
        : unauthorized;
    return body === undefined ? notFound : { status: 200, body };
  };

const thing = (number: number) => ({
  id: number,
  name: `thing ${number}`,
  added: `2024-03-1${number % 10}T07:45:10Z`,
  note: `kept at shelf ${number * 37}`,
});

/** `GET /things/<ID_1>` of what was filled in, by operation id. */
const filledIn = ({ results }: DocumentRun): Readonly<Record<string, unknown>> =>
  results.recording.values?.filled ?? {};
const places = ({ results }: DocumentRun): readonly (readonly [string, string])[] =>
  (results.recording.values?.read ?? []).map(({ operation, pointer }) => [operation, pointer]);

const parts = { '/things': read('listThings'), '/things/{id}': { parameters: [id], ...read('getThing') } };

test('an id comes from the list in front of it, and siblings share it', inCi, async () => {
  const run = await judgeDocument(
    documentWith({
      ...parts,
      '/things/{thing_id}/parts': { parameters: [{ ...id, name: 'thing_id' }], ...read('listParts') },
    }),
    serve({ '/things': [thing(71), thing(72)], '/things/71': thing(71), '/things/71/parts': [thing(5), thing(6)] }),
    one,
  );
  expect(filledIn(run)).toEqual({ getThing: { id: '<ID_1>' }, listParts: { thing_id: '<ID_1>' } });
  expect(places(run)).toEqual([['listThings', '/0/id']]);
  expect(run.check('refuses-missing-key@getThing').outcome).toBe('passed');
  expect(run.check('refuses-missing-key@listParts').outcome).toBe('passed');
});

const cells = ({ id, name, added, note }: ReturnType<typeof thing>): readonly string[] => [`${id}`, name, added, note];
const table = [thing(71), thing(72)].map(cells);
const inXml = table.map(
  ([number, name, added, note]) =>
    `<thing><id>${number}</id><name>${name}</name><added>${added}</added><note>${note}</note></thing>`,
);
const formats: readonly (readonly [type: string, body: string, pointer: string])[] = [
  ['application/xml', `<?xml version="1.0"?><things>${inXml.join('')}</things>`, '/things/thing/0/id'],
  ['text/csv', ['id,name,added,note', ...table.map((row) => row.join(','))].join('\n'), '/0/id'],
  ['application/x-ndjson', [thing(71), thing(72)].map((row) => `${JSON.stringify(row)}\n`).join(''), '/0/id'],
  ['text/html', JSON.stringify([thing(71), thing(72)]), '/0/id'],
];

for (const [type, body, pointer] of formats)
  test(`an id comes from a list in any format that has rows: ${type}`, async () => {
    const service = serve({ '/things': [], '/things/71': thing(71) });
    const run = await judgeDocument(
      documentWith(parts),
      (asked) => {
        const answer = service(asked);
        return asked.path === '/things' && answer.status === 200 ? { status: 200, type, body } : answer;
      },
      one,
    );
    expect(places(run)).toEqual([['listThings', pointer]]);
    expect(run.check('refuses-missing-key@getThing').outcome).toBe('passed');
  });

test('a list that breaks off gives no id', async () => {
  const service = serve({ '/things': [], '/things/71': thing(71) });
  const run = await judgeDocument(
    documentWith(parts),
    (asked) => {
      const answer = service(asked);
      return asked.path === '/things' && answer.status === 200
        ? { status: 200, body: JSON.stringify([thing(71), thing(72)]).slice(0, -20) }
        : answer;
    },
    one,
  );
  expect(places(run)).toEqual([]);
});

test('a value with which a missing path is answered, as by a page of an app, opens nothing', inCi, async () => {
  let isGuarded = false;
  const app: Answer = { status: 200, type: 'text/html', body: '<html><body><div id="app"></div></body></html>' };
  const byName = { ...id, name: 'thing_id', schema: { type: 'string' } };
  const named = [71, 72].map((number) => ({ ...thing(number), name: `thing-${number}` }));
  const judged = () =>
    judgeDocument(
      documentWith({ ...parts, '/things/{thing_id}/parts': { parameters: [byName], ...read('listParts') } }),
      (asked) => {
        // Ids are numbers: anything else is a page of the app. The parts of a thing are somewhere else.
        if (asked.path === '/things/71/parts' || asked.path === '/things/72/parts')
          return isGuarded && asked.headers.authorization !== `Bearer ${key}`
            ? unauthorized
            : { status: 422, body: {} };
        return /^\/things(?:\/\d+)?$/.test(asked.path)
          ? serve({ '/things': named, '/things/71': named[0] })(asked)
          : app;
      },
      one,
    );
  const open = await judged();
  expect(filledIn(open)).toEqual({ getThing: { id: '<ID_1>' } });
  const since =
    'no value is known with which it opens, since those that were read from the service were answered with 422 and 200';
  expect(open.check('refuses-missing-key@listParts')).toMatchObject({
    outcome: 'inconclusive',
    cause: { id: 'no-value' },
  });
  expect(open.check('refuses-missing-key@listParts').reason).toContain(`Answered with 422, and ${since}`);
  // A made-up value would get a page of the app, and the guard would not be seen.
  isGuarded = true;
  const guarded = await judged();
  expect(guarded.check('refuses-missing-key@listParts')).toMatchObject({
    outcome: 'passed',
    cause: { id: 'refusal-alone' },
  });
  expect(guarded.check('refuses-missing-key@listParts').reason).toBe(`Refused: 401; ${since}.`);
  expect(JSON.stringify(guarded.exchanges)).not.toContain('/things/71/parts');
});

test('an example that names nothing here gives way to an id from a list, and one that opens stays', inCi, async () => {
  const at = (more: object) => ({ parameters: [{ ...id, ...more }], ...read('getThing') });
  const judged = (parameter: object, options = {}) =>
    judgeDocument(
      documentWith({ ...parts, '/things/{id}': at(parameter) }),
      serve({ '/things': [thing(71), thing(72)], '/things/71': thing(71), '/things/72': thing(72) }),
      { settings, ...options },
    );
  for (const offered of [{ example: 10 }, { schema: { type: 'integer', default: 10 } }]) {
    const stale = await judged(offered);
    expect(filledIn(stale)).toEqual({ getThing: { id: '<ID_1>' } });
    expect(stale.check('refuses-missing-key@getThing').outcome).toBe('passed');
    expect(stale.results.verdict).toBe('conformant');
  }
  const chosen = await judged({ example: 10 }, { only: ['@getThing'] });
  expect(chosen.check('refuses-missing-key@getThing').outcome).toBe('passed');
  const good = await judged({ example: 72 });
  expect(good.results.recording.values).toBeUndefined();
  expect(good.results.verdict).toBe('conformant');
  // What the document fixes is no example.
  const fixed = await judged({ schema: { type: 'integer', enum: [10] } });
  expect(fixed.results.recording.values).toBeUndefined();
  expect(fixed.results.verdict).toBe('incomplete');
});

test('a value is made up below what is there: a service may look for the parent before the key', inCi, async () => {
  const within = (name: string) => [
    { ...id, name: 'project' },
    { ...id, name },
  ];
  const run = await judgeDocument(
    documentWith({
      '/projects': read('listProjects'),
      '/projects/{project}/notes': { parameters: within('project').slice(0, 1), ...read('listNotes') },
      '/projects/{project}/notes/{note}': { parameters: within('note'), ...read('getNote') },
      '/teams/{project}/notes/{note}': { parameters: within('note'), ...read('getTeamNote') },
      '/projects/{project}/search': {
        parameters: [...within('project').slice(0, 1), { ...id, name: 'text', in: 'query' }],
        ...read('search'),
      },
    }),
    ({ path, headers }) => {
      const [, first, project] = path.split('/');
      if (first !== 'projects' || (project !== undefined && project !== '71')) return notFound;
      if (headers.authorization !== `Bearer ${key}`) return unauthorized;
      if (path === '/projects') return { status: 200, body: [thing(71), thing(72)] };
      return path === '/projects/71/notes' ? { status: 200, body: { project: thing(71), notes: [] } } : notFound;
    },
    one,
  );
  expect(run.results.recording.values?.invented.getNote).toMatchObject({ project: '<ID_1>' });
  expect(run.check('refuses-missing-key@getNote')).toMatchObject({ outcome: 'passed', cause: { id: 'refusal-alone' } });
  expect(run.check('refuses-missing-key@getNote').reason).toContain('the value for note is made up');
  expect(run.check('refuses-missing-key@search')).toMatchObject({ outcome: 'passed', cause: { id: 'refusal-alone' } });
  expect(run.check('refuses-missing-key@search').reason).toContain('the value for text is made up');
  expect(run.check('refuses-missing-key@getTeamNote').outcome).toBe('inconclusive');
  expect(JSON.stringify(run.exchanges)).not.toContain('/projects/71');
});

test('a value is made up in the form of the ids of the service, since a route may take no other', inCi, async () => {
  const uuids = ['0b6ad1de-6b0c-4f4e-9d53-0f4a7f3f2c11', '7c1f0b52-51d0-4b0e-8f6a-2f9be1f0a9d4'];
  const text = { ...id, schema: { type: 'string' } };
  for (const [ids, form, madeUp] of [
    [['71', '72'], '\\d+', /^\d+$/],
    [uuids, '[\\da-f-]{36}', /^[\da-f-]{36}$/],
    [['71', 'red'], '\\w+', /^x/],
  ] as const) {
    const [first] = ids;
    const run = await judgeDocument(
      documentWith({
        '/things': read('listThings'),
        '/things/{id}': { parameters: [text], ...read('getThing') },
        '/notes': read('listNotes'),
        '/notes/{id}': { parameters: [text], ...read('getNote') },
        '/things/{id}/notes/{note}': { parameters: [text, { ...text, name: 'note' }], ...read('getNoteOfThing') },
        '/tags': read('listTags'),
        '/tags/{id}': { parameters: [text], ...read('getTag') },
      }),
      ({ path, headers }) => {
        const isRoute = new RegExp(`^/(?:things|notes|tags)(?:/${form})?$`).test(path);
        if (!isRoute) return notFound;
        if (headers.authorization !== `Bearer ${key}`) return unauthorized;
        if (path === '/notes') return { status: 200, body: [] };
        if (path === '/things' || path === '/tags')
          return { status: 200, body: ids.map((each) => ({ ...thing(7), id: path === '/tags' ? ids[1] : each })) };
        return path === `/things/${first}` || path === `/tags/${ids[1]}` ? { status: 200, body: thing(7) } : notFound;
      },
      { settings, only: ['AUTH-3'] },
    );
    const { invented } = run.results.recording.values ?? {};
    expect(invented?.getNote?.id).toMatch(madeUp);
    // The id in front of it in the path is the better example.
    expect(invented?.getNoteOfThing?.note).toMatch(ids === uuids ? madeUp : /^\d+$/);
    expect(run.check('refuses-missing-key@getNote')).toMatchObject({
      outcome: 'passed',
      cause: { id: 'refusal-alone' },
    });
  }
});

test('a parameter beside text in its segment gets its value as others do, and shares it', inCi, async () => {
  const run = await judgeDocument(
    documentWith({
      '/things.json': read('listThings'),
      '/things/{id}.json': { parameters: [id], ...read('getThing') },
      '/things/{id}/parts.json': { parameters: [id], ...read('listParts') },
    }),
    serve({
      '/things.json': [thing(71), thing(72)],
      '/things/71.json': thing(71),
      '/things/71/parts.json': [thing(5), thing(6)],
    }),
    one,
  );
  expect(filledIn(run)).toEqual({ getThing: { id: '<ID_1>' }, listParts: { id: '<ID_1>' } });
  expect(places(run)).toEqual([['listThings', '/0/id']]);
  expect(run.check('refuses-missing-key@getThing').outcome).toBe('passed');
  expect(JSON.stringify(run.exchanges)).not.toContain('/things/71');
});

test('several parameters in one segment are read from an address', inCi, async () => {
  const [from, to] = ['from', 'to'].map((name) => ({ ...id, name }));
  const run = await judgeDocument(
    documentWith({
      '/things': read('listThings'),
      '/things/{from}-{to}': { parameters: [from, to], ...read('getRange') },
    }),
    serve({ '/things': [{ note: 'both', self: '/things/71-72' }], '/things/71-72': [thing(71), thing(72)] }),
    one,
  );
  expect(filledIn(run)).toEqual({ getRange: { from: '<ID_1>', to: '<ID_2>' } });
  expect(run.check('refuses-missing-key@getRange').outcome).toBe('passed');
});

test('a name of a resource is read as the path that it is, from its collection on', inCi, async () => {
  const named = (name: string) => ({ name, kind: 'text/plain', note: `kept since 2024-03-1${name.length % 10}` });
  const text = { name: 'thing', in: 'path', required: true, schema: { type: 'string' } };
  const run = await judgeDocument(
    documentWith({
      '/v1/things': read('listThings'),
      '/v1/things/{thing}': { parameters: [text], ...read('getThing') },
      '/v1/things/{thing}/parts/{part}': { parameters: [text, { ...text, name: 'part' }], ...read('getPart') },
    }),
    serve({
      '/v1/things': { things: [named('things/a7x'), { ...named('things/b9'), part: 'things/b9/parts/q4' }] },
      '/v1/things/a7x': named('things/a7x'),
      '/v1/things/b9/parts/q4': named('things/b9/parts/q4'),
    }),
    one,
  );
  expect(places(run)).toEqual(
    expect.arrayContaining([
      ['listThings', '/things/0/name@0'],
      ['listThings', '/things/1/part@1'],
    ]),
  );
  expect(Object.keys(filledIn(run))).toEqual(['getThing', 'getPart']);
});

test('a table of routes names no resources: what it lists may be public routes beside the documented ones', async () => {
  const name = { name: 'name', in: 'path', required: true, schema: { type: 'string' } };
  const run = await judgeDocument(
    documentWith({ '/routes': read('listRoutes'), '/things/{name}': { parameters: [name], ...read('getThing') } }),
    serve(
      {
        '/routes': [
          { path: '/things/login', method: 'GET' },
          { path: '/things/{name}', method: 'GET' },
        ],
        '/things/login': { title: 'Log in here', fields: ['user name', 'password'] },
      },
      ['/things/login'],
    ),
    one,
  );
  expect(places(run)).toEqual([]);
  expect(run.check('refuses-missing-key@getThing').outcome).not.toBe('failed');
});

test('a text is tried beside a number where the parameter is a text', inCi, async () => {
  const org = { name: 'org', in: 'path', required: true, schema: { type: 'string' } };
  const run = await judgeDocument(
    documentWith({ '/items': read('listItems'), '/items/{org}': { parameters: [org], ...read('getItem') } }),
    serve({ '/items': [thing(71), thing(72)], '/items/thing%2071': thing(71) }),
    one,
  );
  expect(places(run)).toEqual([['listItems', '/0/name']]);
});

test('the only id is tried beside a name', inCi, async () => {
  const thingId = { name: 'thingId', in: 'path', required: true, schema: { type: 'string' } };
  const row = (number: number): object => ({ objectId: `k3${number}fQ`, name: `thing ${number}`, shelf: number * 37 });
  const run = await judgeDocument(
    documentWith({
      '/things': read('listThings'),
      '/things/{thingId}': { parameters: [thingId], ...read('getThing') },
    }),
    serve({ '/things': [row(71), row(72)], '/things/k371fQ': row(71) }),
    one,
  );
  expect(places(run)).toEqual([['listThings', '/0/objectId']]);
});

test('a member that the parameter means goes before an id of its row', async () => {
  const userName = { name: 'user_name', in: 'path', required: true, schema: { type: 'string' } };
  const row = (name: string) => ({ email: `${name}@example.org`, name, role: 2, user_id: `9d7e1c4a-${name}` });
  const run = await judgeDocument(
    documentWith({
      '/users': read('listUsers'),
      '/users/{user_name}': { parameters: [userName], ...read('getUser') },
    }),
    serve({ '/users': ['anna', 'edit', 'gero', 'mara'].map(row), '/users/anna': row('anna') }),
    one,
  );
  expect(places(run)).toEqual([['listUsers', '/0/name']]);
});

test('an operation that opens at such an id without a key is broken', async () => {
  // One row alone is known for data by its schema.
  const schema = { type: 'object', required: ['id', 'name', 'added', 'note'] };
  const responses = { '200': { description: '-', content: { 'application/json': { schema } } } };
  const run = await judgeDocument(
    documentWith({ ...parts, '/things/{id}': { parameters: [id], ...read('getThing', { responses }) } }),
    serve({ '/things': [thing(71), thing(72)], '/things/71': thing(71) }, ['/things/71']),
    one,
  );
  expect(run.check('refuses-missing-key@getThing').outcome).toBe('failed');
  expect(run.results.verdict).toBe('non-conformant');
});

const someShapes = someOfTable();
for (const [shape, list, pointer] of [
  ['an envelope', { count: 2, results: [thing(71), thing(72)] }, '/results/0/id'],
  ['a deeper envelope', { data: { items: [thing(71)] }, meta: { page: 1 } }, '/data/items/0/id'],
  ['numbers alone', [71, 72], '/0'],
  ['rows under their ids', { 71: { name: 'a', note: 'b' }, 72: { name: 'c', note: 'd' } }, '/*#'],
  [
    'rows with a name of their own for it',
    [
      { thing_id: 71, note: 'x' },
      { thing_id: 72, note: 'y' },
    ],
    '/0/thing_id',
  ],
  ['rows with addresses', { rows: [{ note: 'no number', self: '/things/71' }] }, '/rows/0/self@0'],
  [
    'addresses of its own host alone, with the scheme and port behind its proxy',
    {
      rows: [
        { note: 'elsewhere', self: 'http://other.example/things/72' },
        { note: 'here', self: 'http://127.0.0.1:8000/things/71' },
      ],
    },
    '/rows/1/self@0',
  ],
] as const)
  test(`an id is found in ${shape}`, someShapes(), async () => {
    const run = await judgeDocument(documentWith(parts), serve({ '/things': list, '/things/71': thing(71) }), one);
    expect(places(run)).toEqual([['listThings', pointer]]);
    expect(run.check('refuses-missing-key@getThing').outcome).toBe('passed');
  });

test('nested paths are filled step by step, with the row that has something below it', inCi, async () => {
  const dag = { name: 'dag_id', in: 'path', required: true, schema: { type: 'string' } };
  const dagRun = { name: 'run_id', in: 'path', required: true, schema: { type: 'string' } };
  const run = await judgeDocument(
    documentWith({
      '/dags': read('listDags'),
      '/dags/{dag_id}/runs': { parameters: [dag], ...read('listRuns') },
      '/dags/{dag_id}/runs/{run_id}/log': { parameters: [dag, dagRun], ...read('getLog') },
    }),
    serve({
      '/dags': [{ dag_id: 'never-ran' }, { dag_id: 'nightly' }],
      '/dags/never-ran/runs': { runs: [] },
      '/dags/nightly/runs': {
        runs: [
          { run_id: 'run-2041', state: 'done' },
          { run_id: 'run-2042', state: 'done' },
        ],
      },
      '/dags/nightly/runs/run-2041/log': { lines: [thing(3), thing(4)] },
    }),
    one,
  );
  expect(filledIn(run)).toEqual({
    listRuns: { dag_id: '<ID_1_2>' },
    getLog: { dag_id: '<ID_1_2>', run_id: '<ID_2>' },
  });
  expect(run.check('refuses-missing-key@getLog').outcome).toBe('passed');
});

test(
  'two parameters come from one address, and a query parameter from the list that it is named after',
  inCi,
  async () => {
    const text = { in: 'path', required: true, schema: { type: 'string' } };
    const run = await judgeDocument(
      documentWith({
        '/items': read('listItems'),
        '/repos/{owner}/{repo}': {
          parameters: [
            { ...text, name: 'owner' },
            { ...text, name: 'repo' },
          ],
          ...read('getRepo'),
        },
        '/projects': read('listProjects'),
        '/tasks': {
          parameters: [{ name: 'project', in: 'query', required: true, schema: { type: 'integer' } }],
          ...read('listTasks'),
        },
      }),
      serve({
        '/items': [{ title: 'an item', href: '/repos/ada/engine' }],
        '/repos/ada/engine': thing(8),
        '/projects': [thing(41), thing(42)],
        '/tasks?project=41': [thing(1), thing(2)],
      }),
      { settings },
    );
    expect(filledIn(run)).toEqual({ getRepo: { owner: '<ID_1>', repo: '<ID_2>' }, listTasks: { project: '<ID_3>' } });
    expect(run.check('refuses-missing-key@getRepo').outcome).toBe('passed');
    expect(run.check('refuses-missing-key@listTasks').outcome).toBe('passed');
  },
);

test('a link of the document goes before lists', inCi, async () => {
  const links = { first: { operationId: 'getThing', parameters: { id: '$response.body#/newest' } } };
  const run = await judgeDocument(
    documentWith({ ...parts, '/reports': read('getReport', { responses: { '200': { description: '-', links } } }) }),
    serve({
      '/things': [thing(71)],
      '/reports': { newest: 79, note: 'of things' },
      '/things/79': thing(79),
      '/things/71': thing(71),
    }),
    one,
  );
  expect(places(run)).toEqual([['getReport', '/newest']]);
});

test('where no answer holds a value, one is made up: a refusal is one, and 404 or 503 says nothing', inCi, async () => {
  const at = (operation: string) => ({ parameters: [id], ...read(operation) });
  const document = documentWith({ ...parts, '/items/{id}': at('getItem'), '/blocks/{id}': at('getBlock') });
  const run = await judgeDocument(
    document,
    (asked) => {
      if (asked.path.startsWith('/blocks/')) return { status: 503, body: { detail: 'It is switched off.' } };
      return asked.path.startsWith('/items/') ? notFound : serve({ '/things': [] })(asked);
    },
    one,
  );
  expect(filledIn(run)).toEqual({});
  expect(Object.keys(run.results.recording.values?.invented ?? {}).sort()).toEqual(['getBlock', 'getItem', 'getThing']);
  expect(run.check('refuses-missing-key@getBlock')).toMatchObject({
    outcome: 'inconclusive',
    cause: { id: 'server-error' },
  });
  expect(run.check('refuses-missing-key@getThing')).toMatchObject({ outcome: 'passed' });
  expect(run.check('refuses-missing-key@getThing').reason).toContain('the value for id is made up');
  expect(run.check('refuses-missing-key@getItem').outcome).toBe('inconclusive');
  expect(run.results.causes.map(({ title }) => title)).toContain(
    'GET /items/{id} has no value for a parameter (404 without a key)',
  );
  const judged = run.results.checks.filter(({ outcome }) => outcome !== 'excluded');
  expect(judged.filter(({ operation }) => operation === 'getItem')).toHaveLength(1);
});

test('a list and an object are made up too, and where no operation has a value, each says what it lacks', async () => {
  const query = (name: string, type: string) => ({ ...id, name, in: 'query', schema: { type } });
  const document = documentWith({
    '/exports': { parameters: [query('ids', 'array'), query('filter', 'object')], ...read('getExport') },
  });
  const run = await judgeDocument(document, ({ path }) => (path.startsWith('/exports') ? unauthorized : notFound), {
    settings,
    only: ['refuses-missing-key', 'takes-documented-format'],
  });
  const { invented } = run.results.recording.values ?? {};
  expect(Object.keys(invented?.getExport ?? {})).toEqual(['ids', 'filter']);
  expect(run.check('refuses-missing-key@getExport')).toMatchObject({
    outcome: 'passed',
    cause: { id: 'refusal-alone' },
  });
  expect(run.check('takes-documented-format@getExport').reason).toBe(
    'No key was sent to it, nor to any other operation: the values for ids, filter are made up. In PARAMETERS, give one that exists.',
  );
  expect(run.results.causes.map(({ title }) => title)).toEqual(['GET /exports has no value for a parameter']);
  expect(run.results.verdict).toBe('incomplete');
});

test('where every public operation gets its value from an answer, each is judged as public', inCi, async () => {
  const document = documentWith({
    '/things': read('listThings'),
    '/things/{id}/card': { parameters: [id], ...read('getCard', { security: [] }) },
  });
  const bodies = { '/things': [thing(71)], '/things/71/card': thing(8) };
  const run = await judgeDocument(document, serve(bodies, ['/things/71/card']), { settings });
  expect(run.check('opens-without-credentials@getCard').outcome).toBe('passed');
  expect(run.results.verdict).toBe('conformant');
  expect(run.results.coverage).toMatchObject({ operations: 2, judged: 2 });
  const closed = await judgeDocument(document, serve(bodies), { settings });
  expect(closed.results.coverage).toMatchObject({ judged: 1, missed: 1, byReason: { 'no-value': 1 } });
});

test('a public item that needs the key is broken, if its id is in a list for everybody', inCi, async () => {
  const document = documentWith({
    '/things': read('listThings', { security: [] }),
    '/things/{id}': { parameters: [id], ...read('getThing', { security: [] }) },
    '/parts': read('listParts'),
  });
  const bodies = { '/things': [thing(71), thing(72)], '/things/71': thing(71), '/parts': [thing(5), thing(6)] };
  const run = await judgeDocument(document, serve(bodies, ['/things']), { settings });
  expect(run.check('opens-without-credentials@getThing').outcome).toBe('failed');
  expect(run.results.verdict).toBe('non-conformant');
  // The key opens none of the ids: the list may be of something else.
  const { '/things/71': _, ...others } = bodies;
  const other = await judgeDocument(document, serve(others, ['/things']), { settings });
  expect(other.results.coverage).toMatchObject({ judged: 2, missed: 1, byReason: { 'no-value': 1 } });
  // One of the ids opens to everybody: another one may be of a member.
  const some = await judgeDocument(document, serve({ ...bodies, '/things/72': thing(72) }, ['/things', '/things/72']), {
    settings,
  });
  expect(some.check('opens-without-credentials@getThing').outcome).toBe('passed');
});

test('a parameter is what its name adds to that of its list', async () => {
  const pulls = [7, 8].map((number) => ({ ...thing(number + 4000), number, gid: `G-${number}` }));
  const run = await judgeDocument(
    documentWith({
      '/repos': read('listPulls'),
      '/repos/{repo_number}': { parameters: [{ ...id, name: 'repo_number' }], ...read('getPull') },
      '/repos/{repoGid}/files': {
        parameters: [{ ...id, name: 'repoGid', schema: { type: 'string' } }],
        ...read('listFiles'),
      },
    }),
    serve({ '/repos': pulls, '/repos/7': pulls[0], '/repos/G-7/files': [thing(5), thing(6)] }),
    one,
  );
  expect(places(run)).toEqual([
    ['listPulls', '/0/number'],
    ['listPulls', '/0/gid'],
  ]);
  expect(run.results.verdict).toBe('conformant');
});

test("a value of the parameter's own name is found in any list of an answer, and beside lists", inCi, async () => {
  const text = (name: string) => ({ ...id, name, schema: { type: 'string' } });
  const run = await judgeDocument(
    documentWith({
      '/things': read('listThings'),
      '/things/{id}': { parameters: [id], ...read('getThing') },
      '/things/{id}/parts/{partId}': { parameters: [id, text('partId')], ...read('getPart') },
      '/rooms/{roomId}': { parameters: [text('roomId')], ...read('getRoom') },
    }),
    serve({
      '/things': [thing(71)],
      '/things/71': { roomId: 'room-4417', to: [{ name: 'Ann Miller' }], files: [{ partId: 'part-9' }] },
      '/things/71/parts/part-9': thing(9),
      '/rooms/room-4417': thing(8),
    }),
    one,
  );
  expect(filledIn(run)).toMatchObject({ getPart: { id: '<ID_1>', partId: '<ID_2>' }, getRoom: { roomId: '<ID_3>' } });
});

test('where the values of the service are not served, the reason says that they were tried', async () => {
  const run = await judgeDocument(documentWith(parts), serve({ '/things': [thing(71)] }), one);
  expect(run.check('refuses-missing-key@getThing').reason).toContain(
    'the value for id is made up, since those that were read from the service were answered with 404',
  );
});

test('a value that the key opens nothing with is not kept', async () => {
  const run = await judgeDocument(
    documentWith(parts),
    serve({ '/things': [thing(71), thing(72)], '/things/72': thing(72) }),
    one,
  );
  expect(filledIn(run)).toEqual({ getThing: { id: '<ID_1_2>' } });
});

test('values that were read stay out of everything that is kept, and go out as one segment', inCi, async () => {
  const odd = { id: 'kestrel/9 4417', note: 'private' };
  const text = { ...id, schema: { type: 'string' } };
  const run = await judgeDocument(
    documentWith({ '/things': read('listThings'), '/things/{id}': { parameters: [text], ...read('getThing') } }),
    (asked) =>
      asked.path.startsWith('/things/kestrel') && asked.headers.authorization === undefined
        ? {
            status: 401,
            body: { detail: `No key for ${decodeURIComponent(asked.path)}.` },
            headers: { location: asked.path },
          }
        : serve({ '/things': [odd], '/things/kestrel%2F9%204417': { ...odd, more: 'of it, and only here' } })(asked),
    { settings: { API_KEY: key } },
  );
  expect(run.requests).toContain('GET /things/kestrel%2F9%204417');
  expect(filledIn(run)).toEqual({ getThing: { id: '<ID_1>' } });
  const kept = JSON.stringify([run.results, run.exchanges]);
  expect(kept).toContain('/things/<ID_1>');
  expect(kept).not.toMatch(/kestrel/);
});

const someValues = someOfTable();
for (const value of ['..', '.', '', 'x'.repeat(300), 'a\nb'])
  test(`${JSON.stringify(value.slice(0, 8))} is no id`, someValues(), async () => {
    const text = { ...id, schema: { type: 'string' } };
    const run = await judgeDocument(
      documentWith({ '/things': read('listThings'), '/things/{id}': { parameters: [text], ...read('getThing') } }),
      serve({ '/things': [{ id: value, note: 'x' }] }),
      one,
    );
    expect(filledIn(run)).toEqual({});
  });

test('an id that stands in the address of the host too does not hide where a redirect leads', async () => {
  const guarded = serve({ '/things': [thing(1), thing(2)], '/things/1': thing(1) });
  const run = await judgeDocument(
    documentWith(parts),
    (asked) => {
      const answer = guarded(asked);
      if (asked.path === '/open/1') return { status: 200, body: thing(1) };
      return answer === unauthorized && asked.path === '/things/1'
        ? { status: 302, headers: { location: `https://${asked.headers.host}/open/1` } }
        : answer;
    },
    one,
  );
  expect(filledIn(run)).toEqual({ getThing: { id: '<ID_1>' } });
  expect(run.check('refuses-missing-key@getThing').outcome).toBe('failed');
});

test('a recorded run judged again finds the same, from the same bodies', inCi, async () => {
  const document = documentWith(parts);
  const run = await judgeDocument(document, serve({ '/things': [thing(71), thing(72)], '/things/71': thing(71) }), one);
  await withFiles({ 'openapi.yaml': document }, async (path) => {
    const { changes, record } = await judgeAgain(
      {
        results: run.results,
        async *exchanges(): AsyncGenerator<Exchange> {
          yield* run.exchanges;
        },
        dispose: async () => {},
      },
      await loadContract(path('openapi.yaml'), { keys: ['API_KEY'] }),
    );
    expect(changes).toEqual([]);
    const probed = ({ results }: Pick<DocumentRun, 'results'>) =>
      results.operations.map(({ id: each, probed: is }) => [each, is]);
    expect(probed(record)).toEqual(probed(run));
  });
});

test('chosen checks of an operation lead to its list alone, and say why there is no value', async () => {
  const document = documentWith({ ...parts, '/items': read('listItems') });
  const bodies = { '/things': [thing(71)], '/things/71': thing(71), '/items': [thing(1)] };
  const found = await judgeDocument(document, serve(bodies), { settings, only: ['refuses-missing-key@getThing'] });
  expect(found.check('refuses-missing-key@getThing').outcome).toBe('passed');
  expect(found.asked.some(({ path, headers }) => path === '/items' && headers.authorization === `Bearer ${key}`)).toBe(
    false,
  );
  const without = await judgeDocument(document, serve({ ...bodies, '/things': [] }), {
    settings,
    only: ['takes-key-where-documented@getThing'],
  });
  expect(without.check('takes-key-where-documented@getThing').outcome).toBe('inconclusive');
});

test('an item that opens to everybody, by an id of a public list, may be public itself', async () => {
  const bodies = {
    '/things': [thing(71), thing(72)],
    '/things/71': { ...thing(71), serial: 'A-88213-q', keeper: 'mara@example.org' },
    '/parts': [thing(5), thing(6)],
  };
  const run = await judgeDocument(
    documentWith({ ...parts, '/things': read('listThings', { security: [] }), '/parts': read('listParts') }),
    (asked) =>
      asked.headers.authorization === undefined ? serve(bodies, Object.keys(bodies))(asked) : serve(bodies)(asked),
    one,
  );
  const [item, list] = ['getThing', 'listParts'].map((name) => run.check(`refuses-missing-key@${name}`));
  expect([item?.outcome, list?.outcome]).toEqual(['failed', 'failed']);
  const told =
    'Its values are read from GET /things, which is public: if some rows are and others are not, give values';
  expect(item?.reason).toContain(told);
  expect(list?.reason).not.toContain('which is public');
});

test(
  'a listed id with which the service refuses its key leaves the run incomplete, and one that is not there does not',
  inCi,
  async () => {
    const statuses = { 401: 'incomplete', 403: 'incomplete', 500: 'incomplete', 404: 'conformant' };
    const lists = serve({ '/things': [1, 2, 3].map(thing) });
    for (const [status, verdict] of Object.entries(statuses)) {
      const run = await judgeDocument(
        documentWith(parts),
        (asked) =>
          asked.path.startsWith('/things/') && asked.headers.authorization === `Bearer ${key}`
            ? { status: Number(status), body: { error: 'this one is refused' } }
            : lists(asked),
        { settings },
      );
      expect(run.results.verdict, status).toBe(verdict);
      expect(run.check('refuses-missing-key@getThing').outcome, status).toBe('passed');
    }
  },
);

test('where nothing answers, an operation is said to lack an answer, and not a value', async () => {
  const run = await judgeDocument(
    documentWith({ '/things': read('listThings'), '/things/{id}': read('getThing', { parameters: [id] }) }),
    serve({}),
    { settings: { ...settings, BASE_URL: 'https://127.0.0.1:9' } },
  );
  const thing = run.results.operations.find((operation) => operation.id === 'getThing');
  expect(thing?.reason).toBe('Its parameters get values from answers of the service, and none came.');
  expect(thing?.mend).toBeUndefined();
});
