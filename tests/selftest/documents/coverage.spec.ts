import { loadContract } from '../../../src/contract/load.js';
import { leaveOutByFile } from '../../../src/engine/deviations.js';
import { badgeOf } from '../../../src/report/ci-formats.js';
import { consoleSummary } from '../../../src/report/console.js';
import { verdictSentence } from '../../../src/report/run-summary.js';
import { type Handler, judgeDocument, newKey, notFound, things, unauthorized } from '../support/document-server.js';
import { withFiles } from '../support/documents.js';
import { expect, inCi, test } from '../support/test.js';

/**
 * The verdict says how much of the document was judged, and conformant needs every protected read.
 */

const key = newKey();
const silent = { default: { description: 'silent' } };
const locked = { security: [{ key: [] }], responses: silent };

const documentOf = (paths: object, schemes: object = {}) => ({
  openapi: '3.1.1',
  info: { title: 'Things', version: '1' },
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' }, ...schemes } },
  paths,
});

const list = { '/things': { get: { operationId: 'listThings', ...locked } } };
const item = {
  '/things/{id}': {
    get: {
      operationId: 'getThing',
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', pattern: '^x{40}$' } }],
      ...locked,
    },
  },
};
const write = { '/orders': { post: { operationId: 'createOrder', ...locked } } };

const serves: Handler = ({ path, headers }) => {
  if (path !== '/things' && path !== '/notes') return notFound;
  return headers['x-key'] === key ? { status: 200, body: things } : unauthorized;
};

const settings = { API_KEY: key, PROBES: 'standard' };

test('conformant says how many operations were judged, and how many were left out on purpose', async () => {
  const { results } = await judgeDocument(documentOf({ ...list, ...write }), serves, { settings });
  expect(results.verdict).toBe('conformant');
  expect(results.coverage).toEqual({ operations: 2, judged: 1, leftOut: 1, missed: 0, byReason: { write: 1 } });
  expect(verdictSentence(results)).toBe('Conformant: 1 of 2 operations judged, 1 left out on purpose');
  expect(badgeOf(results).message).toBe('conformant, 1 of 2 operations');
  expect(results.operations).toMatchObject([
    { id: 'listThings', judged: true },
    { id: 'createOrder', judged: false, why: 'write' },
  ]);
});

test('a protected read that nothing was sent to makes the run incomplete, and the console says why', async () => {
  const document = documentOf({ ...list, '/odd#part': { get: { operationId: 'odd', ...locked } } });
  const { results } = await judgeDocument(document, serves, { settings });
  expect(results.verdict).toBe('incomplete');
  expect(results.coverage).toMatchObject({ operations: 2, judged: 1, missed: 1 });
  const text = consoleSummary(results, { color: false, width: 100 });
  expect(text).toContain('? not judged  odd');
  expect(text).toContain('Its path has a fragment, which no request carries.');
  expect(text).toContain('1 of 2 operations judged, 1 missed');
  expect(verdictSentence(results)).toBe(
    'Not judged in full: 1 of 2 operations judged, 1 missed; nothing is broken in what was judged',
  );
  expect(badgeOf(results).message).toBe('not judged in full, 1 of 2 operations');
});

test('a read that gives the key no answer is told with the error and with what may be done', inCi, async () => {
  const notes = { '/notes': { get: { operationId: 'listNotes', ...locked } } };
  const closesToKey: Handler = (asked) =>
    asked.path === '/notes' && asked.headers['x-key'] === key ? { status: 0, closes: true } : serves(asked);
  const { results } = await judgeDocument(documentOf({ ...list, ...notes }), closesToKey, { settings });
  expect(results.verdict).toBe('incomplete');
  const text = consoleSummary(results, { color: false, width: 100 });
  expect(text).toContain('? GET /notes gives the key no answer (reset)');
  expect(text).toContain('The read with the key got no answer (reset: ');
  expect(text).toContain('A gateway closes the connection, since nothing answers behind it.');
});

test('a public read that was missed leaves the verdict as it is', async () => {
  const document = documentOf({ ...list, '/odd#part': { get: { security: [], responses: silent } } });
  const { results } = await judgeDocument(document, serves, { settings });
  expect([results.verdict, results.coverage?.missed]).toEqual(['conformant', 1]);
});

test('chosen checks alone are said to be that', async () => {
  const { results } = await judgeDocument(documentOf({ ...list, ...item }), serves, {
    settings,
    only: ['refuses-missing-key@listThings'],
  });
  expect(results.verdict).toBe('conformant');
  expect(badgeOf(results).message).toBe('conformant, selected checks alone, 1 of 2 operations');
  expect(verdictSentence(results)).toContain('in the selected checks');
});

