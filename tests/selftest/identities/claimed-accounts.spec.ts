import { type Answer, type Asked, judgeDocument, notFound, unauthorized } from '../support/document-server.js';
import { documentOf, withFiles } from '../support/documents.js';
import { expect, test } from '../support/test.js';

/** Services that read which account a request is for from the query or from a field. */

const keys = { ada: 'ada-key-5b1f83c0d7e9426a', bo: 'bo-key-c47a90e2d1b8563f' };
type Name = keyof typeof keys;
const names = ['ada', 'bo'] as const;
const mail = (name: string): string => `${name}@harbour.example`;
const other = (name: Name): Name => (name === 'ada' ? 'bo' : 'ada');

type Row = Readonly<Record<string, unknown>>;
const rowsOf = (name: Name): readonly Row[] =>
  [0, 1, 2].map((at) => ({
    id: `${name}-${at}c47d`,
    owner: mail(name),
    title: `Crate ${name} ${at}`,
    weight: name.length * 7_013 + at * 311,
  }));
const team: Row = { id: 'team-77ab01', owner: mail('team'), title: 'Pallets of the team', weight: 88_412 };

interface Service {
  /** What the document says of the list. */
  readonly says?: object;
  readonly owns?: (name: Name) => string | number;
  /** Without an answer, the rows of the holder. */
  readonly list: (holder: Name, asked: Asked) => Answer | readonly Row[] | undefined;
}

const judged = ({ says = {}, owns = mail, list }: Service) => {
  const identities = names
    .map(
      (name) =>
        `- { name: ${name}, keys: { key: { variable: KEY_${name} } }, peers: [${other(name)}], owns: ${owns(name)} }`,
    )
    .join('\n');
  const document = documentOf({
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Client-Id' } } },
    paths: {
      '/crates': {
        get: {
          operationId: 'crates',
          security: [{ key: [] }],
          responses: { default: { description: '-' } },
          'x-access-owned': true,
          ...says,
        },
      },
    },
  });
  return withFiles({ 'identities.yaml': identities }, async (path) => {
    const run = await judgeDocument(
      document,
      (asked): Answer => {
        const holder = names.find((name) => asked.headers['x-client-id'] === keys[name]);
        if (holder === undefined) return unauthorized;
        if (asked.path !== '/crates') return notFound;
        const answer = list(holder, asked) ?? rowsOf(holder);
        return 'status' in answer ? answer : { status: 200, body: answer };
      },
      {
        only: ['AUTH-6'],
        settings: { KEY_ada: keys.ada, KEY_bo: keys.bo, IDENTITIES: path('identities.yaml') },
      },
    );
    const { outcome, reason } = run.check('keeps-lists-apart@crates');
    return [outcome, reason] as const;
  });
};

const byOwner = { 'x-access-owner': '/owner' };
const accountIn = (value: string | null | undefined): Name | undefined => names.find((name) => mail(name) === value);
const unknownParameter: Answer = { status: 400, body: { detail: 'There is no such parameter.' } };
const parameters = (...all: readonly object[]): object => ({ ...byOwner, parameters: all });
const enumerated = { name: 'account_type', in: 'query', schema: { type: 'string', enum: ['open', 'held'] } };
const ownerParameter = { name: 'owner', in: 'query', schema: { type: 'string' } };

