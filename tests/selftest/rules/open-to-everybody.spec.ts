import { consoleSummary } from '../../../src/report/console.js';
import {
  type Answer,
  type DocumentRun,
  judgeDocument,
  newKey,
  notFound,
  tokenComponents,
  unauthorized,
} from '../support/document-server.js';
import { expect, inCi, someOfTable, test } from '../support/test.js';

/**
 * Operations that answer everybody alike, with little in the answer: what the service shows
 * elsewhere says whether that is its data or a refusal.
 */

const key = newKey();
const keyed = { security: [{ key: [] }], responses: { default: { description: 'Not stated.' } } };
const open = { security: [], responses: { default: { description: 'Not stated.' } } };

/** Answers of public paths and of paths that ask for a key; `toAll`: what is given to everybody. */
interface Service {
  readonly publics?: Readonly<Record<string, Answer>>;
  readonly owned: Readonly<Record<string, Answer>>;
  readonly toAll?: Readonly<Record<string, Answer>>;
  /** To who sends a key that is none; 401 when absent. */
  readonly refusal?: Answer;
  /** Whether any value is taken for a key. */
  readonly anyKey?: boolean;
}

const judged = ({
  publics = {},
  owned,
  toAll = {},
  refusal = unauthorized,
  anyKey = false,
}: Service): Promise<DocumentRun> => {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Open to everybody', version: '1' },
    paths: Object.fromEntries([
      ...Object.keys({ ...toAll, ...owned }).map((path) => [path, { get: keyed }]),
      ...Object.keys(publics).map((path) => [path, { get: open }]),
    ]),
    components: tokenComponents,
  };
  return judgeDocument(
    document,
    ({ method, path, headers }) => {
      if (method !== 'GET' && method !== 'HEAD') return { status: 405, body: { detail: 'Not here.' } };
      const given = publics[path] ?? toAll[path];
      if (given) return given;
      const own = owned[path];
      if (!own) return notFound;
      const isOpen = anyKey ? headers.authorization !== undefined : headers.authorization === `Token ${key}`;
      return isOpen ? own : refusal;
    },
    { settings: { API_KEY: key, PROBES: 'standard' } },
  );
};

const ok = (body: unknown): Answer => ({ status: 200, body });
const rowsOf = (name: string, count = 3) =>
  Array.from({ length: count }, (_, index) => ({
    id: 4_100 + index * 37,
    made: `2026-03-0${index + 1}`,
    label: `${name} number ${index}`,
  }));
const lists = (names: readonly string[]): Record<string, Answer> =>
  Object.fromEntries(names.map((name) => [`/v1/${name}`, ok(rowsOf(name))]));

const small = ok({ id: 8, name: 'Arms' });

test(
  'a small record that everybody gets is open where others refuse by status, however many are open too',
  inCi,
  async () => {
    const catalogue = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [
        `/v1/kinds${index}`,
        ok({ id: index, name: `Kind ${'ABCDEFGHIJKL'[index]}` }),
      ]),
    );
    const run = await judged({ toAll: { '/v1/arms': small, ...catalogue }, owned: lists(['plans', 'logs', 'goals']) });
    expect(run.check('refuses-missing-key@GET /v1/arms').outcome).toBe('failed');
  },
);

test(
  'a record with an empty list that everybody gets is open where others refuse by status; a bare list is not decided',
  inCi,
  async () => {
    const settings = { home: '/srv/things', level: 'INFO', cors: { origins: [] }, poll: 15.5 };
    const toAll = { '/v1/settings': ok(settings), '/v1/marks': ok([]), '/v1/page': ok({ page: null, items: [] }) };
    const owned = lists(['plans', 'logs', 'goals']);
    const run = await judged({ toAll, owned });
    const outcome = (path: string) => run.check(`refuses-missing-key@GET ${path}`).outcome;
    expect(Object.keys(toAll).map(outcome)).toEqual(['failed', 'inconclusive', 'inconclusive']);
    // A service that refuses in the body of a success may show an empty record in its place.
    const told = await judged({ toAll, owned, refusal: ok({ message: 'Please log in' }) });
    expect(told.failedClauses).toEqual([]);
  },
);

