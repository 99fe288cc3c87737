import { type Answer, judgeDocument, newKey, notFound, things, unauthorized } from '../support/document-server.js';
import { documentOf } from '../support/documents.js';
import { expect, inCi, test } from '../support/test.js';

/** PROBES=spread: the tricks of operations that show nothing go to others of their gate. */

const key = newKey();
const ids = Array.from({ length: 24 }, (_, index) => `list${index}`);
const document = documentOf({
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: Object.fromEntries(
    ids.map((id) => [
      `/things/${id}`,
      { get: { operationId: id, security: [{ key: [] }], responses: { default: { description: '-' } } } },
    ]),
  ),
});

const trick = 'X-Forwarded-For with a loopback address';

/** @param broken ids of operations that answer the key with 500 */
const judged = (broken: ReadonlySet<string>) =>
  judgeDocument(
    document,
    ({ path, headers }): Answer => {
      const id = path.replace('/things/', '');
      if (!ids.includes(id)) return notFound;
      const isOpen = headers['x-forwarded-for'] === '127.0.0.1' && broken.size > 0;
      if (headers.authorization !== `Bearer ${key}` && !isOpen) return unauthorized;
      return broken.has(id)
        ? { status: 500, body: { detail: 'no' } }
        : {
            status: 200,
            body: { ...things, results: things.results.map((row) => ({ ...row, name: `${row.name} of ${id}` })) },
          };
    },
    { settings: { API_KEY: key, PROBES: 'spread' }, only: ['refuses-proxy-fields', 'refuses-missing-key'] },
  );

test('a trick whose operations all answer the key with 500 is tried at others of the gate', inCi, async () => {
  const first = await judged(new Set());
  const tried = first.results.checks.filter((check) => check.tried?.tricks.includes(trick));
  expect(tried).toHaveLength(3);
  expect(first.results.verdict).toBe('conformant');
  const second = await judged(new Set(tried.map(({ operation }) => operation)));
  const failed = second.results.checks.filter(({ outcome }) => outcome === 'failed');
  expect(failed.map(({ rule }) => rule)).toContain('refuses-proxy-fields');
  expect(failed.length).toBeGreaterThan(10);
});
