import { type Answer, type Asked, judgeDocument, unauthorized } from '../support/document-server.js';
import { documentOf, withFiles } from '../support/documents.js';
import { expect, test } from '../support/test.js';

/** Values that the document chooses for all identities, and that may be of one account. */

const keys = {
  ADA_KEY: 'ada-key-3e9d04b7c1a8526f',
  BO_KEY: 'bo-key-b80f6d2e9417c35a',
  CY_KEY: 'cy-key-51ce07d9ba3f4826',
};
const identities = `
- { name: ada, keys: { key: { variable: ADA_KEY } }, scopes: [buyer] }
- { name: bo, keys: { key: { variable: BO_KEY } }, scopes: [buyer] }
- { name: cy, keys: { key: { variable: CY_KEY } }, scopes: [] }
`;
const responses = { default: { description: '-' } };
const documentWith = (schema: object): object =>
  documentOf({
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    paths: {
      '/orders': {
        get: {
          operationId: 'orders',
          security: [{ key: ['buyer'] }],
          responses,
          parameters: [{ name: 'account', in: 'query', required: true, schema: { type: 'string', ...schema } }],
        },
      },
      '/me': { get: { operationId: 'me', security: [{ key: [] }], responses } },
    },
  });

const forbidden: Answer = { status: 403, body: { error: 'not for you' } };

/** Orders open to their account alone: ada's by the example of the document. */
const serve = ({ path, headers, query }: Asked): Answer => {
  const holder = ['ada', 'bo', 'cy'].find((name) => headers.authorization?.startsWith(`Bearer ${name}-key`));
  if (holder === undefined) return unauthorized;
  if (path === '/me') return { status: 200, body: { id: `ac-${holder}-40917`, name: holder, joined: '2024-02-11' } };
  if (path !== '/orders') return { status: 404, body: { error: 'nothing there' } };
  if (holder === 'cy' || query.get('account') !== holder) return forbidden;
  return { status: 200, body: [0, 1, 2].map((at) => ({ id: `or-${at}d4e8f1`, total: 10_431 + at * 977 })) };
};

const judged = (schema: object) =>
  withFiles({ 'identities.yaml': identities }, (path) =>
    judgeDocument(documentWith(schema), serve, {
      settings: { ...keys, IDENTITIES: path('identities.yaml') },
      only: ['refuses-missing-key', 'AUTH-5', 'AUTH-6'],
    }),
  );

test('a holder who is refused the account of an example is not said to lack what it holds', async () => {
  const { outcome, reason } = (await judged({ example: 'ada' })).check('opens-to-stated-scopes@orders');
  expect(outcome, reason).toBe('inconclusive');
  expect(reason).toContain('or the value of account be of another account');
});

test('a holder who is refused a fixed value is refused by its role', async () => {
  const { outcome, reason } = (await judged({ enum: ['ada'] })).check('opens-to-stated-scopes@orders');
  expect(outcome, reason).toBe('failed');
});

test('who lacks the scope may be refused for the account of an example, and a note says so', async () => {
  const { outcome, note } = (await judged({ example: 'ada' })).check('refuses-other-scopes@orders');
  expect(outcome).toBe('passed');
  expect(note).toContain('All were asked for one value of account');
});
