import {
  type Answer,
  type Asked,
  type DocumentRun,
  judgeDocument,
  newKey,
  notFound,
  things,
  unauthorized,
} from '../support/document-server.js';
import { documentOf } from '../support/documents.js';
import { expect, inCi, someOfTable, test } from '../support/test.js';

/**
 * Every kind of security scheme, on a server that keeps it, one that asks for nothing, and one that
 * takes it otherwise.
 */

const row = someOfTable();

const [key, other] = [newKey(), newKey()];
const password = `ann:${newKey()}`;
const basic = `Basic ${btoa(password)}`;
const token = `eyJhbGciOiJIUzI1NiJ9.${btoa(newKey()).replace(/=+$/, '')}.${newKey()}`;

interface Kind {
  readonly name: string;
  readonly schemes: Readonly<Record<string, object>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly settings: Readonly<Record<string, string>>;
  readonly opens: (asked: Asked) => boolean;
  /** How another server takes the same key, and the clause that it breaks. */
  readonly otherwise?: readonly [clause: 'AUTH-1' | 'AUTH-2', opens: (asked: Asked) => boolean];
}

const header = (name: string): object => ({ type: 'apiKey', in: 'header', name });

const kinds: readonly Kind[] = [
  {
    name: 'apiKey in a header of its own',
    schemes: { key: header('X-API-Key') },
    security: [{ key: [] }],
    settings: { API_KEY: key },
    opens: ({ headers }) => headers['x-api-key'] === key,
    otherwise: ['AUTH-1', ({ headers }) => headers.authorization === `Bearer ${key}`],
  },
  {
    name: 'apiKey in a header, and the server wants a word in front',
    schemes: { key: header('X-Key') },
    security: [{ key: [] }],
    settings: { API_KEY: key },
    opens: ({ headers }) => headers['x-key'] === key,
    otherwise: ['AUTH-2', ({ headers }) => headers['x-key'] === `Token ${key}`],
  },
  {
    name: 'apiKey in the query',
    schemes: { key: { type: 'apiKey', in: 'query', name: 'api_key' } },
    security: [{ key: [] }],
    settings: { API_KEY: key, PROBE_KEY_IN_URL: 'true' },
    opens: ({ query }) => query.get('api_key') === key,
    otherwise: ['AUTH-1', ({ query }) => query.get('token') === key],
  },
  {
    name: 'apiKey in the query, with a space in its name and a word in front',
    schemes: {
      key: { type: 'apiKey', in: 'query', name: 'api key', 'x-access-credential': { scheme: 'Token', separator: ' ' } },
    },
    security: [{ key: [] }],
    settings: { API_KEY: key, PROBE_KEY_IN_URL: 'true' },
    opens: ({ query }) => query.get('api key') === `Token ${key}`,
  },
  {
    name: 'a signed token',
    schemes: { key: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    security: [{ key: [] }],
    settings: { API_KEY: token },
    opens: ({ headers }) => headers.authorization === `Bearer ${token}`,
  },
  {
    name: 'a bearer token, and the server reads it from the query',
    schemes: { key: { type: 'http', scheme: 'bearer' } },
    security: [{ key: [] }],
    settings: { API_KEY: token, PROBE_KEY_IN_URL: 'true' },
    opens: ({ headers }) => headers.authorization === `Bearer ${token}`,
    otherwise: ['AUTH-1', ({ query }) => query.get('access_token') === token],
  },
  {
    name: 'apiKey in a cookie',
    schemes: { key: { type: 'apiKey', in: 'cookie', name: 'session' } },
    security: [{ key: [] }],
    settings: { API_KEY: key },
    opens: ({ cookies }) => cookies.session === key,
    otherwise: ['AUTH-1', ({ headers }) => headers['x-api-key'] === key],
  },
  {
    name: 'apiKey with a prefix in its description, as drf-spectacular writes it',
    schemes: {
      key: { ...header('Authorization'), description: 'Token-based authentication with required prefix "Token"' },
    },
    security: [{ key: [] }],
    settings: { API_KEY: key },
    opens: ({ headers }) => headers.authorization === `Token ${key}`,
  },
  {
    name: 'apiKey with a prefix in the name of its field',
    schemes: { key: header('Authorization: Token') },
    security: [{ key: [] }],
    settings: { API_KEY: key },
    opens: ({ headers }) => headers.authorization === `Token ${key}`,
  },
  {
    name: 'http basic',
    schemes: { key: { type: 'http', scheme: 'basic' } },
    security: [{ key: [] }],
    settings: { API_KEY: password },
    opens: ({ headers }) => headers.authorization === basic,
    otherwise: ['AUTH-2', ({ headers }) => headers.authorization === `Basic ${password}`],
  },
  {
    name: 'http bearer',
    schemes: { key: { type: 'http', scheme: 'bearer' } },
    security: [{ key: [] }],
    settings: { API_KEY: key },
    opens: ({ headers }) => headers.authorization === `Bearer ${key}`,
    otherwise: ['AUTH-2', ({ headers }) => headers.authorization === key],
  },
  {
    name: 'an http scheme of its own',
    schemes: { key: { type: 'http', scheme: 'GenieKey' } },
    security: [{ key: [] }],
    settings: { API_KEY: key },
    opens: ({ headers }) => headers.authorization === `GenieKey ${key}`,
    otherwise: ['AUTH-1', ({ headers }) => headers['x-auth-token'] === key],
  },
  {
    name: 'oauth2',
    schemes: {
      key: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: 'https://a.invalid/', scopes: { r: '-' } } } },
    },
    security: [{ key: ['r'] }],
    settings: { API_KEY: key },
    opens: ({ headers }) => headers.authorization === `Bearer ${key}`,
  },
  {
    name: 'two keys together',
    schemes: { appId: header('X-App-Id'), appKey: header('X-App-Key') },
    security: [{ appId: [], appKey: [] }],
    settings: { API_KEY_APP_ID: other, API_KEY_APP_KEY: key },
    opens: ({ headers }) => headers['x-app-id'] === other && headers['x-app-key'] === key,
    otherwise: ['AUTH-2', ({ headers }) => headers['x-app-id'] === other && headers['x-app-key'] === `ApiKey ${key}`],
  },
  {
    name: 'a key beside basic, in query and header',
    schemes: { user: { type: 'http', scheme: 'basic' }, tenant: { type: 'apiKey', in: 'query', name: 'tenant' } },
    security: [{ user: [], tenant: [] }],
    settings: { API_KEY_USER: password, API_KEY_TENANT: other, PROBE_KEY_IN_URL: 'true' },
    opens: ({ headers, query }) => headers.authorization === basic && query.get('tenant') === other,
  },
  {
    name: 'one of two ways, the key of the second given',
    schemes: { bearer: { type: 'http', scheme: 'bearer' }, field: header('X-API-Key') },
    security: [{ bearer: [] }, { field: [] }],
    settings: { API_KEY_FIELD: key },
    opens: ({ headers }) => headers['x-api-key'] === key || headers.authorization === `Bearer ${key}`,
  },
  {
    name: 'one of two ways, the first in the URL, both keys given',
    schemes: { inUrl: { type: 'apiKey', in: 'query', name: 'api_key' }, field: header('X-API-Key') },
    security: [{ inUrl: [] }, { field: [] }],
    settings: { API_KEY_FIELD: key, API_KEY_IN_URL: other },
    opens: ({ headers, query }) => headers['x-api-key'] === key || query.get('api_key') === other,
  },
  {
    name: 'one of two ways, both keys given',
    schemes: { bearer: { type: 'http', scheme: 'bearer' }, session: { type: 'apiKey', in: 'cookie', name: 'sid' } },
    security: [{ bearer: [] }, { session: [] }],
    settings: { API_KEY_BEARER: key, API_KEY_SESSION: other },
    opens: ({ headers, cookies }) => headers.authorization === `Bearer ${key}` || cookies.sid === other,
    otherwise: [
      'AUTH-1',
      ({ headers }) => headers.authorization === `Bearer ${key}` || headers['x-auth-token'] === other,
    ],
  },
  {
    name: 'two ways that share a key',
    schemes: { id: header('X-Id'), secret: header('X-Secret') },
    security: [{ id: [], secret: [] }, { secret: [] }],
    settings: { API_KEY_ID: other, API_KEY_SECRET: key },
    opens: ({ headers }) => headers['x-secret'] === key,
  },
];

