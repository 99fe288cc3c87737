import { type Answer, type Asked, judgeDocument, unauthorized } from '../support/document-server.js';
import { documentOf, withFiles } from '../support/documents.js';
import { expect, inCi, test } from '../support/test.js';

/** Required parameters that name the account whose key asks: `owns` in IDENTITIES is their value. */

const keys = { ADA_KEY: 'ada-key-3e9d04b7c1a8526f', BO_KEY: 'bo-key-b80f6d2e9417c35a' };
const accounts = { ada: 4_171, bo: 4_172 };
type Name = keyof typeof accounts;
const names = ['ada', 'bo'] as const;

const identitiesWith = (owns: (name: Name) => string): string =>
  names
    .map(
      (name) =>
        `- { name: ${name}, keys: { key: { variable: ${name.toUpperCase()}_KEY } }, peers: [${name === 'ada' ? 'bo' : 'ada'}], owns: ${owns(name)} }`,
    )
    .join('\n');

const owned = (operationId: string, parameters: readonly (readonly [name: string, place: string])[]) => ({
  get: {
    operationId,
    security: [{ key: [] }],
    responses: { default: { description: '-' } },
    parameters: parameters.map(([name, place]) => ({ name, in: place, required: true, schema: { type: 'integer' } })),
    'x-access-owned': true,
    'x-access-owner': '/user_id',
  },
});
const listUsers = { get: { ...owned('listUsers', []).get, 'x-access-owned': undefined, 'x-access-owner': undefined } };
const paths = {
  '/workouts': owned('byQuery', [['user_id', 'query']]),
  '/users/{id}/workouts': owned('byPath', [['id', 'path']]),
  '/users/{id}/workouts/{workout}': owned('nested', [
    ['id', 'path'],
    ['workout', 'path'],
  ]),
};

const rowsOf = (name: Name) =>
  [0, 1, 2].map((at) => ({
    id: accounts[name] * 100 + at,
    user_id: accounts[name],
    minutes: accounts[name] * 31 + at * 1_297,
    note: `evening run number ${at * 77 + accounts[name]}`,
  }));

/** What a request gets that names an account: its rows, those of the holder, none, or a refusal. */
type Way = 'named' | 'holder' | 'none' | 'refused';

const judged = (way: Way, owns = (name: Name): string => String(accounts[name]), more: object = {}) =>
  withFiles({ 'identities.yaml': identitiesWith(owns) }, (path) =>
    judgeDocument(
      documentOf({
        components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
        paths: { ...paths, ...more },
      }),
      ({ path: asked, headers, query }: Asked): Answer => {
        const missing: Answer = { status: 404, body: { error: 'nothing there' } };
        const holder = names.find(
          (name) => headers.authorization === `Bearer ${keys[`${name.toUpperCase()}_KEY` as keyof typeof keys]}`,
        );
        const [, inPath, workout] = /^\/users\/([^/]+)\/workouts(?:\/([^/]+))?$/.exec(asked) ?? [];
        if (asked === '/users' && holder)
          return { status: 200, body: names.map((name) => ({ id: accounts[name], name })) };
        if (inPath === undefined && asked !== '/workouts')
          return holder ? missing : asked === '/users' ? unauthorized : missing;
        if (!holder) return unauthorized;
        const account = Number(inPath ?? query.get('user_id'));
        if (!Number.isInteger(account)) return { status: 422, body: { error: 'no number' } };
        const named = names.find((name) => accounts[name] === account);
        if (named !== holder && way === 'refused') return { status: 403, body: { error: 'another account' } };
        const rows =
          named === holder || way === 'holder' ? rowsOf(holder) : way === 'named' && named ? rowsOf(named) : [];
        if (workout === undefined) return { status: 200, body: rows };
        const row = rows.find(({ id }) => String(id) === workout);
        return row ? { status: 200, body: row } : missing;
      },
      { settings: { ...keys, IDENTITIES: path('identities.yaml') }, only: ['refuses-missing-key', 'AUTH-5', 'AUTH-6'] },
    ),
  );

const operations = ['byQuery', 'byPath', 'nested'];

const ways = {
  'that refuses other accounts': 'refused',
  'that gives the holder its own rows, whatever is named': 'holder',
  'that gives no rows of other accounts': 'none',
} as const;
for (const [name, way] of Object.entries(ways))
  test(`a service ${name} keeps accounts apart`, inCi, async () => {
    const run = await judged(way);
    for (const operation of operations) {
      const { outcome, reason } = run.check(`keeps-items-apart@${operation}`);
      expect(outcome, `${operation}: ${reason}`).toBe('passed');
      expect(run.check(`refuses-missing-key@${operation}`).outcome).toBe('passed');
    }
    expect(run.results.coverage.judged).toBe(3);
  });

test('a service that gives what is named breaks AUTH-6, and its requests name no account', async () => {
  const run = await judged('named');
  expect(run.failedClauses).toEqual(['AUTH-6']);
  for (const operation of operations)
    expect(run.check(`keeps-items-apart@${operation}`).reason).toContain('the key of bo gets what belongs to ada');
  const targets = run.exchanges.map(({ request }) => request.url);
  for (const name of names) expect(targets.join(' ')).not.toMatch(new RegExp(`\\b${accounts[name]}\\b`));
  expect(targets).toContainEqual(expect.stringContaining('/workouts?user_id=<ID_OF_ADA>'));
});

test('where owns is no value of the parameter, lists give it', inCi, async () => {
  const run = await judged('refused', (name) => `${name}@orchard.example`, { '/users': listUsers });
  expect(run.results.recording.values?.filled.byPath).toEqual({ id: '<ID_2>' });
  expect(run.results.coverage.judged).toBe(4);
});
