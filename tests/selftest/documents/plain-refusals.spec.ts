import { type Answer, judgeDocument, newKey, things } from '../support/document-server.js';
import { documentOf } from '../support/documents.js';
import { withPlainServer } from '../support/plain-server.js';
import { expect, inCi, test } from '../support/test.js';

/** HTTPS-2 where the server in front of the API asks for the key, at every path and in a text. */

const key = newKey();
const read = { get: { security: [{ key: [] }], responses: { '200': { description: '-' } } } };
const document = documentOf({
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: { '/things': read, '/orders': read },
});
const asksForKey: Answer = {
  status: 401,
  type: 'text/plain',
  body: 'Unauthorized',
  headers: { 'www-authenticate': 'Bearer' },
};

/** @param redirects whether plain HTTP redirects a path */
const judge = (redirects: (path: string) => boolean) =>
  withPlainServer(
    ({ url = '/' }, response) => {
      if (redirects(url.replace(/\?.*/, ''))) response.writeHead(308, { location: `https://127.0.0.1${url}` }).end();
      else response.writeHead(401, { 'content-type': 'text/plain', 'www-authenticate': 'Bearer' }).end('Unauthorized');
    },
    (origin) =>
      judgeDocument(
        document,
        ({ path, headers }): Answer =>
          headers.authorization !== `Bearer ${key}`
            ? asksForKey
            : ['/things', '/orders'].includes(path)
              ? { status: 200, body: things }
              : { status: 404 },
        { settings: { API_KEY: key, HTTP_BASE_URL: origin }, only: ['HTTPS-2'] },
      ),
  );

test('plain HTTP that asks for the key at one path, and redirects the others, fails there', inCi, async () => {
  const { check } = await judge((path) => path !== '/things');
  expect(check('refuses-plain-http@GET /things')).toMatchObject({ outcome: 'failed' });
  expect(check('refuses-plain-http@GET /orders').outcome).toBe('passed');
});

test('plain HTTP that asks for the key at every path, as HTTPS does, is not known to have the API', inCi, async () => {
  const { failedClauses } = await judge(() => false);
  expect(failedClauses).toEqual([]);
});
