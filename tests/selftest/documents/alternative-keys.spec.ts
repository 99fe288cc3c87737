import { type Handler, judgeDocument, newKey, notFound, unauthorized } from '../support/document-server.js';
import { documentOf } from '../support/documents.js';
import { expect, inCi, test } from '../support/test.js';

/** Two schemes of which either opens each operation: the key as it is, and as Bearer. */

const key = newKey();
const names = ['/notes', '/folders', '/shelves', '/health'];
const documentOfPaths = (paths: readonly string[]): object =>
  documentOf({
    components: {
      securitySchemes: {
        plain: { type: 'apiKey', in: 'header', name: 'Authorization' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
    security: [{ plain: [] }, { bearer: [] }],
    paths: Object.fromEntries(
      paths.map((path) => [path, { get: { operationId: path.slice(1), responses: { '200': { description: '-' } } } }]),
    ),
  });

const rowsAt = (path: string): object =>
  [1, 2].map((at) => ({ id: path.length * 1_000 + at, title: `${path.slice(1)} of ${at}`, made: `2024-05-0${at}` }));

/** Counters, each of which moves at other reads. */
const metrics = (read: number): string =>
  Array.from({ length: 9 }, (_, at) => at)
    .map((at) => `count${at} ${Math.floor((read + at) / 9) * 7_919 + at}\nsince${at} 17${at}9${at}3${at}21\n`)
    .join('');

const judged = (takes: readonly string[], paths = names) => {
  let reads = 0;
  const handler: Handler = ({ path, headers }) => {
    if (path === '/health') return { status: 200, body: { state: 'GOOD' } };
    // It refuses a wrong key of the first scheme, and does not read the second.
    if (path === '/metrics' && [undefined, key].includes(headers.authorization?.replace(/^Bearer .*/, key))) {
      reads += 1;
      return { status: 200, type: 'text/plain', body: metrics(reads) };
    }
    if (!names.includes(path)) return notFound;
    return takes.includes(headers.authorization ?? '') ? { status: 200, body: rowsAt(path) } : unauthorized;
  };
  return judgeDocument(documentOfPaths(paths), handler, {
    settings: { API_KEY_PLAIN: key, API_KEY_BEARER: key, PROBES: 'standard' },
  });
};

test('an operation that is open to everybody says nothing of its second key', inCi, async () => {
  const run = await judged([key, `Bearer ${key}`]);
  expect(run.check('refuses-missing-key@health').outcome).toBe('failed');
  for (const name of names) expect(run.check(`takes-documented-format@${name.slice(1)}`).outcome).toBe('passed');
});

test('a second key that is not read says nothing where a request without one gets something too', inCi, async () => {
  const run = await judged([key, `Bearer ${key}`], ['/notes', '/folders', '/metrics']);
  expect(run.check('takes-documented-format@metrics').outcome).toBe('passed');
});

test('a second key that is refused is told where the first opens', async () => {
  const run = await judged([key]);
  expect(run.check('takes-documented-format@notes')).toMatchObject({
    outcome: 'inconclusive',
    cause: { values: ['"bearer"', '401'] },
  });
});

test('where the second key opens, it is the first that is told to open nothing', async () => {
  const run = await judged([`Bearer ${key}`]);
  const { outcome, cause, reason } = run.check('takes-documented-format@notes');
  expect(outcome).toBe('inconclusive');
  expect(cause?.values?.[0]).toBe('"plain"');
  expect(reason).toContain('The key for "bearer" opens it');
});
