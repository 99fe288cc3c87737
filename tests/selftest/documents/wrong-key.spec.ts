import { judgeDocument, newKey, notFound, things, unauthorized } from '../support/document-server.js';
import { documentOf } from '../support/documents.js';
import { expect, inCi, test } from '../support/test.js';

/** A key that opens nothing, at many operations. */

const key = newKey();
const names = Array.from({ length: 6 }, (_, index) => `/api/v2/list${index}/`);
const document = documentOf({
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  security: [{ key: [] }],
  paths: Object.fromEntries(names.map((path) => [path, { get: { responses: { default: { description: 'Any.' } } } }])),
});

for (const [how, refusal] of [
  ['by status', unauthorized],
  ['in a 200', { status: 200, body: { error: 'wrong key' } }],
] as const)
  test(
    `other placements of a key that is refused ${how} are tried at three operations`,
    how === 'by status' ? {} : inCi,
    async () => {
      let asked = 0;
      const { outcomesOf } = await judgeDocument(
        document,
        ({ path, headers }) => {
          if (headers['x-api-key'] === key) asked += 1;
          if (!names.includes(path)) return notFound;
          return headers.authorization === undefined ? unauthorized : refusal;
        },
        { settings: { API_KEY: key, PROBES: 'standard' } },
      );
      expect(asked).toBe(3);
      expect(outcomesOf('takes-documented-format')).toEqual(names.map(() => 'inconclusive'));
    },
  );

test('a placement that the service takes is found at every operation', inCi, async () => {
  const { outcomesOf } = await judgeDocument(
    document,
    ({ path, headers }) => {
      if (!names.includes(path)) return notFound;
      return headers['x-api-key'] === key ? { status: 200, body: things } : unauthorized;
    },
    { settings: { API_KEY: key, PROBES: 'standard' } },
  );
  expect(outcomesOf('takes-key-where-documented')).toEqual(names.map(() => 'failed'));
});
