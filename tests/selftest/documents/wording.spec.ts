import { consoleSummary } from '../../../src/report/console.js';
import { extentOfClause, findingsById } from '../../../src/report/run-summary.js';
import { type Asked, judgeDocument, newKey, things, unauthorized } from '../support/document-server.js';
import { documentOf } from '../support/documents.js';
import { expect, inCi, test } from '../support/test.js';

/** What reasons say, and what is called another format of the key. */

const key = newKey();
const security = [{ key: [] }];
const operation = (operationId: string): object => ({
  get: { operationId, security, responses: { '200': { description: '-' } } },
});
const withScheme = (scheme: object, paths: object = { '/things/': operation('listThings') }): object =>
  documentOf({ components: { securitySchemes: { key: scheme } }, paths });
const bearer = { type: 'http', scheme: 'bearer' };
const token = {
  type: 'apiKey',
  in: 'header',
  name: 'Authorization',
  'x-access-credential': { scheme: 'Token', separator: ' ' },
};
const settings = { API_KEY: key, PROBES: 'standard' };
const sent = ({ headers }: Asked): string => headers.authorization ?? '';

test('a key that opens another operation is not called wrong or expired', inCi, async () => {
  const paths = { '/things/': operation('listThings'), '/staff/': operation('listStaff') };
  const judge = (opens: boolean) =>
    judgeDocument(
      withScheme(bearer, paths),
      (asked) =>
        opens && asked.path === '/things/' && sent(asked) === `Bearer ${key}`
          ? { status: 200, body: things }
          : ['/things/', '/staff/'].includes(asked.path)
            ? unauthorized
            : { status: 404, body: {} },
      { settings },
    );
  const one = await judge(true);
  const { outcome, reason } = one.check('takes-documented-format@listStaff');
  expect(outcome).toBe('inconclusive');
  expect(reason).not.toContain('wrong or expired');
  expect(reason).toContain('the key opens listThings');
  const [clause] = one.results.clauses.filter(({ id }) => id === 'AUTH-2');
  expect(clause && extentOfClause(clause, findingsById(one.results))).toBe('1 of 2 operations judged');
  const spread = one.results.checks.map((check) => ({ ...check, tried: { of: 9, tricks: [] } }));
  expect(clause && extentOfClause(clause, findingsById({ checks: spread }))).toBe(
    '1 of 2 operations judged, tricks spread over these',
  );
  expect(consoleSummary(one.results, { color: false, width: 120 })).toMatch(/[?⊘] AUTH-2 +1 of 2 operations judged: /);
  expect((await judge(false)).check('takes-documented-format@listStaff').reason).toContain('wrong or expired');
});

for (const [what, scheme, word, outcome] of [
  ['a scheme of HTTP', bearer, 'Bearer', 'passed'],
  ['Token of an apiKey scheme', token, 'Token', 'lenient'],
] as const)
  test(`${what} in other case is ${outcome}`, async () => {
    const run = await judgeDocument(
      withScheme(scheme),
      (asked) =>
        asked.path !== '/things/'
          ? { status: 404, body: {} }
          : sent(asked).toLowerCase().startsWith(word.toLowerCase()) && sent(asked).slice(word.length) === ` ${key}`
            ? { status: 200, body: things }
            : unauthorized,
      { settings, only: ['takes-no-other-format'] },
    );
    const { outcome: found, reason } = run.check('takes-no-other-format@listThings');
    expect(found, reason).toBe(outcome);
  });

test('a scheme of HTTP that is only taken in lower case is a broken AUTH-2', async () => {
  const run = await judgeDocument(
    withScheme(bearer),
    (asked) =>
      asked.path !== '/things/'
        ? { status: 404, body: {} }
        : sent(asked) === `bearer ${key}`
          ? { status: 200, body: things }
          : unauthorized,
    { settings },
  );
  expect(run.failedClauses).toContain('AUTH-2');
});

test('bodies that change on each read leave open whether another format is taken', async () => {
  let reads = 0;
  const run = await judgeDocument(
    withScheme(bearer),
    (asked) => {
      if (asked.path !== '/things/') return { status: 404, body: {} };
      if (!sent(asked).endsWith(key)) return unauthorized;
      reads += 1;
      const isDocumented = sent(asked) === `Bearer ${key}`;
      return {
        status: 200,
        body: isDocumented
          ? {
              results: [
                { id: 71_000 + reads, name: `thing ${reads}`, at: `kestrel-${reads * 7_919}` },
                ...things.results,
              ],
            }
          : { [`part${reads}`]: `plover-${reads * 104_729}` },
      };
    },
    { settings, only: ['takes-no-other-format'] },
  );
  expect(run.check('takes-no-other-format@listThings').outcome).toBe('inconclusive');
});

test('operations that lack a value are told once, with the command that prints what each lacks', async () => {
  const open = (name: string) => ({
    get: {
      security: [],
      parameters: [{ name, in: 'path', required: true, schema: { type: 'string' } }],
      responses: { default: { description: '-' } },
    },
  });
  const paths = {
    '/things/': operation('listThings'),
    '/a/{one}': open('one'),
    '/b/{two}': open('two'),
    '/c/{three}': open('three'),
  };
  const run = await judgeDocument(
    withScheme(bearer, paths),
    (asked) => (sent(asked) === `Bearer ${key}` ? { status: 200, body: things } : unauthorized),
    { settings },
  );
  const told = consoleSummary(run.results, { color: false, width: 120 });
  expect(told.match(/^\? not judged/gm)).toHaveLength(1);
  expect(told).toMatch(
    /PARAMETERS: .*"one"[\s\S]*lacks another value: see access-conformance plan --parameters-skeleton\./,
  );
});

test('an operation that lacks another thing than a value is not said to lack one', async () => {
  const moved = { get: { security: [], responses: { 302: { description: 'only ever a redirect' } } } };
  const run = await judgeDocument(
    withScheme(bearer, { '/things/': operation('listThings'), '/moved/': moved }),
    (asked) => (sent(asked) === `Bearer ${key}` ? { status: 200, body: things } : unauthorized),
    { settings },
  );
  const told = consoleSummary(run.results, { color: false, width: 120 });
  expect(told).toMatch(/^\? not judged {2}GET \/moved\/\n.*promises a redirect/m);
  expect(told).not.toContain('--parameters-skeleton');
});

test('a 405 without an Allow field is said of the method, not of the key', async () => {
  const paths = { '/things/': operation('listThings'), '/search/': operation('search') };
  const run = await judgeDocument(
    withScheme(bearer, paths),
    (asked) => {
      if (asked.path === '/search/') return { status: 405, body: { detail: 'No.' } };
      if (asked.path !== '/things/') return { status: 404, body: {} };
      return sent(asked) === `Bearer ${key}` ? { status: 200, body: things } : unauthorized;
    },
    { settings },
  );
  const { outcome, reason } = run.check('takes-documented-format@search');
  expect(outcome).toBe('inconclusive');
  expect(reason).toContain('GET is not allowed there, and has no Allow field');
  expect(consoleSummary(run.results, { color: false, width: 120 })).toContain(
    '? GET /search/ refuses the documented method (405)',
  );
});