test('an operation that DEVIATIONS leaves out is not judged, and the verdict is deviating at best', inCi, async () => {
  const document = documentOf({ ...list, '/gone': { get: { operationId: 'gone', ...locked } } });
  const entry = (text: string) => `- leaveOut: ${text}\n  reason: is being built\n`;
  await withFiles({ 'openapi.yaml': document, 'known.yaml': entry('gone') }, async (path) => {
    const without = leaveOutByFile(await loadContract(path('openapi.yaml')), path('known.yaml'), 'known.yaml');
    expect(without.operations.map(({ id }) => id)).toEqual(['listThings']);
    expect(without.unprobed).toMatchObject([
      { id: 'gone', why: 'left-out', reason: 'Left out on purpose (known.yaml:1): is being built' },
    ]);
  });
  for (const [pattern, verdict] of [
    ['gone', 'deviating'],
    ['GET /gone', 'deviating'],
    ['"*"', 'incomplete'],
  ] as const)
    await withFiles({ 'known.yaml': entry(pattern) }, async (path) => {
      const { results } = await judgeDocument(document, serves, {
        settings: { ...settings, DEVIATIONS: path('known.yaml') },
      });
      expect([pattern, results.verdict]).toEqual([pattern, verdict]);
      if (verdict === 'deviating')
        expect(verdictSentence(results)).toMatch(/^Deviating: nothing is broken in what was judged, and DEVIATIONS/);
    });
  await withFiles({ 'openapi.yaml': document, 'known.yaml': entry('gome') }, async (path) => {
    const contract = await loadContract(path('openapi.yaml'));
    expect(() => leaveOutByFile(contract, path('known.yaml'), 'known.yaml')).toThrow(
      'known.yaml:1 no operation is called gome; did you mean gone?',
    );
  });
});

test('UNSTATED says what operations without security are', inCi, async () => {
  const document = documentOf({ ...list, '/notes': { get: { operationId: 'listNotes', responses: silent } } });
  const judged = async (unstated: string) =>
    (await judgeDocument(document, serves, { settings: { ...settings, UNSTATED: unstated } })).results;
  const ask = await judged('ask');
  expect([ask.verdict, ask.coverage?.byReason]).toEqual(['incomplete', { 'access-unstated': 1 }]);
  const locked = await judged('protected');
  expect([locked.verdict, locked.coverage?.judged]).toEqual(['conformant', 2]);
  const open = await judged('public');
  expect(open.verdict).toBe('non-conformant');
  expect(open.clauses.find(({ id }) => id === 'AUTH-4')?.outcome).toBe('failed');
});

test('one API_KEY is tried for every scheme, and what it does not open is no fault of the server', async () => {
  const document = documentOf(
    { ...list, '/notes': { get: { operationId: 'listNotes', security: [{ other: [] }], responses: silent } } },
    { other: { type: 'http', scheme: 'bearer' } },
  );
  const { results, failedClauses } = await judgeDocument(document, serves, { settings });
  expect(failedClauses).toEqual([]);
  const open = results.checks.filter(
    ({ operation, outcome }) => operation === 'listNotes' && outcome === 'inconclusive',
  );
  expect(open.map(({ reason }) => reason).join()).toContain('may be the key of another scheme');
  expect(results.checks.find(({ id }) => id === 'refuses-missing-key@listThings')?.outcome).toBe('passed');
});

test('a key that opens as that of an alternative may have been given for the wrong scheme', async () => {
  const security = [{ key: [] }, { other: [] }];
  const document = documentOf(
    { '/things': { get: { operationId: 'listThings', security, responses: silent } } },
    { other: { type: 'http', scheme: 'bearer' } },
  );
  const takes = (field: string, value: string): Handler => {
    return ({ path, headers }) =>
      path !== '/things' ? notFound : headers[field] === value ? { status: 200, body: things } : unauthorized;
  };
  const judged = async (setting: string, handler: Handler) => {
    const { check, failedClauses } = await judgeDocument(document, handler, { settings: { [setting]: key } });
    expect(failedClauses).toEqual([]);
    const { outcome, cause, reason } = check('takes-documented-format@listThings');
    return { outcome, values: cause?.id === 'key-not-assigned' ? cause.values : undefined, reason };
  };
  const asBearer = await judged('API_KEY_KEY', takes('authorization', `Bearer ${key}`));
  expect(asBearer).toMatchObject({ outcome: 'inconclusive', values: ['key', 'API_KEY_KEY', 'other'] });
  expect(asBearer.reason).toContain('give the key as API_KEY_OTHER');
  expect((await judged('API_KEY_OTHER', takes('x-key', key))).values).toEqual(['other', 'API_KEY_OTHER', 'key']);
  expect((await judged('API_KEY_KEY', takes('x-key', `${key}x`))).values).toBeUndefined();
});

