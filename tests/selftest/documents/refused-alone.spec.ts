import { shownCauses } from '../../../src/report/causes.js';
import { consoleSummary } from '../../../src/report/console.js';
import { markdownSummary } from '../../../src/report/markdown.js';
import { type Answer, judgeDocument, newKey, notFound, things, unauthorized } from '../support/document-server.js';
import { documentOf } from '../support/documents.js';
import { expect, someOfTable, test } from '../support/test.js';

/** A read that the key does not open: what can be said of it is whether it refuses without one. */

const key = newKey();
const read = (operationId: string) => ({
  get: { operationId, security: [{ key: [] }], responses: { '200': { description: '-' } } },
});
/** What is judged of a read that does not open. */
const only = ['refuses-missing-key', 'takes-documented-format', 'serves-documented-path'];
const document = documentOf({
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: { '/things': read('listThings'), '/broken': read('readBroken') },
});

const judge = async (
  failure: Answer,
  refusal: (credential: string | undefined) => Answer,
  settings = {},
  nowhere: Answer = notFound,
) => {
  const { results, asked, check } = await judgeDocument(
    document,
    ({ path, headers }): Answer => {
      if (path !== '/things' && path !== '/broken') return nowhere;
      if (headers.authorization !== `Bearer ${key}`)
        return path === '/broken' ? refusal(headers.authorization) : unauthorized;
      return path === '/broken' ? failure : { status: 200, body: things };
    },
    { settings: { API_KEY: key, PROBES: 'standard', ...settings } },
  );
  return { results, asked, finding: check('refuses-missing-key@readBroken') };
};

/** The names of the requests with worthless keys that were sent twice. */
const twice = async (refusal: (credential: string | undefined) => Answer) => {
  const {
    asked: _asked,
    check,
    exchanges,
  } = await judgeDocument(
    document,
    ({ path, headers }): Answer => {
      if (path !== '/things' && path !== '/broken') return notFound;
      return headers.authorization === `Bearer ${key}` ? { status: 200, body: things } : refusal(headers.authorization);
    },
    { settings: { API_KEY: key }, only: ['refuses-worthless-keys@readBroken'] },
  );
  const again = exchanges.filter(({ probe }) => probe.round === 2 && probe.name.endsWith('as key'));
  return { check, run: again.map(({ probe }) => probe.name) };
};

const fails = (status: number): Answer => ({ status, body: { error: 'not here' } });

const failureRow = someOfTable();
for (const status of [500, 501, 502, 503, 400, 403, 404, 409])
  test(
    `a read that gives ${status} with the key is judged by its refusal, and the run stays incomplete`,
    failureRow(),
    async () => {
      const wrong: Answer = { status: 401, body: { detail: 'No such key.', code: 4011 } };
      const { results, finding } = await judge(fails(status), (sent) => (sent === undefined ? unauthorized : wrong));
      expect(finding).toMatchObject({ outcome: 'passed', cause: { id: 'refusal-alone' } });
      expect(results.operations.find(({ id }) => id === 'readBroken')).toMatchObject({
        judged: true,
        judgedBy: 'refusal',
      });
      expect(results.coverage).toMatchObject({ judged: 2, byRefusal: 1 });
      expect(results.verdict).toBe('incomplete');
      const said = '2 of 2 operations judged, 1 of them by its refusal alone';
      expect(consoleSummary(results, { color: false, width: 120 })).toContain(said);
      expect(markdownSummary(results)).toContain(said);
      const [rule, words] =
        status < 500
          ? ['takes-documented-format', 'the key is taken, and this request is not']
          : status === 502 || status === 503
            ? ['serves-documented-path', `The read with the key was answered with ${status}`]
            : ['takes-documented-format', 'a server error says nothing of the key'];
      expect(results.checks.find(({ id }) => id === `${rule}@readBroken`)?.reason).toContain(words);
    },
  );

test('a good key that is refused by the status of a random one, in other words, was taken', async () => {
  const wrong: Answer = { status: 403, body: { detail: 'No such key.' } };
  const { finding } = await judge(fails(403), (sent) => (sent === undefined ? unauthorized : wrong));
  expect(finding).toMatchObject({ outcome: 'passed', cause: { id: 'refusal-alone' } });
});

test('where no key and a random one are refused in other ways, a good key leaves the request to doubt', async () => {
  const { results } = await judge(fails(400), (sent) => (sent === undefined ? unauthorized : fails(422)));
  expect(results.checks.find(({ id }) => id === 'takes-documented-format@readBroken')).toMatchObject({
    reason: expect.stringContaining('or the request may lack something that the document does not name'),
    cause: { id: 'key-refused', values: ['400', 'taken'] },
  });
});

