import { type Answer, type Asked, judgeDocument, notFound, unauthorized } from '../support/document-server.js';
import { documentOf, withFiles } from '../support/documents.js';
import { expect, inCi, test } from '../support/test.js';

/** Items below an account in the path: /tenants/{tenant}/orders/{order}. */

const keys = { ADA_KEY: 'ada-key-3e9d04b7c1a8526f', BO_KEY: 'bo-key-b80f6d2e9417c35a' };
const identities = `
- { name: ada, keys: { key: { variable: ADA_KEY } }, peers: [bo], owns: ada }
- { name: bo, keys: { key: { variable: BO_KEY } }, peers: [ada], owns: bo }
`;

const responses = { default: { description: '-' } };
const security = [{ key: [] }];
const parameter = (name: string): object => ({ name, in: 'path', required: true, schema: { type: 'string' } });
const read = (operationId: string, ...parameters: readonly string[]): object => ({
  get: { operationId, security, responses, 'x-access-owned': true, parameters: parameters.map(parameter) },
});
const document = documentOf({
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/tenants': read('tenants'),
    '/tenants/{tenant}/orders': { 'x-access-owner': '/account', ...read('orders', 'tenant') },
    '/tenants/{tenant}/orders/{order}': { 'x-access-owner': '/account', ...read('order', 'tenant', 'order') },
  },
});

interface Order {
  readonly id: string;
  readonly tenant: string;
  readonly account: string;
  readonly total: number;
}

const tenants: Readonly<Record<string, string>> = { 'tn-7f3a91': keys.ADA_KEY, 'tn-c05e28': keys.BO_KEY };
const orders: readonly Order[] = Object.keys(tenants).flatMap((tenant, index) =>
  [0, 1, 2].map((at) => ({
    id: `or-${index}${at}d4e8f1`,
    tenant,
    account: index === 0 ? 'ada' : 'bo',
    total: 10_431 + index * 977 + at * 53,
  })),
);

type Has = (order: Order, tenant: string, named?: string | null) => boolean;
const own: Has = (order, tenant) => order.tenant === tenant;

/**
 * @param isOf whether an order is looked up in a tenant
 * @param isListed whether an order stands in the list of a tenant
 */
const serve =
  (isOf: Has, isListed: Has) =>
  ({ path, headers, query }: Asked): Answer => {
    const key = headers.authorization?.replace('Bearer ', '');
    if (!Object.values(tenants).some((own) => own === key)) return unauthorized;
    const [, , tenant, list, id] = path.split('/');
    if (tenant === undefined) {
      if (path !== '/tenants') return notFound;
      const theirs = Object.keys(tenants).filter((name) => tenants[name] === key);
      return { status: 200, body: { items: theirs.map((name) => ({ id: name, name: `Tenant ${name}` })) } };
    }
    if (tenants[tenant] !== key || list !== 'orders') return notFound;
    const isInList = (order: Order): boolean => isListed(order, tenant, query.get('account'));
    if (id === undefined) return { status: 200, body: { items: orders.filter(isInList) } };
    const found = orders.find((order) => order.id === id && isOf(order, tenant));
    return found ? { status: 200, body: found } : notFound;
  };

const judged = ({ isOf = own, isListed = own }: { readonly isOf?: Has; readonly isListed?: Has }) =>
  withFiles({ 'identities.yaml': identities }, (path) =>
    judgeDocument(document, serve(isOf, isListed), {
      settings: { ...keys, IDENTITIES: path('identities.yaml') },
      only: ['refuses-missing-key', 'AUTH-5', 'AUTH-6'],
    }),
  );

test('an item that is looked up by its id alone, below a tenant that is checked, is failed', async () => {
  const run = await judged({ isOf: () => true });
  const { outcome, reason } = run.check('keeps-items-apart@order');
  expect(outcome, reason).toBe('failed');
  expect(reason).toContain('below its own');
  expect(run.failedClauses).toEqual(['AUTH-6']);
});

test('one that is looked up in its tenant is kept', inCi, async () => {
  const run = await judged({});
  for (const id of ['keeps-items-apart@order', 'keeps-items-apart@orders']) {
    const { outcome, reason } = run.check(id);
    expect(outcome, reason).toBe('passed');
  }
  expect(run.failedClauses).toEqual([]);
});

test('a list below a tenant that is checked, with the orders of all tenants, is failed', inCi, async () => {
  const run = await judged({ isListed: () => true });
  const { outcome, reason } = run.check('keeps-items-apart@orders');
  expect(outcome, reason).toBe('failed');
  expect(reason).toMatch(/gets \d rows of (?:ada|bo)/);
  expect(run.failedClauses).toEqual(['AUTH-6']);
});

test('one order of another account in a list below a tenant is enough', inCi, async () => {
  const run = await judged({ isListed: (order, tenant) => own(order, tenant) || order === orders[0] });
  expect(run.check('keeps-items-apart@orders').reason).toContain('gets a row of ada');
});

test('a list below a tenant that is checked, with the orders of the account that is named, is failed', async () => {
  const run = await judged({
    isListed: (order, tenant, named) => (named ? order.account === named : own(order, tenant)),
  });
  const { outcome, reason } = run.check('keeps-items-apart@orders');
  expect(outcome, reason).toBe('failed');
  expect(reason).toContain('ada gets rows of bo by a request that names bo in ?account=');
});