const documentFor = ({ schemes, security }: Kind): object =>
  documentOf({
    components: { securitySchemes: schemes },
    paths: {
      '/v1/things/': { get: { operationId: 'listThings', security, responses: { default: { description: '-' } } } },
      '/v1/news/': { get: { operationId: 'listNews', security: [], responses: { default: { description: '-' } } } },
    },
  });

const serve =
  (opens: (asked: Asked) => boolean) =>
  (asked: Asked): Answer => {
    if (!['GET', 'HEAD'].includes(asked.method)) return { status: 405, headers: { allow: 'GET, HEAD' } };
    if (asked.path === '/v1/news/') return { status: 200, body: { news: ['one'] } };
    if (asked.path !== '/v1/things/') return notFound;
    return opens(asked) ? { status: 200, body: things } : unauthorized;
  };

const holdsNoKey = ({ results, exchanges }: DocumentRun): void => {
  const artefact = JSON.stringify([results, exchanges]);
  for (const secret of [key, other, password, btoa(password), token]) expect(artefact).not.toContain(secret);
};

const told = ({ results }: DocumentRun): readonly string[] =>
  results.checks
    .filter(({ outcome }) => !['passed', 'observed', 'excluded'].includes(outcome))
    .map(({ id, outcome, reason }) => `${outcome} ${id}: ${reason}`);