const faults: Readonly<Record<string, Service & { readonly named: string; readonly outcome?: string }>> = {
  'an e-mail address in a field': {
    says: byOwner,
    list: (_holder, { headers }) => {
      const named = accountIn(headers['x-user-id']);
      return named && rowsOf(named);
    },
    named: 'X-User-Id',
  },
  'a field, where unknown parameters are refused': {
    says: byOwner,
    list: (_holder, { query, headers }) => {
      if (query.size > 0) return unknownParameter;
      const named = accountIn(headers['x-tenant-id']);
      return named && rowsOf(named);
    },
    named: 'X-Tenant-Id',
  },
  'a parameter, where a query may have 1,000 characters': {
    says: byOwner,
    list: (_holder, { query }) => {
      if (query.toString().length > 1_000) return { status: 414 };
      const named = accountIn(query.get('tenant_id'));
      return named && rowsOf(named);
    },
    named: '?tenant_id=',
  },
  'a documented parameter beside one with other values': {
    says: parameters(enumerated, ownerParameter),
    list: (_holder, { query }) => {
      if ([...query.keys()].some((name) => name !== 'owner')) return unknownParameter;
      const named = accountIn(query.get('owner'));
      return named && rowsOf(named);
    },
    named: '?owner=',
  },
  'a row of the other within a row': {
    says: byOwner,
    list: (holder, { query }) => {
      const named = accountIn(query.get('user_id'));
      return named && rowsOf(holder).map((row) => ({ ...row, before: rowsOf(named)[0] }));
    },
    named: '?user_id=',
  },
  'two parameters together': {
    says: byOwner,
    list: (_holder, { query }) => {
      const [named, user] = ['org', 'user_id'].map((name) => accountIn(query.get(name)));
      return named && named === user ? rowsOf(named) : undefined;
    },
    named: '?user_id= and ?org=',
  },
  'a required parameter with an example for everybody': {
    says: parameters({ ...ownerParameter, required: true, example: 'all' }),
    list: (_holder, { query }) => {
      if (query.size > 1 || !query.get('owner')) return unknownParameter;
      const named = accountIn(query.get('owner'));
      return named && rowsOf(named);
    },
    named: '?owner=',
  },
  'a required parameter of any name, where unknown values of others are refused': {
    says: parameters(ownerParameter, { ...ownerParameter, name: 'patient', required: true, example: '-' }),
    list: (_holder, { query }) => {
      if (query.has('owner')) return { status: 200, body: { error: 'not_yours' } };
      const named = accountIn(query.get('patient'));
      return named && rowsOf(named);
    },
    named: '?patient=',
  },
  'a required field with an example for everybody': {
    says: parameters({ ...ownerParameter, in: 'header', name: 'x-owner', required: true, example: 'all' }),
    list: (_holder, { headers }) => {
      const named = accountIn(headers['x-owner']);
      return named && rowsOf(named);
    },
    named: 'x-owner',
  },
  'rows that do not say whose they are': {
    owns: (name) => (name === 'ada' ? 1 : 2),
    list: (holder, { query }) =>
      rowsOf(({ 1: 'ada', 2: 'bo' }[query.get('user_id') ?? ''] as Name | undefined) ?? holder).map(
        ({ owner: _, ...row }) => row,
      ),
    named: '?user_id=',
    outcome: 'inconclusive',
  },
};

for (const [what, { named, outcome = 'failed', ...service }] of Object.entries(faults)) {
  test(`another account in ${what}`, async () => {
    const [found, reason] = await judged(service);
    expect(found, reason).toBe(outcome);
    expect(reason).toContain(`by a request that names bo in ${named}`);
  });
}

const conforming: Readonly<Record<string, Service & { readonly outcome?: string }>> = {
  'repeats the parameters as a list': {
    list: (holder, { query }) => ({
      status: 200,
      body: { crates: [...rowsOf(holder), team], filters: [...query].map(([name, owner]) => ({ owner, name })) },
    }),
    outcome: 'inconclusive',
  },
  'has rows of a team that name an account elsewhere': {
    list: (holder) => [...rowsOf(holder), { ...team, assignee: mail('ada') }],
    outcome: 'inconclusive',
  },
  'has rows that name another account, and no owner': {
    list: (holder) => rowsOf(holder).map(({ owner: _, ...row }) => ({ ...row, assignee: mail(other(holder)) })),
    outcome: 'inconclusive',
  },
  'has rows for everybody alone, with comments of one': {
    list: () => [{ ...team, comments: [{ by: mail('ada'), text: 'Seen' }] }],
    outcome: 'inconclusive',
  },
  'needs a parameter that names an account once': {
    says: parameters({ ...ownerParameter, required: true, example: 'all' }),
    list: (_holder, { query }) => (query.getAll('owner').length > 1 ? { status: 422 } : undefined),
    outcome: 'passed',
  },
};

for (const [what, { outcome = 'passed', ...service }] of Object.entries(conforming)) {
  test(`a list is not accused that ${what}`, async () => {
    const [found, reason] = await judged(service);
    expect(found, reason).toBe(outcome);
  });
}

test('rows of others that name whoever reads them are not passed', async () => {
  const all = [...rowsOf('ada'), { ...team, id: 'team-10c4e2', owner: mail('cy'), weight: 91_733 }];
  const [outcome, reason] = await judged({
    list: (holder) => (holder === 'bo' ? all : rowsOf('ada')).map((row) => ({ ...row, reader: mail(holder) })),
  });
  expect(outcome, reason).toBe('inconclusive');
});

test('a field of the key is asked for once', async () => {
  const seen: string[] = [];
  await judged({
    says: byOwner,
    list: (_holder, { headers }) => {
      seen.push(headers['x-client-id'] ?? '');
      return undefined;
    },
  });
  expect(seen.filter((value) => value.includes(', '))).toEqual([]);
});