test('where everybody gets a 404 of its own, the first reason told is that it is not served', async () => {
  const off: Handler = ({ path }) => (path === '/things' ? { status: 404, body: { why: 'switched off' } } : notFound);
  const { results, failedClauses } = await judgeDocument(documentOf(list), off, { settings });
  expect(failedClauses).toEqual([]);
  const told = consoleSummary(results, { color: false, width: 200 });
  expect(told).toMatch(/^\? GET \/things does not open with the key \(404\)$/m);
  expect(told).toMatch(/^ {2}1\. This deployment does not serve the operation/m);
});

test('an API_KEY that opens another operation by a scheme is known to be its key', async () => {
  const paths = { ...list, '/broken': { get: { operationId: 'readBroken', ...locked } } };
  const other = { '/notes': { get: { operationId: 'listNotes', security: [{ other: [] }], responses: silent } } };
  const { check } = await judgeDocument(
    documentOf({ ...paths, ...other }, { other: { type: 'apiKey', in: 'header', name: 'X-Other' } }),
    (asked) => (asked.path === '/broken' ? { status: 501, body: { error: 'not here' } } : serves(asked)),
    { settings },
  );
  expect(check('takes-documented-format@readBroken').cause?.id).toBe('server-error');
  expect(check('takes-documented-format@listNotes').cause?.id).toBe('key-not-assigned');
});

test('a read whose name says that it changes something is sent no key', async () => {
  const named = (name: string, more: object = {}) => ({ [name]: { get: { ...locked, ...more } } });
  const document = documentOf({
    ...list,
    ...named('/session/logout'),
    ...named('/admin/restart'),
    ...named('/keys/current', { operationId: 'revokeKey' }),
    ...named('/signOut'),
    ...named('/pads', { operationId: 'createPad' }),
    ...named('/preset'),
    ...named('/created'),
    ...named('/reset', { 'x-access-safe': true }),
  });
  const { results, asked } = await judgeDocument(document, serves, { settings });
  expect(results.operations.filter(({ why }) => why === 'changes-something').map(({ path }) => path)).toEqual([
    '/session/logout',
    '/admin/restart',
    '/keys/current',
    '/signOut',
    '/pads',
  ]);
  const keyed = new Set(asked.filter(({ headers }) => headers['x-key'] === key).map(({ path }) => path));
  expect([...keyed].filter((path) => /logout|restart|current|signOut|pads/.test(path))).toEqual([]);
  expect(['/preset', '/created', '/reset'].map((path) => keyed.has(path))).toEqual([true, true, true]);
});

test('a read that only redirects is sent no key, and judged by its refusal', async () => {
  const redirects = { ...locked, responses: { 302: { description: 'the file, elsewhere' } } };
  const document = documentOf({
    ...list,
    '/export': { get: { operationId: 'exportAll', ...redirects } },
    '/open': { get: { operationId: 'exportOpen', ...redirects } },
  });
  const toFile = { status: 302, headers: { Location: 'https://files.test-host.org/all.zip' } };
  const { results, asked, check } = await judgeDocument(
    document,
    (one) =>
      one.path === '/open' || (one.path === '/export' && one.headers['x-key'] === key)
        ? toFile
        : one.path === '/export'
          ? { status: 401, body: { detail: 'no key' } }
          : serves(one),
    { settings },
  );
  const keyed = new Set(asked.filter(({ headers }) => headers['x-key'] === key).map(({ path }) => path));
  expect([keyed.has('/export'), keyed.has('/open')]).toEqual([false, false]);
  expect(check('refuses-missing-key@exportAll')).toMatchObject({ outcome: 'passed', cause: { id: 'refusal-alone' } });
  expect(check('refuses-missing-key@exportOpen').cause).toEqual({ id: 'only-redirects', values: ['302'] });
  expect(results.coverage).toMatchObject({ judged: 2, byRefusal: 1, byReason: { 'only-redirects': 1 } });
});

test('a read that may change something is asked without a key with UNSAFE_METHODS, and over TLS alone', async () => {
  const document = documentOf({ ...list, '/session/logout': { get: { operationId: 'logOut', ...locked } } });
  const { asked, results } = await judgeDocument(
    document,
    (one) => (one.path === '/session/logout' ? unauthorized : serves(one)),
    { settings: { ...settings, UNSAFE_METHODS: 'true' } },
  );
  const sent = asked.filter(({ path }) => path === '/session/logout');
  expect(sent.length).toBeGreaterThan(0);
  expect(sent.filter(({ headers }) => headers['x-key'] !== undefined)).toEqual([]);
  expect(results.checks.filter(({ operation }) => operation === 'logOut').map(({ rule }) => rule)).toEqual([
    'refuses-missing-key',
  ]);
  expect(results.coverage).toMatchObject({ judged: 2, byRefusal: 1 });
});