/** Ways round a gate are the same for every scheme. */
const fewer = ({ settings }: Kind): Kind['settings'] => ({ ...settings, PROBES: 'standard' });

for (const kind of kinds)
  test.describe(kind.name, () => {
    test('a server that asks for it is conformant', row(), async () => {
      const run = await judgeDocument(documentFor(kind), serve(kind.opens), {
        settings: kind === kinds[0] ? kind.settings : fewer(kind),
      });
      expect(told(run)).toEqual([]);
      expect(run.results.verdict).toBe('conformant');
      holdsNoKey(run);
    });

    test('a server that asks for nothing breaks AUTH-3 alone', row(), async () => {
      const run = await judgeDocument(
        documentFor(kind),
        serve(() => true),
        { settings: fewer(kind) },
      );
      expect(run.failedClauses).toEqual(['AUTH-3']);
      expect(run.check('refuses-missing-key').outcome).toBe('failed');
      holdsNoKey(run);
    });

    const { otherwise } = kind;
    if (otherwise)
      test(`a server that takes it otherwise breaks ${otherwise[0]}`, row(), async () => {
        const run = await judgeDocument(documentFor(kind), serve(otherwise[1]), { settings: fewer(kind) });
        expect(told(run).filter((line) => !line.startsWith('blocked'))).toHaveLength(1);
        expect(run.failedClauses).toEqual([otherwise[0]]);
        holdsNoKey(run);
      });
  });

const kindOf = (name: string): Kind => {
  const kind = kinds.find((each) => each.name === name);
  if (!kind) throw new Error(name);
  return kind;
};

for (const [name, place] of [
  ['apiKey with a prefix in its description, as drf-spectacular writes it', 'description'],
  ['apiKey with a prefix in the name of its field', 'field name'],
] as const)
  test(`a prefix that stands in a ${place} alone accuses nobody`, async () => {
    const kind = kindOf(name);
    const bare = await judgeDocument(
      documentFor(kind),
      serve(({ headers }) => headers.authorization === key),
      { settings: fewer(kind) },
    );
    expect(bare.failedClauses).toEqual([]);
    const { reason } = bare.check('takes-documented-format');
    expect(reason).toMatch(/^The documented format does not open it, but .*, without Token does\./);
    expect(reason).toContain(`Only the ${place} of "key" speaks of the prefix Token: x-access-credential`);
  });

test('a key in Authorization of which nothing says what stands before it accuses nobody', inCi, async () => {
  const silent = { ...kindOf('apiKey in a header of its own'), schemes: { key: header('Authorization') } };
  const judged = (opens: Kind['opens']) =>
    judgeDocument(documentFor(silent), serve(opens), { settings: fewer(silent) });
  const bearer = await judged(({ headers }) => headers.authorization === `Bearer ${key}`);
  expect(bearer.failedClauses).toEqual([]);
  expect(bearer.check('takes-documented-format')).toMatchObject({
    outcome: 'inconclusive',
    reason: expect.stringMatching(
      /^The documented format does not open it, but Authorization: Bearer <key> does\. .*x-access-credential, as \{scheme: Bearer, separator: ' '\}, can say it/,
    ),
  });
  expect((await judged(({ headers }) => headers.authorization === key)).results.verdict).toBe('conformant');
  expect((await judged(({ headers }) => headers['x-api-key'] === key)).failedClauses).toEqual(['AUTH-1']);
});

test('a key in the query is not sent without leave', async () => {
  const kind = kindOf('apiKey in the query');
  const run = await judgeDocument(documentFor(kind), serve(kind.opens), { settings: { API_KEY: key } });
  const open = run.results.checks.filter(({ outcome }) => outcome === 'inconclusive');
  expect(open.map(({ reason }) => reason)).toEqual([expect.stringContaining('PROBE_KEY_IN_URL=true')]);
  expect(run.results.verdict).toBe('incomplete');
  expect(run.asked.filter(({ query }) => query.get('api_key') === key)).toEqual([]);
});

