import { type Answer, judgeDocument, newKey, notFound, things, unauthorized } from '../support/document-server.js';
import { documentOf } from '../support/documents.js';
import { expect, test } from '../support/test.js';

/** The size of a page is told wherever its list is. */

const document = documentOf({
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/things': {
      get: { operationId: 'listThings', security: [{ key: [] }], responses: { '200': { description: '-' } } },
    },
  },
});

const [first, second] = things.results;

for (const [what, body, said] of [
  ['in a member', things, 'Its list /results came with 3 items.'],
  ['the whole body', things.results, 'Its list came with 3 items.'],
  ['the whole body, and empty', [], 'Its list came with 0 items.'],
  ['longer than what is kept of it', Array.from({ length: 60 }, () => first), 'Its list came with 60 items.'],
  ['none, but a record of two alike', { first, second }, undefined],
] as const)
  test(`a list that is ${what}`, async () => {
    const key = newKey();
    const { results } = await judgeDocument(
      document,
      ({ path, headers }): Answer => {
        if (path !== '/things') return notFound;
        return headers.authorization === `Bearer ${key}` ? { status: 200, body } : unauthorized;
      },
      { only: ['observes-limits'], settings: { API_KEY: key } },
    );
    const facts = results.gaps.flatMap(({ id, observations }) =>
      id === 'GAP-LIMITS' ? observations.map(({ fact }) => fact) : [],
    );
    expect(facts.filter((fact) => fact.startsWith('Its list'))).toEqual(said === undefined ? [] : [said]);
  });
