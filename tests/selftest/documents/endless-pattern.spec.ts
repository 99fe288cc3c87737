import { judgeDocument, newKey, notFound } from '../support/document-server.js';
import { documentOf } from '../support/documents.js';
import { expect, inFull, test } from '../support/test.js';

test(
  'a pattern that never ends on a hostile body leaves its check inconclusive, and the run goes on',
  // Ten seconds of a processor; contract/body-checker shows the same with shorter ones.
  inFull,
  async () => {
    test.setTimeout(240_000);
    const responses = {
      200: {
        description: '-',
        content: {
          'application/json': { schema: { type: 'object', properties: { name: { pattern: '^(\\w+\\s?)+$' } } } },
        },
      },
    };
    const document = documentOf({
      paths: {
        '/things/': { get: { operationId: 'listThings', security: [], responses } },
        '/news/': { get: { operationId: 'listNews', security: [], responses } },
      },
    });
    const { check, results } = await judgeDocument(
      document,
      ({ path }) => {
        if (path === '/news/') return { status: 200, body: { name: 'fine' } };
        return path === '/things/' ? { status: 200, body: { name: `${'a'.repeat(80)}!` } } : notFound;
      },
      { settings: { API_KEY: newKey() } },
    );
    const { outcome, reason } = check('documented-body@listThings');
    expect(outcome).toBe('inconclusive');
    expect(reason).toContain('kept its validation busy for more than 10 s');
    expect(check('documented-status@listThings').outcome).toBe('passed');
    expect(results.complete).toBe(true);
  },
);
