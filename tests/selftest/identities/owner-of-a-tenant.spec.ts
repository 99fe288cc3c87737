import { type Answer, type Asked, judgeDocument, notFound, unauthorized } from '../support/document-server.js';
import { documentOf, withFiles } from '../support/documents.js';
import { expect, inCi, test } from '../support/test.js';

/** Items that name no owner, below a tenant: its row in the list of tenants names one. */

const keys = { ADA_KEY: 'ada-key-3e9d04b7c1a8526f', BO_KEY: 'bo-key-b80f6d2e9417c35a' };
const identities = `
- { name: ada, keys: { key: { variable: ADA_KEY } }, peers: [bo], owns: ada }
- { name: bo, keys: { key: { variable: BO_KEY } }, peers: [ada], owns: bo }
`;

const security = [{ key: [] }];
const responses = { default: { description: '-' } };
const parameters = [{ name: 'tenant', in: 'path', required: true, schema: { type: 'string' } }];
const documentWith = (list: object): object =>
  documentOf({
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    paths: {
      '/tenants': { get: { operationId: 'tenants', security, responses, ...list } },
      '/tenants/{tenant}/orders': {
        get: { operationId: 'orders', security, responses, parameters, 'x-access-owned': true },
      },
    },
  });

/** All tenants have the same limits, as they are set at the start. */
const tenantOf = (account: string) => ({ id: `tn-${account}-7f3a`, account, requests: 86_400, storage: 36_000 });
const ordersOf = (account: string) =>
  [0, 1, 2].map((at) => ({ id: `or-${account}${at}d4e8f1`, total: account.length * 10_431 + at * 977 }));

const serve =
  (isChecked: boolean) =>
  ({ path, headers }: Asked): Answer => {
    const holder = ['ada', 'bo'].find(
      (name) => headers.authorization === `Bearer ${name === 'ada' ? keys.ADA_KEY : keys.BO_KEY}`,
    );
    if (holder === undefined) return unauthorized;
    if (path === '/tenants') return { status: 200, body: [tenantOf(holder)] };
    const asked = ['ada', 'bo'].find((name) => path === `/tenants/${tenantOf(name).id}/orders`);
    return asked === undefined || (isChecked && asked !== holder) ? notFound : { status: 200, body: ordersOf(asked) };
  };

const judged = (list: object, isChecked: boolean) =>
  withFiles({ 'identities.yaml': identities }, (path) =>
    judgeDocument(documentWith(list), serve(isChecked), {
      settings: { ...keys, IDENTITIES: path('identities.yaml') },
      only: ['refuses-missing-key', 'AUTH-5', 'AUTH-6'],
    }),
  );

test('a tenant that is not checked is failed, where the list of tenants says whose each is', inCi, async () => {
  const named = await judged({ 'x-access-owner': '/account' }, false);
  const { outcome, reason } = named.check('keeps-items-apart@orders');
  expect(outcome, reason).toBe('failed');
  expect(named.failedClauses).toEqual(['AUTH-6']);
  const unnamed = await judged({}, false);
  expect(unnamed.check('keeps-items-apart@orders').outcome).toBe('inconclusive');
});

test('a tenant that is checked is kept', async () => {
  const { outcome, reason } = (await judged({ 'x-access-owner': '/account' }, true)).check('keeps-items-apart@orders');
  expect(outcome, reason).toBe('passed');
});