const nothingRow = someOfTable();
for (const [what, failure, refusal, nowhere] of [
  ['an outage of all paths', fails(503), () => unauthorized, fails(503)],
  ['a rate limit', fails(429), () => unauthorized],
  ['a path at which nothing is', notFound, () => unauthorized],
  ['a key that is refused as a wrong one is', fails(403), (sent?: string) => (sent ? fails(403) : unauthorized)],
  ['a key that is refused as nobody is', unauthorized, () => unauthorized],
  ['a missing key that fails as well', fails(500), () => fails(500)],
  [
    'a random key that is answered otherwise',
    fails(500),
    (credential: string | undefined) => (credential === undefined ? unauthorized : fails(500)),
  ],
  [
    'rows that a random key gets',
    fails(500),
    (credential: string | undefined) => (credential === undefined ? unauthorized : { ...unauthorized, body: things }),
  ],
  ['rows in the refusal', fails(500), () => ({ ...unauthorized, body: things })],
] as const)
  test(`nothing is said of ${what}`, nothingRow(), async () => {
    const { results, finding } = await judge(failure, refusal, { RATE_LIMIT_WAIT_S: '0' }, nowhere);
    expect(finding.outcome).not.toBe('passed');
    expect(results.operations.find(({ id }) => id === 'readBroken')?.judged).toBe(false);
  });

/** A read whose value is made up, beside one that may open. */
const withItem = documentOf({
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/things': read('listThings'),
    '/accounts/{name}': {
      get: {
        ...read('getAccount').get,
        parameters: [{ name: 'name', in: 'path', required: true, schema: { type: 'string' } }],
      },
    },
  },
});

for (const [outcome, what, withKey] of [
  ['passed', 'those without the key', { status: 200, body: things }],
  ['inconclusive', 'everybody', fails(400)],
] as const)
  test(`an error that another operation gives to ${what} is ${outcome} where no key is sent`, async () => {
    const { check } = await judgeDocument(
      withItem,
      ({ path, headers }): Answer =>
        !/^\/(things|accounts\/[^/]+)$/.test(path)
          ? notFound
          : path === '/things' && headers.authorization === `Bearer ${key}`
            ? withKey
            : fails(400),
      { settings: { API_KEY: key }, only },
    );
    expect(check('refuses-missing-key@getAccount').outcome).toBe(outcome);
  });

test('a cause with several reasons names the operations of each', async () => {
  const paths = Object.fromEntries(['/a', '/b', '/c'].map((path) => [path, read(path.slice(1))]));
  const { results } = await judgeDocument(
    documentOf({ components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } }, paths }),
    ({ path, headers }): Answer => {
      if (!(path in paths)) return notFound;
      if (headers.authorization !== `Bearer ${key}`) return unauthorized;
      return fails(path === '/a' ? 502 : 503);
    },
    { settings: { API_KEY: key }, only },
  );
  const { open } = shownCauses(results);
  const reasons = [
    'At b, c: The read with the key was answered with 503.',
    'At a: The read with the key was answered with 502.',
  ];
  expect(open.map((cause) => cause.reasons)).toContainEqual(reasons);
});

const keyRow = someOfTable();
for (const [what, random, places] of [
  ['read where it is documented', unauthorized, 0],
  ['answered as any key', fails(500), 1],
] as const)
  test(`a key that is ${what} is tried in ${places === 0 ? 'no other place' : 'others'}`, keyRow(), async () => {
    const { results, asked } = await judge(fails(500), (sent) => (sent === undefined ? unauthorized : random));
    expect(
      Math.sign(asked.filter(({ path, headers }) => path === '/broken' && headers['x-api-key'] === key).length),
    ).toBe(places);
    const { reason } = results.checks.find(({ id }) => id === 'takes-documented-format@readBroken') ?? {};
    expect(reason?.includes('no other form of the key was taken')).toBe(places === 1);
  });

test('a server error that refuses every time is not asked for twice', async () => {
  const refusal: Answer = { status: 500, body: { error: 'no user', trace: 'abc' } };
  const { check, run } = await twice(() => refusal);
  expect(check('refuses-worthless-keys@readBroken')).toMatchObject({ outcome: 'passed' });
  expect(run).toEqual([]);
});

test('a server error that the request without a key does not get is asked for twice', async () => {
  const { check, run } = await twice((sent) => (sent === 'Bearer null' ? fails(500) : unauthorized));
  expect(check('refuses-worthless-keys@readBroken')).toMatchObject({ outcome: 'passed' });
  expect(run).toEqual(['null as key']);
});

for (const [what, refusal] of [
  ['by status', unauthorized],
  ['in a body', { status: 200, body: { ok: false, error: 'no key' } }],
] as const)
  test(`a key that opens operations elsewhere, which refuse ${what}, is not called wrong where it lacks a right`, async () => {
    const admin = Array.from({ length: 12 }, (_, index) => `/admin/${index}`);
    const own = ['/things', '/others', '/notes'];
    const { check } = await judgeDocument(
      documentOf({
        components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
        paths: Object.fromEntries([...admin, ...own].map((path) => [path, read(`read${path}`)])),
      }),
      ({ path, headers: { authorization } }): Answer => {
        const isKeyed = authorization === `Bearer ${key}`;
        if (own.includes(path)) return isKeyed ? { status: 200, body: things } : refusal;
        if (!admin.includes(path) || authorization === undefined) return notFound;
        return isKeyed ? { status: 403, body: { error: 'not yours' } } : unauthorized;
      },
      { settings: { API_KEY: key, PROBES: 'standard', MAX_REQUESTS: '5000' } },
    );
    const { reason } = check('takes-documented-format@read/admin/11');
    expect(reason).toMatch(/the key opens read\/\w+, so it is known to this service/);
  });
