import { type Asked, type Handler, judgeDocument, newKey, notFound, unauthorized } from '../support/document-server.js';
import { operationOf } from '../support/documents.js';
import { expect, test } from '../support/test.js';

/** A list and its items, which hold the same record in their refusals. */

const key = newKey();
const rows = ['2023-03-05', '2023-04-17', '2023-06-29'].map((day, at) => ({
  id: 73_911 + at * 37,
  day,
  note: `Leg day ${at}, with ${at} friends`,
}));
const tags = [{ id: 91_101, made: '2021-01-07' }];
const frame = { instance: '0f7c1f2e-3b1d-4a55-9d0e-5a3d1d0b7c11', started: '2024-02-03T04:05:06Z' };

const given = (path: string): unknown =>
  path === '/tags' ? tags : path === '/things' ? rows : rows.find(({ id }) => path === `/things/${id}`);

const failedAt = async (refusal: (asked: Asked) => object, framed: (body: unknown) => unknown = (body) => body) => {
  const handler: Handler = (asked) => {
    const body = given(asked.path);
    if (body === undefined) return { ...notFound, body: framed(notFound.body) };
    return asked.headers['x-api-key'] === key
      ? { status: 200, body: framed(body) }
      : { status: 401, body: refusal(asked) };
  };
  const security = [{ key: [] }];
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-API-Key' } } },
    paths: {
      '/things': { get: operationOf({ operationId: 'listThings', security }) },
      '/things/{id}': { get: operationOf({ operationId: 'readThing', security, parameters: [id] }) },
      '/tags': { get: operationOf({ operationId: 'listTags', security }) },
    },
  };
  const { results } = await judgeDocument(document, handler, { settings: { API_KEY: key } });
  return results.checks.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);
};

test('is accused at both', async () => {
  const failed = await failedAt(({ path }) => ({
    detail: 'No key.',
    ...(path === '/tags' ? {} : { debug: given(path) }),
  }));
  expect(failed.filter((id) => id.startsWith('refuses-missing-key')).sort()).toEqual([
    'refuses-missing-key@listThings',
    'refuses-missing-key@readThing',
  ]);
});

test('is not accused for what the service puts into every answer', async () => {
  const framed = (body: unknown): object => ({ frame, body });
  expect(await failedAt(() => framed(unauthorized.body), framed)).toEqual([]);
});