for (const [guard, takes] of [
  ['a token that nobody signed', /^Bearer eyJ/],
  ['any user and password', /^Basic ./],
] as const)
  test(`another guard that reads Authorization is seen where the document has no key there: ${guard}`, async () => {
    const kind = kindOf('apiKey in a header of its own');
    const run = await judgeDocument(
      documentFor(kind),
      serve((asked) => kind.opens(asked) || takes.test(asked.headers.authorization ?? '')),
      { settings: fewer(kind), only: ['refuses-worthless-keys'] },
    );
    expect(run.check('refuses-worthless-keys').outcome).toBe('failed');
  });

for (const name of ['http bearer', 'http basic'])
  test(`${name} is taken in no other format if case and spaces are free, as HTTP has it`, inCi, async () => {
    const kind = kindOf(name);
    const once = (value = ''): string =>
      value.replace(/^(\w)(\w+) +/, (_, a, b) => `${a.toUpperCase()}${b.toLowerCase()} `);
    const opens = (asked: Asked): boolean =>
      kind.opens({ ...asked, headers: { ...asked.headers, authorization: once(asked.headers.authorization) } });
    const run = await judgeDocument(documentFor(kind), serve(opens), { settings: fewer(kind), only: ['AUTH-2'] });
    expect(run.failedClauses).toEqual([]);
    expect(run.check('takes-no-other-format').outcome).toBe('passed');
  });

test('one of two keys is less than both', inCi, async () => {
  const kind = kindOf('two keys together');
  const run = await judgeDocument(
    documentFor(kind),
    serve(({ headers }) => headers['x-app-id'] === other),
    { settings: fewer(kind) },
  );
  expect(run.failedClauses).toEqual(['AUTH-3']);
  expect(run.check('refuses-worthless-keys').reason).toContain('without the key for "appKey" (X-App-Key)');
});

test(
  'a second way whose key does not open is not judged in full, nor are two ways that open only together',
  inCi,
  async () => {
    const kind = kindOf('one of two ways, both keys given');
    const reasonWhere = async (opens: Kind['opens']): Promise<string> => {
      const run = await judgeDocument(documentFor(kind), serve(opens), { settings: fewer(kind) });
      const { outcome, reason } = run.check('takes-documented-format');
      expect([run.results.verdict, outcome]).toEqual(['incomplete', 'inconclusive']);
      return reason;
    };
    const first: Kind['opens'] = ({ headers }) => headers.authorization === `Bearer ${key}`;
    const second: Kind['opens'] = ({ cookies }) => cookies.sid === other;
    expect(await reasonWhere(first)).toMatch(/^As "session": .* the key may be wrong or expired/);
    expect(await reasonWhere(second)).toMatch(/The key for "session" opens it/);
    expect(await reasonWhere((asked) => first(asked) && second(asked))).toMatch(
      /^No key opens it alone, and the keys for "bearer" and "session" together do/,
    );
  },
);

test('a place that the document gives as another way is none that the server takes beside it', async () => {
  const kind = kindOf('one of two ways, the key of the second given');
  const run = await judgeDocument(documentFor(kind), serve(kind.opens), {
    settings: fewer(kind),
    only: ['takes-key-nowhere-else'],
  });
  expect(run.check('takes-key-nowhere-else').outcome).toBe('passed');
});

test('a server that repeats Authorization, in whatever it answers, is not accused', inCi, async () => {
  const kind = kindOf('http basic');
  for (const credentials of [password, 'quentin:S3cret:Pass9x']) {
    const authorization = `Basic ${btoa(credentials)}`;
    const run = await judgeDocument(
      documentFor(kind),
      (asked) => {
        const answer = serve(({ headers }) => headers.authorization === authorization)(asked);
        if (asked.path !== '/v1/things/') return answer;
        return { ...answer, body: { data: answer.body, seen: asked.headers.authorization ?? null } };
      },
      { settings: { API_KEY: credentials, PROBES: 'standard' } },
    );
    expect(told(run)).toEqual([]);
    expect(JSON.stringify([run.results, run.exchanges])).not.toContain(btoa(credentials).slice(0, 12));
  }
});

