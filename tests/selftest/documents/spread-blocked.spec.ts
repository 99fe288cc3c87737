import { loadContract } from '../../../src/contract/load.js';
import { judgeAgain } from '../../../src/engine/judge-again.js';
import type { Exchange } from '../../../src/wire/types.js';
import { type Answer, judgeDocument, newKey, notFound, things, unauthorized } from '../support/document-server.js';
import { documentOf, withFiles } from '../support/documents.js';
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

test('of a bundle, the part that opened is what the whole gate is tried with', inCi, async () => {
  const run = await judgeDocument(
    document,
    ({ path, query, headers }): Answer => {
      const id = path.replace('/things/', '');
      if (!ids.includes(id)) return notFound;
      if (headers.authorization !== `Bearer ${key}` && query.get('debug') !== 'true') return unauthorized;
      const results = things.results.map((row) => ({ ...row, name: `${row.name} of ${id}` }));
      return { status: 200, body: { ...things, results } };
    },
    { settings: { API_KEY: key, PROBES: 'spread' }, only: ['refuses-proxy-fields', 'refuses-missing-key'] },
  );
  const found = run.results.checks.filter(({ rule }) => rule === 'refuses-proxy-fields');
  expect(found.filter(({ outcome }) => outcome === 'failed')).toHaveLength(ids.length);
  for (const { reason } of found) expect(reason).toContain('?debug=true opens it');
  // Each change of the bundle alone is sent to the first operations only.
  const withTest = run.asked.filter(({ query }) => query.get('test') === 'true' && !query.has('debug'));
  expect(new Set(withTest.map(({ path }) => path)).size).toBeLessThanOrEqual(4);
  await withFiles({ 'openapi.yaml': document }, async (path) => {
    const { changes } = await judgeAgain(
      {
        results: run.results,
        async *exchanges(): AsyncGenerator<Exchange> {
          yield* run.exchanges;
        },
        dispose: async () => {},
      },
      await loadContract(path('openapi.yaml'), { keys: ['API_KEY'] }),
    );
    expect(changes).toEqual([]);
  });
});
