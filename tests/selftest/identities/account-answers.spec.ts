import { type Answer, type Asked, judgeDocument, notFound, unauthorized } from '../support/document-server.js';
import { documentOf, withFiles } from '../support/documents.js';
import { expect, inCi, test } from '../support/test.js';

/** Parameters that name an account by any name, and answers whose rows name no owner. */

const keys = { ADA_KEY: 'ada-key-3e9d04b7c1a8526f', BO_KEY: 'bo-key-b80f6d2e9417c35a' };
const names = ['ada', 'bo'] as const;
type Name = (typeof names)[number];
const uuids = { ada: '5d0c7a31-94e8-4b6f-a2d7-6b1e3f8c9042', bo: 'e83b1f64-07ad-4c59-8f12-d94a60b7c3e5' };
const realms = { ada: 'north-hall', bo: 'south-hall' };

const rowsOf = (name: Name) =>
  (name === 'ada' ? [1, 2] : [1, 2, 3]).map((at) => ({
    id: `${name}-run-${at * 7919}`,
    metres: (name === 'ada' ? 41_377 : 52_893) * at,
    note: `evening run ${at * 77} of the ${name === 'ada' ? 'ember' : 'fjord'} round`,
  }));

interface Documented {
  readonly parameters: readonly object[];
  readonly types?: readonly string[];
  readonly owner?: string;
}

interface Service extends Documented {
  readonly path: string;
  readonly accounts: Readonly<Record<Name, string>>;
  /** What a request gets that names an account; `undefined` for a path that leads nowhere. */
  readonly give: (holder: Name, named: Name | undefined, asked: Asked) => Answer | undefined;
  readonly named: (asked: Asked) => string | undefined;
  readonly more?: object;
}

const operationFor = ({ parameters, owner, types = ['application/json'] }: Documented, operationId: string) => ({
  get: {
    operationId,
    security: [{ key: [] }],
    parameters,
    responses: { 200: { description: '-', content: Object.fromEntries(types.map((type) => [type, {}])) } },
    'x-access-owned': true,
    ...(owner === undefined ? {} : { 'x-access-owner': owner }),
  },
});

const judged = (service: Service) =>
  withFiles(
    {
      'identities.yaml': JSON.stringify(
        names.map((name) => ({
          name,
          keys: { key: { variable: `${name.toUpperCase()}_KEY` } },
          peers: names.filter((other) => other !== name),
          owns: service.accounts[name],
        })),
      ),
    },
    (path) =>
      judgeDocument(
        documentOf({
          components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
          paths: { [service.path]: operationFor(service, 'runs'), ...service.more },
        }),
        (asked) => {
          const holder = names.find(
            (name) => asked.headers.authorization === `Bearer ${keys[name === 'ada' ? 'ADA_KEY' : 'BO_KEY']}`,
          );
          const account = service.named(asked);
          const named = names.find((name) => service.accounts[name] === account);
          if (!holder) return account === undefined ? notFound : unauthorized;
          return (account === undefined ? undefined : service.give(holder, named, asked)) ?? notFound;
        },
        {
          settings: { ...keys, IDENTITIES: path('identities.yaml') },
          only: ['refuses-missing-key', 'AUTH-5', 'AUTH-6'],
        },
      ),
  );

const parameter = (name: string, place: string, more: object = {}): object => ({
  name,
  in: place,
  required: true,
  schema: { type: 'string' },
  ...more,
});

const inPath =
  (collection: string) =>
  ({ path }: Asked): string | undefined =>
    new RegExp(`^/${collection}/([^/]+)/runs(?:/[^/]+)?$`).exec(path)?.[1];

const byRealm = {
  path: '/realms/{realm}/runs',
  parameters: [parameter('realm', 'path')],
  accounts: realms,
  named: inPath('realms'),
};
const refusal: Answer = { status: 403, body: { error: 'another account' } };
const json = (body: unknown): Answer => ({ status: 200, body });

test('a parameter of any name gets what owns says, where no list has a value for it', async () => {
  for (const service of [
    byRealm,
    { ...byRealm, path: '/runs', parameters: [parameter('patient', 'query')], named: byQuery },
  ]) {
    const run = await judged({
      ...service,
      give: (holder, named) => (named === holder ? json(rowsOf(holder)) : refusal),
    });
    expect(run.check('keeps-items-apart@runs').outcome).toBe('passed');
    expect(run.check('refuses-missing-key@runs').outcome).toBe('passed');
  }
});

const byQuery = ({ path, query }: Asked): string | undefined =>
  path === '/runs' ? (query.get('patient') ?? '') : undefined;