test('an operation without others behind its gate is compared with those of its scheme', async () => {
  const owned = Object.fromEntries(
    ['zones', 'config', 'logs'].map((name) => [`/servers/main/${name}`, ok(rowsOf(name))]),
  );
  const run = await judged({ toAll: { '/servers': ok([{ id: 'main', kind: 'server' }]) }, owned });
  expect(run.check('refuses-missing-key@GET /servers').outcome).toBe('failed');
});

test('where everybody gets what the key gets, the first reason told is that no key is asked', async () => {
  const toAll = { '/v1/arms': small, '/v1/legs': ok({ id: 9, name: 'Legs' }) };
  const { results } = await judged({ toAll, owned: {} });
  const told = consoleSummary(results, { color: false, width: 200 });
  expect(told).toMatch(/^\? 2 operations answer the key like no key or a wrong one \(200\)$/m);
  expect(told).toMatch(/^ {2}1\. The operation asks for no key/m);
});

test('where any value is taken for a key, this is the first reason told, and that the body may refuse the second', async () => {
  const owned = { '/v1/arms': small, '/v1/legs': ok({ id: 9, name: 'Legs' }) };
  const { results } = await judged({ owned, toAll: {}, refusal: unauthorized, anyKey: true });
  const told = consoleSummary(results, { color: false, width: 200 });
  expect(told).toMatch(/^\? 2 operations answer the key like a wrong one \(200\)$/m);
  expect(told).toMatch(/^ {2}1\. The operation takes any value for a key/m);
});

test('one that others of its scheme are unlike stays undecided', async () => {
  const owned = Object.fromEntries(
    ['zones', 'config', 'logs'].map((name) => [`/servers/main/${name}`, ok(rowsOf(name))]),
  );
  const run = await judged({
    toAll: { '/servers': ok({ message: 'Please log in' }) },
    owned,
    refusal: ok({ message: 'Please log in' }),
  });
  expect(run.check('refuses-missing-key@GET /servers').outcome).not.toBe('passed');
  expect(run.failedClauses).toEqual([]);
});

test('an item with empty lists is open where it is one of the rows of its list', async () => {
  const rows = rowsOf('exercise', 4).map((row) => ({ ...row, muscles: [], links: [] }));
  const document = {
    openapi: '3.1.0',
    info: { title: 'Items', version: '1' },
    paths: {
      '/v1/exercises': { get: keyed },
      '/v1/exercises/{id}': {
        get: { ...keyed, parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }] },
      },
    },
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-API-Key' } } },
  };
  const run = await judgeDocument(
    document,
    ({ path, headers }) => {
      if (path === '/v1/exercises') return headers['x-api-key'] === key ? ok(rows) : unauthorized;
      const item = rows.find(({ id }) => path === `/v1/exercises/${id}`);
      return item ? ok(item) : notFound;
    },
    { settings: { API_KEY: key, PROBES: 'standard' } },
  );
  expect(run.check('refuses-missing-key@GET /v1/exercises/{id}').outcome).toBe('failed');
});

const page = (results: readonly object[], count = results.length) =>
  ok({ count, next: count > results.length ? '/v1/exercises?page=2' : null, results });
const exercises = { '/v1/exercises': page(rowsOf('exercise'), 1_263) };
const workouts = page([
  { id: 1, made: '2026-11-24', name: 'Spring legs' },
  { id: 2, made: '2026-11-24', name: 'Back and arms' },
]);

const row = someOfTable();
for (const [what, answer] of [
  ['two rows in the page that public lists come in', workouts],
  ['errors that nobody counts', ok({ count: 0, next: null, results: [{ code: 1 }, { code: 2 }] })],
  ['one counted error', page([{ code: 4_011, text: 'No key was sent.' }])],
  [
    'a page of another kind',
    ok({
      count: 2,
      errors: [
        { code: 1, text: 'No key.' },
        { code: 2, text: 'See /help.' },
      ],
    }),
  ],
  ['the public list itself', exercises['/v1/exercises'] ?? notFound],
] as const)
  test(`${what} in the place of rows accuse nobody`, row(), async () => {
    const run = await judged({ publics: exercises, toAll: { '/v1/workouts': answer }, owned: {} });
    expect(run.failedClauses).toEqual([]);
    expect(run.check('refuses-missing-key@GET /v1/workouts').outcome).not.toBe('passed');
  });
