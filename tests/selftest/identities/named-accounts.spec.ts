import { curlLine } from '../../../src/engine/curl-line.js';
import { type Answer, type Asked, judgeDocument, unauthorized } from '../support/document-server.js';
import { documentOf, withFiles } from '../support/documents.js';
import { expect, test } from '../support/test.js';

/** Requests that name another account beside the path. */

const keys = { ADA_KEY: 'ada-key-3e9d04b7c1a8526f', BO_KEY: 'bo-key-b80f6d2e9417c35a' };
const mail = (name: string): string => `${name}@orchard.example`;
const identities = ['ada', 'bo']
  .map(
    (name, at) =>
      `- { name: ${name}, keys: { key: { variable: ${name.toUpperCase()}_KEY } }, peers: [${at === 0 ? 'bo' : 'ada'}], owns: ${mail(name)} }`,
  )
  .join('\n');

const document = documentOf({
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/orders': {
      get: {
        operationId: 'orders',
        security: [{ key: [] }],
        responses: { default: { description: '-' } },
        parameters: ['customerEmail', 'sort'].map((name) => ({ name, in: 'query', schema: { type: 'string' } })),
        'x-access-owned': true,
        'x-access-owner': '/customer/email',
      },
    },
  },
});

const ordersOf = (name: string) =>
  [0, 1, 2].map((at) => ({
    id: `or-${name}${at}d4e8f1`,
    customer: { email: mail(name) },
    total: name.length * 10_431 + at * 977,
  }));

/** @param find whose orders a request gets that names an account */
const judged = (find: (holder: string, named: string) => string) =>
  withFiles({ 'identities.yaml': identities }, (path) =>
    judgeDocument(
      document,
      ({ path: asked, headers, query }: Asked): Answer => {
        const holder = ['ada', 'bo'].find(
          (name) => headers.authorization === `Bearer ${keys[`${name.toUpperCase()}_KEY` as keyof typeof keys]}`,
        );
        if (holder === undefined) return unauthorized;
        if (asked !== '/orders') return { status: 404, body: { error: 'nothing there' } };
        const unknown = [...query.keys()].filter((name) => !['customerEmail', 'sort'].includes(name));
        if (unknown.length > 0) return { status: 400, body: { unknown, of: query.get('customerEmail') } };
        const named = query.get('customerEmail');
        return { status: 200, body: ordersOf(named === null ? holder : find(holder, named)) };
      },
      { settings: { ...keys, IDENTITIES: path('identities.yaml') }, only: ['refuses-missing-key', 'AUTH-5', 'AUTH-6'] },
    ),
  );

test('a documented parameter that names another account, where all others are refused', async () => {
  const run = await judged((_holder, named) => named.replace(/@.*/, ''));
  expect(run.failedClauses).toEqual(['AUTH-6']);
  const check = run.check('keeps-lists-apart@orders');
  expect(check.reason).toContain('ada gets rows of bo by a request that names bo in ?customerEmail=');
  const shown = run.exchanges.find(({ id }) => id === check.exchanges[0]);
  expect(shown && curlLine(shown)).toMatch(/\?customerEmail=\$\{ID_OF_BO:\?\}"; :/);
  expect(shown && curlLine(shown)).toContain('$ID_OF_BO is what owns in IDENTITIES says of bo');
  const written = JSON.stringify([run.results, run.exchanges]);
  for (const name of ['ada', 'bo'])
    for (const form of [mail(name), encodeURIComponent(mail(name))]) expect(written).not.toContain(form);
});

test('a parameter that chooses among the rows of the account is no fault', async () => {
  const { outcome, reason } = (await judged((holder) => holder)).check('keeps-lists-apart@orders');
  expect(outcome, reason).toBe('passed');
});
