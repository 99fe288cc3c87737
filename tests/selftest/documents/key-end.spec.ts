import { loadContract } from '../../../src/contract/load.js';
import { judgeAgain } from '../../../src/engine/judge-again.js';
import { type Answer, judgeDocument, newKey, notFound, things, unauthorized } from '../support/document-server.js';
import { documentOf, withFiles } from '../support/documents.js';
import { expect, test } from '../support/test.js';

/** A key that ends in the middle of a run. */

const names = ['things', 'parts', 'tools', 'boxes'];
const document = documentOf({
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: Object.fromEntries(
    names.map((name) => [
      `/${name}`,
      { get: { operationId: name, security: [{ key: [] }], responses: { '200': { description: '-' } } } },
    ]),
  ),
});

for (const [how, refusal] of [
  ['is refused with 401', unauthorized],
  ['gets 404, as a path that does not exist', notFound],
] as const)
  test(`a key that ends in the middle and then ${how}: one cause, nothing failed, nothing more asked`, async () => {
    const key = newKey();
    const lasts = 14;
    let opened = 0;
    const run = await judgeDocument(
      document,
      ({ path, headers }): Answer => {
        if (!names.includes(path.slice(1))) return notFound;
        if (headers.authorization !== `Bearer ${key}`) return refusal;
        opened += 1;
        return opened > lasts ? refusal : { status: 200, body: things };
      },
      { settings: { API_KEY: key, PROBES: 'standard' } },
    );
    expect(run.results.verdict).toBe('incomplete');
    expect(run.failedClauses).toEqual([]);
    const ended = run.results.causes?.filter(({ id }) => id.startsWith('key-ended')) ?? [];
    expect(ended).toHaveLength(1);
    expect(ended[0]?.title).toMatch(/^The key ended at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \(API_KEY\)$/);
    expect(run.results.causes?.map(({ id }) => id)).toEqual([ended[0]?.id]);
    expect(opened - lasts).toBeLessThan(lasts);
    await withFiles({ 'openapi.yaml': document }, async (path) => {
      const { changes } = await judgeAgain(
        {
          results: run.results,
          async *exchanges() {
            yield* run.exchanges;
          },
          dispose: async () => {},
        },
        await loadContract(path('openapi.yaml'), { keys: ['API_KEY'] }),
      );
      expect(changes).toEqual([]);
    });
  });

test('what opens without any key is broken, also where the key ends later', async () => {
  const key = newKey();
  let opened = 0;
  const run = await judgeDocument(
    document,
    ({ path, headers }): Answer => {
      if (!names.includes(path.slice(1))) return notFound;
      if (path === '/parts') return { status: 200, body: things };
      if (headers.authorization !== `Bearer ${key}`) return unauthorized;
      opened += 1;
      return opened > 10 ? unauthorized : { status: 200, body: things };
    },
    { settings: { API_KEY: key, PROBES: 'standard' } },
  );
  expect(run.check('refuses-missing-key@parts').outcome).toBe('failed');
  expect(run.results.verdict).toBe('non-conformant');
});