test('a key that opens as a token, where the document says Basic, may be of another scheme', async () => {
  const kind = kindOf('http basic');
  const opens = ({ headers }: Asked): boolean => headers.authorization === `Token ${key}`;
  const run = await judgeDocument(documentFor(kind), serve(opens), {
    settings: { API_KEY: key, PROBES: 'standard' },
  });
  expect(run.failedClauses).toEqual([]);
  const { outcome, reason } = run.check('takes-documented-format');
  expect(outcome).toBe('inconclusive');
  expect(reason).toContain('The documented format does not open it, but Authorization: Token <key> does.');
  const update = {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    'x-access-credential': { scheme: 'Token', separator: ' ' },
  };
  expect(reason).toContain(`{target: '$.components.securitySchemes["key"]', update: ${JSON.stringify(update)}}`);
});

const sloppy: readonly (readonly [what: string, kind: string, opens: (asked: Asked) => boolean])[] = [
  ['any value of the header', 'apiKey in a header of its own', ({ headers }) => 'x-api-key' in headers],
  ['any value of the query parameter', 'apiKey in the query', ({ query }) => query.has('api_key')],
  [
    'an empty query parameter',
    'apiKey in the query',
    ({ query }) => query.get('api_key') === '' || query.get('api_key') === key,
  ],
  ['any cookie of that name', 'apiKey in a cookie', ({ cookies }) => cookies.session !== undefined],
  [
    '"null" in the cookie',
    'apiKey in a cookie',
    ({ cookies }) => cookies.session === 'null' || cookies.session === key,
  ],
  [
    'any password',
    'http basic',
    ({ headers }) => atob((headers.authorization ?? '').replace('Basic ', '')).startsWith('ann:'),
  ],
  [
    'an empty password of the right user',
    'http basic',
    ({ headers }) => [basic, `Basic ${btoa('ann:')}`].includes(headers.authorization ?? ''),
  ],
  [
    'a token whose signature is another',
    'a signed token',
    ({ headers }) =>
      /^.+\..+\.[0-9a-f]{40}$/.test(headers.authorization ?? '') &&
      (headers.authorization ?? '').startsWith(`Bearer ${token.slice(0, token.lastIndexOf('.'))}`),
  ],
  [
    'a token without its signature',
    'a signed token',
    ({ headers }) =>
      [token, token.slice(0, token.lastIndexOf('.') + 1)].some((each) => headers.authorization === `Bearer ${each}`),
  ],
  [
    'a token whose header says that it is not signed',
    'a signed token',
    ({ headers }) => {
      const [head = '', payload, signature] = (headers.authorization ?? '').replace('Bearer ', '').split('.');
      const isUnsigned = signature === '' && JSON.parse(atob(head)).alg === 'none';
      return headers.authorization === `Bearer ${token}` || (isUnsigned && payload === token.split('.')[1]);
    },
  ],
  [
    'anything behind bearer, in lower case',
    'http bearer',
    ({ headers }) => headers.authorization === `Bearer ${key}` || /^bearer /.test(headers.authorization ?? ''),
  ],
  [
    'anything behind Bearer and two spaces',
    'http bearer',
    ({ headers }) => /^Bearer {2}/.test(headers.authorization ?? '') || headers.authorization === `Bearer ${key}`,
  ],
  [
    'any value of the second of two keys',
    'two keys together',
    ({ headers }) => headers['x-app-id'] === other && 'x-app-key' in headers,
  ],
  [
    'an empty tenant beside the right user',
    'a key beside basic, in query and header',
    ({ headers, query }) => headers.authorization === basic && ['', other].includes(query.get('tenant') ?? '-'),
  ],
  [
    'any value by the way whose key was not given',
    'one of two ways, the key of the second given',
    ({ headers }) => headers['x-api-key'] === key || 'authorization' in headers,
  ],
  [
    'a half key by the second way',
    'one of two ways, both keys given',
    ({ headers, cookies }) =>
      headers.authorization === `Bearer ${key}` || (cookies.sid ?? '').startsWith(other.slice(0, 20)),
  ],
];

for (const [what, name, opens] of sloppy)
  test(`a server that takes ${what} breaks AUTH-3`, row(), async () => {
    const safely = (asked: Asked): boolean => {
      try {
        return opens(asked);
      } catch {
        return false;
      }
    };
    const kind = kindOf(name);
    const run = await judgeDocument(documentFor(kind), serve(safely), {
      settings: fewer(kind),
      only: ['refuses-worthless-keys'],
    });
    expect(run.failedClauses).toEqual(['AUTH-3']);
    expect(run.check('refuses-worthless-keys').outcome).toBe('failed');
  });
