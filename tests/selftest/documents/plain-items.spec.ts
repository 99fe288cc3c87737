import { type Answer, judgeDocument, newKey, notFound, unauthorized } from '../support/document-server.js';
import { documentOf } from '../support/documents.js';
import { withPlainServer } from '../support/plain-server.js';
import { expect, inCi, test } from '../support/test.js';

/**
 * HTTPS-2 where the path holds an id that was read from the service: a made-up id is asked for over
 * plain HTTP, and the one that was read never goes there.
 */

const key = newKey();
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
const read = (security: readonly object[], more: object = {}): object => ({
  get: { security, responses: { '200': { description: '-' } }, ...more },
});
const locked = [{ key: [] }];
const document = documentOf({
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/things': read(locked),
    '/things/{id}': { parameters: [id], ...read(locked) },
    '/orders/{number}': { parameters: [{ ...id, name: 'number' }], ...read(locked) },
    '/kinds': read([]),
    '/kinds/{id}': { parameters: [id], ...read([]) },
  },
});

const rows = [7351, 7352].map((number) => ({
  id: number,
  name: `thing ${number}`,
  added: `2024-03-1${number % 10}T07:45:10Z`,
  note: `kept at shelf ${number * 37}`,
}));
const kinds = [8461, 8462].map((number) => ({
  id: number,
  label: `kind ${number}`,
  added: '2021-01-01',
  code: `k-${number}`,
}));

const oneOf = (list: readonly { readonly id: number }[], number: string): Answer => {
  const body = list.find((each) => String(each.id) === number);
  return body ? { status: 200, body } : notFound;
};

/** @param hides what is there from requests without a key */
const api = (path: string, authorization = '', hides = false): Answer => {
  const [, noun, number] = path.split('/');
  if (noun === 'kinds') return number === undefined ? { status: 200, body: kinds } : oneOf(kinds, number);
  if (noun !== 'things' && noun !== 'orders') return { status: 404, body: { message: 'No such route.' } };
  if (authorization !== `Bearer ${key}`)
    return hides ? { status: 404, body: { message: 'No such route.' } } : unauthorized;
  return number === undefined && noun === 'things' ? { status: 200, body: rows } : oneOf(rows, number ?? '');
};

const judged = async (plain: (path: string) => Answer, { hides = false } = {}) => {
  const seen: string[] = [];
  const run = await withPlainServer(
    ({ url = '/' }, response) => {
      seen.push(url);
      const { status, body, headers = {} } = plain(url.replace(/\?.*/, ''));
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body ?? {}));
    },
    (origin) =>
      judgeDocument(document, ({ path, headers }) => api(path, headers.authorization, hides), {
        settings: { API_KEY: key, HTTP_BASE_URL: origin },
        only: ['HTTPS-2', 'AUTH-3', 'AUTH-4'],
      }),
  );
  expect(seen.filter((url) => /\b(?:735[12]|846[12])\b/.test(decodeURIComponent(url)))).toEqual([]);
  return { ...run, seen, item: run.check('refuses-plain-http@GET /things/{id}') };
};

test('an item that the API itself refuses over plain HTTP fails, though its list is redirected', inCi, async () => {
  const toHttps: Answer = { status: 301, headers: { location: 'https://127.0.0.1/' } };
  const run = await judged((path) =>
    /^\/(?:things|orders)\/./.test(path) ? api(path) : path === '/things' ? toHttps : notFound,
  );
  expect(run.item).toMatchObject({ outcome: 'failed', cause: { id: 'served-over-plain-http' } });
  expect(run.seen.some((url) => /^\/things\/\d+$/.test(url))).toBe(true);
  // Nothing there has a number that could be read, so that one is made up over HTTPS too.
  expect(run.check('refuses-plain-http@GET /orders/{number}').outcome).toBe('failed');
  expect(run.check('refuses-plain-http@GET /things').outcome).toBe('passed');
});

test('an item that plain HTTP gives nothing of passes, and the reason names the made-up value', inCi, async () => {
  const { item, check, results } = await judged(() => notFound);
  expect(item.outcome).toBe('passed');
  expect(item.reason).toContain('the value for id is made up');
  expect(check('refuses-plain-http@GET /kinds/{id}')).toMatchObject({
    outcome: 'excluded',
    reason: expect.stringContaining('no made-up value'),
  });
  expect(results.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
});

test('a made-up value shows nothing where HTTPS refuses as if nothing were there', inCi, async () => {
  const { item } = await judged(() => ({ status: 404, body: { message: 'No such route.' } }), { hides: true });
  expect(item).toMatchObject({ outcome: 'excluded', reason: expect.stringContaining('is made up') });
});