const parts = {
  'all that the account gives': (_holder: Name, named: Name) => rowsOf(named),
  'a public part of the account': (holder: Name, named: Name) => rowsOf(named).slice(0, named === holder ? 9 : 1),
  'a row of the account beside its own': (holder: Name, named: Name) => [
    ...(named === holder ? [] : rowsOf(holder)),
    ...rowsOf(named).slice(0, named === holder ? 9 : 1),
  ],
};
for (const [name, rows] of Object.entries(parts))
  test(`${name} is unclear, where no row names its owner`, inCi, async () => {
    const run = await judged({ ...byRealm, give: (holder, named) => (named ? json(rows(holder, named)) : notFound) });
    expect(run.check('keeps-items-apart@runs').outcome).toBe('inconclusive');
    expect(run.failedClauses).toEqual([]);
  });

test('an own record that repeats the account of the request is nothing of that account', inCi, async () => {
  const plan = { plan: 'basic', unread: 0, limits: { projects: 3, seats: 1 } };
  const run = await judged({
    ...byRealm,
    give: (_, named) => (named ? json({ realm: realms[named], ...plan }) : notFound),
  });
  expect(run.failedClauses).toEqual([]);
});

const item = '/users/{user}/runs/{run}';
const byUuid = {
  path: '/users/{user}/runs',
  parameters: [parameter('user', 'path', { schema: { type: 'string', format: 'uuid' } })],
  owner: '/user/value',
  accounts: uuids,
  named: inPath('users'),
};
const withOwner = (name: Name) => rowsOf(name).map((row) => ({ ...row, user: { value: uuids[name] } }));

for (const isOpen of [true, false])
  test(`items below the UUID of an account are ${isOpen ? 'found to open' : 'kept apart'}`, inCi, async () => {
    const parameters = [...byUuid.parameters, parameter('run', 'path')];
    const run = await judged({
      ...byUuid,
      more: { [item]: operationFor({ ...byUuid, parameters }, 'run') },
      give: (holder, named, { path }) => {
        const id = path.split('/')[4];
        if (!named || (named !== holder && !(isOpen && id !== undefined))) return refusal;
        const rows = withOwner(named);
        const row = rows.find((one) => one.id === id);
        return id === undefined ? json(rows) : row && json(row);
      },
    });
    const { outcome, reason } = run.check('keeps-items-apart@run');
    expect(outcome, reason).toBe(isOpen ? 'failed' : 'passed');
    expect(run.check('keeps-items-apart@runs').outcome).toBe('passed');
  });

for (const isOpen of [true, false])
  test(
    `an example that is everybody’s own gives way to owns, and what is named ${isOpen ? 'is undecided' : 'is kept'}`,
    inCi,
    async () => {
      const run = await judged({
        ...byRealm,
        path: '/users/{user-id}/runs',
        parameters: [parameter('user-id', 'path', { example: '-' })],
        named: inPath('users'),
        give: (holder, named, { path }) => {
          const asked = path.includes('/-/') ? holder : named;
          return asked && (asked === holder || isOpen) ? json(rowsOf(asked)) : refusal;
        },
      });
      expect(run.check('keeps-items-apart@runs').outcome).toBe(isOpen ? 'inconclusive' : 'passed');
      expect(run.requests.join(' ')).toContain('/users/north-hall/runs');
    },
  );

test('items are looked up by their id alone below an account that a field names', inCi, async () => {
  const parameters = [parameter('X-Account', 'header')];
  const run = await judged({
    path: '/runs',
    parameters,
    accounts: realms,
    named: ({ path, headers }) => (/^\/runs(?:\/[^/]+)?$/.test(path) ? (headers['x-account'] ?? '') : undefined),
    more: {
      '/runs/{run}': operationFor({ parameters: [...parameters, parameter('run', 'path')] }, 'run'),
    },
    give: (holder, named, { path }) => {
      if (named !== holder) return refusal;
      const [, , id] = path.split('/');
      const row = names.flatMap(rowsOf).find((one) => one.id === id);
      return id === undefined ? json(rowsOf(holder)) : row && json(row);
    },
  });
  expect(run.failedClauses).toEqual(['AUTH-6']);
  expect(run.check('keeps-items-apart@run').reason).toContain('below its own');
});

test('only the export compares no accounts', async () => {
  const csv = (name: Name): Answer => {
    const rows = rowsOf(name);
    const lines = [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))];
    return { status: 200, type: 'text/csv', body: lines.map((line) => line.join(',')).join('\n') };
  };
  for (const isOpen of [true, false]) {
    const run = await judged({
      ...byRealm,
      types: ['application/json', 'text/csv'],
      give: (holder, named, { headers }) => {
        const isExport = headers.accept === 'text/csv';
        if (!named || (named !== holder && !(isOpen && isExport))) return refusal;
        return isExport ? csv(named) : json(rowsOf(named));
      },
    });
    const { outcome, reason } = run.check('keeps-items-apart@runs');
    expect(outcome, reason).toBe(isOpen ? 'inconclusive' : 'passed');
  }
});
