import type { LoadOptions } from '../../../src/contract/load-options.js';
import type { Contract, Operation } from '../../../src/contract/model.js';
import { documentOf, loadFiles, operationOf } from '../support/documents.js';
import { expect, test } from '../support/test.js';

const load = (
  schemes: Readonly<Record<string, object>>,
  security: unknown,
  { root, ...options }: Pick<LoadOptions, 'keys' | 'certificate'> & { readonly root?: unknown } = {},
): Promise<Contract> => {
  const { security: _none, ...silent } = operationOf() as Record<string, unknown>;
  const document = documentOf({
    components: { securitySchemes: schemes },
    paths: {
      '/things': { get: { ...silent, operationId: 'listThings', ...(security === undefined ? {} : { security }) } },
    },
    ...(root === undefined ? {} : { security: root }),
  });
  return loadFiles({ 'a.yaml': document }, options);
};

const first = ({ operations }: Contract): Operation | undefined => operations[0];

const key = { type: 'apiKey', in: 'header', name: 'X-Key' };
const bearer = { type: 'http', scheme: 'bearer' };

for (const [form, security, root] of [
  ['[]', [], undefined],
  ['[{}]', [{}], undefined],
  ['[{key: []}, {}]', [{ key: [] }, {}], undefined],
  ['[] under a root that asks for a key', [], [{ key: [] }]],
  ['[] of the root', undefined, []],
] as const)
  test(`security ${form} is public`, async () => {
    const contract = await load({ key }, security, { root });
    expect(first(contract)).toMatchObject({ access: 'public', security: [] });
  });

test('no security anywhere is unstated, and not probed', async () => {
  const { operations, unprobed } = await load({ key }, undefined);
  expect(operations).toEqual([]);
  expect(unprobed).toMatchObject([
    { id: 'listThings', access: 'unstated', reason: expect.stringContaining('security: []') },
  ]);
});

test('security of the root holds for operations that say nothing', async () => {
  expect(first(await load({ key }, undefined, { root: [{ key: [] }] }))).toMatchObject({ access: 'protected' });
});

const shape = { name: 'key', setting: 'API_KEY', encoding: 'plain' };
for (const [what, scheme, expected] of [
  ['an API key in a header', key, { in: 'header', field: 'X-Key', prefix: '' }],
  ['an API key in the query', { ...key, in: 'query' }, { in: 'query', field: 'X-Key', prefix: '' }],
  ['an API key in a cookie', { ...key, in: 'cookie' }, { in: 'cookie', field: 'X-Key', prefix: '' }],
  [
    'an API key with a word in front',
    { ...key, name: 'Authorization', 'x-access-credential': { scheme: 'Token', separator: ' ' } },
    { in: 'header', field: 'Authorization', prefix: 'Token ' },
  ],
  [
    'HTTP Basic',
    { type: 'http', scheme: 'basic' },
    { field: 'Authorization', prefix: 'Basic ', encoding: 'base64', ignoresCase: true },
  ],
  ['HTTP Bearer', { type: 'http', scheme: 'BEARER' }, { field: 'Authorization', prefix: 'Bearer ', ignoresCase: true }],
  [
    'HTTP with the scheme Token',
    { type: 'http', scheme: 'Token' },
    { field: 'Authorization', prefix: 'Token ', ignoresCase: true },
  ],
  [
    'OAuth 2',
    { type: 'oauth2', flows: {} },
    { field: 'Authorization', prefix: 'Bearer ', ignoresCase: true, oauth: {} },
  ],
  [
    'OpenID Connect',
    { type: 'openIdConnect', openIdConnectUrl: 'https://example.com/.well-known/openid-configuration' },
    {
      field: 'Authorization',
      prefix: 'Bearer ',
      ignoresCase: true,
      oauth: { discovery: 'https://example.com/.well-known/openid-configuration' },
    },
  ],
] as const)
  test(`${what} becomes a way to send a key`, async () => {
    const contract = await load({ key: scheme }, [{ key: [] }]);
    expect(first(contract)?.security).toEqual([{ ...shape, in: 'header', ...expected }]);
    expect(contract.schemes).toEqual(first(contract)?.security);
  });

for (const [what, scheme, reason] of [
  ['a client certificate', { type: 'mutualTLS' }, /client certificate/],
  ['HTTP Digest', { type: 'http', scheme: 'digest' }, /computes its credentials anew/],
] as const)
  test(`${what} cannot be driven by a key, and the reason says so`, async () => {
    const { operations, unprobed } = await load({ key: scheme }, [{ key: [] }]);
    expect(operations).toEqual([]);
    expect(unprobed[0]?.reason).toMatch(reason);
    expect(unprobed[0]?.access).toBe('protected');
  });

test('a client certificate beside a key is shown by the connection, if there is one', async () => {
  const schemes = { both: { type: 'mutualTLS' }, other: { type: 'mutualTLS' }, key };
  const beside = [{ both: [], key: [] }];
  expect(first(await load(schemes, beside, { certificate: true }))?.security).toMatchObject([{ name: 'key' }]);
  const without = await load(schemes, beside);
  expect(without.unprobed[0]?.reason).toMatch(/beside the key: set CLIENT_CERT_FILE/);
  // A requirement without a key stays protected, and is not asked.
  const alone = await load(schemes, [{ both: [], other: [] }], { certificate: true });
  expect(alone.unprobed[0]).toMatchObject({ access: 'protected', why: 'no-scheme' });
});

test('an undefined scheme opens nothing: it is told where it stands, and the operation is missed', async () => {
  const { operations, unprobed, warnings } = await load({ key }, [{ kee: [] }]);
  expect(operations).toEqual([]);
  expect(unprobed).toMatchObject([
    { access: 'protected', why: 'no-scheme', reason: 'Its security scheme "kee" is not defined.', details: ['kee'] },
  ]);
  expect(warnings).toMatchObject([
    {
      line: 13,
      column: 11,
      message: 'security scheme "kee" is not defined, so it opens nothing',
      hint: expect.stringContaining('components.securitySchemes defines "key".'),
    },
  ]);
});

test('an undefined scheme of the root is told once, and every operation that inherits it is missed', async () => {
  const { unprobed, warnings } = await load({}, undefined, { root: [{ kee: [] }] });
  expect(unprobed).toMatchObject([{ access: 'protected', why: 'no-scheme' }]);
  expect(warnings).toHaveLength(1);
});

test('beside an undefined scheme, another alternative is used', async () => {
  const { operations, warnings } = await load({ key }, [{ kee: [] }, { key: [] }]);
  expect(operations).toMatchObject([{ access: 'protected', security: [{ name: 'key' }] }]);
  expect(operations[0]).not.toHaveProperty('alternatives');
  expect(warnings).toHaveLength(1);
});

test('a security requirement of OpenAPI 3.2 may name a scheme by its URI', async () => {
  const asked = (security: readonly object[]): object =>
    documentOf({
      openapi: '3.2.0',
      components: { securitySchemes: { key, 'b.yaml': bearer } },
      paths: { '/a': { get: operationOf({ security }) }, '/b': { get: operationOf({ security: [{ key: [] }] }) } },
    });
  const elsewhere = { 'b.yaml': { schemes: { other: { ...key, name: 'X-Other' } } }, 'c.yaml': bearer };
  const named = async (uri: string, files: object = asked([{ [uri]: ['read'] }])): Promise<readonly unknown[]> => {
    const { operations, unprobed, warnings } = await loadFiles({ 'a.yaml': files, ...elsewhere });
    const [{ security, requirements } = {}] = operations;
    return unprobed.length + warnings.length > 0
      ? warnings.map(({ message }) => message)
      : [security?.map(({ name, field, setting }) => [name, field, setting]), requirements?.[0]?.[0]?.name];
  };
  expect(await named('#/components/securitySchemes/key')).toEqual([[['key', 'X-Key', 'API_KEY']], 'key']);
  expect(await named('b.yaml#/schemes/other')).toEqual([[['other', 'X-Other', 'API_KEY_OTHER']], 'other']);
  // The name of a component is no URI.
  expect(await named('b.yaml')).toEqual([[['b.yaml', 'Authorization', 'API_KEY_B_YAML']], 'b.yaml']);
  expect(await named('./c.yaml')).toEqual([[['./c.yaml', 'Authorization', 'API_KEY_C_YAML']], './c.yaml']);
  for (const nothing of ['./b.yaml', 'd.yaml', '#/paths/~1a', 'https://example.com/schemes#/key'])
    expect(await named(nothing)).toEqual([`security scheme "${nothing}" is not defined, so it opens nothing`]);
  const older = { ...asked([{ '#/components/securitySchemes/key': [] }]), openapi: '3.1.1' };
  expect(await named('', older)).toEqual([expect.stringContaining('is not defined')]);
});

test('schemes of a combination travel together, each with a setting of its own', async () => {
  const contract = await load({ appKey: key, user_token: bearer }, [{ appKey: [], user_token: [] }]);
  expect(first(contract)?.security.map(({ name, setting }) => [name, setting])).toEqual([
    ['appKey', 'API_KEY_APP_KEY'],
    ['user_token', 'API_KEY_USER_TOKEN'],
  ]);
});

for (const [what, one, other] of [
  ['header field', { ...key, name: 'authorization' }, bearer],
  ['header field', bearer, { type: 'http', scheme: 'basic' }],
  ['header field', bearer, { ...key, name: 'Authorization', 'x-access-credential': { scheme: 'Token' } }],
] as const)
  test(`two schemes that share a ${what} cannot travel together: ${JSON.stringify([one, other])}`, async () => {
    const { operations, unprobed } = await load({ one, other }, [{ one: [], other: [] }]);
    expect(operations).toEqual([]);
    expect(unprobed).toMatchObject([{ access: 'protected', reason: expect.stringContaining(`share the ${what} `) }]);
    const either = await load({ one, other }, [{ one: [], other: [] }, { other: [] }]);
    expect(first(either)?.security).toMatchObject([{ name: 'other' }]);
  });

const oauth = { type: 'oauth2', flows: {} };
for (const [what, one, other] of [
  ['a bearer token and one of OAuth', bearer, oauth],
  ['two flows of OAuth', oauth, { ...oauth, description: 'for robots' }],
  ['a header field in another case', key, { ...key, name: 'x-key' }],
  ['a query parameter', { ...key, in: 'query' }, { ...key, in: 'query' }],
  ['a cookie', { ...key, in: 'cookie' }, { ...key, in: 'cookie' }],
] as const)
  test(`one token serves two schemes that are sent alike: ${what}`, async () => {
    for (const [keys, setting] of [
      [undefined, 'API_KEY_ONE'],
      [['API_KEY_ONE'], 'API_KEY_ONE'],
      [['API_KEY_OTHER'], 'API_KEY_OTHER'],
      [['API_KEY'], 'API_KEY'],
      [['API_KEY', 'API_KEY_OTHER'], 'API_KEY'],
    ] as const) {
      const { operations, warnings } = await load({ one, other }, [{ one: [], other: [] }], keys ? { keys } : {});
      expect(operations.map(({ security }) => security.map((scheme) => scheme.setting))).toEqual([[setting]]);
      expect(warnings).toEqual([]);
    }
  });

test('one key opens by either of two schemes that are sent alike, and the other is no other way', async () => {
  const contract = await load({ one: bearer, other: oauth }, [{ one: [] }, { other: [] }], { keys: ['API_KEY'] });
  expect(first(contract)).toMatchObject({ security: [{ name: 'one', setting: 'API_KEY' }] });
  expect(first(contract)).not.toHaveProperty('alternatives');
});

test('schemes of one name travel together where their places differ', async () => {
  const contract = await load({ one: key, other: { ...key, in: 'query' } }, [{ one: [], other: [] }]);
  expect(first(contract)?.security).toHaveLength(2);
});

test('of several alternatives the one is taken whose keys are there, else the first', async () => {
  const schemes = { a: key, b: bearer, c: { type: 'mutualTLS' } };
  const either = [{ c: [] }, { a: [] }, { b: [] }];
  expect(first(await load(schemes, either))?.security).toMatchObject([{ name: 'a' }]);
  expect(first(await load(schemes, either, { keys: ['API_KEY_B'] }))?.security).toMatchObject([{ name: 'b' }]);
});

test('API_KEY alone is tried for each of several schemes, and the warning names the settings of their own', async () => {
  const { warnings } = await load({ a: key, b: bearer }, [{ a: [] }, { b: [] }], { keys: ['API_KEY'] });
  expect(warnings).toMatchObject([
    {
      message: 'API_KEY is sent for the schemes "a", "b", for which no key of their own was given',
      hint: 'Set API_KEY_A, API_KEY_B where they have other keys.',
    },
  ]);
});

test('settings stay different where names fall together', async () => {
  const { schemes } = await load({ 'my-key': key, my_key: bearer }, [{ 'my-key': [], my_key: [] }]);
  expect(schemes.map(({ setting }) => setting)).toEqual(['API_KEY_MY_KEY', 'API_KEY_MY_KEY_2']);
});

for (const [given, name, setting] of [
  ['API_KEY_TOKENAUTH', 'tokenAuth', 'API_KEY_TOKENAUTH'],
  ['API_KEY_O_AUTH2_PASSWORD_BEARER', 'OAuth2PasswordBearer', 'API_KEY_O_AUTH2_PASSWORD_BEARER'],
  ['API_KEY_OTHER', 'tokenAuth', 'API_KEY_TOKEN_AUTH'],
] as const)
  test(`${given} is ${given === setting ? 'the' : 'no'} setting of ${name}, wherever the underscores stand`, async () => {
    const { schemes, warnings } = await load({ [name]: key, b: bearer }, [{ [name]: [] }, { b: [] }], {
      keys: [given],
    });
    expect(schemes.map((scheme) => scheme.setting)).toEqual([setting, 'API_KEY_B']);
    expect(warnings.map(({ message, hint }) => `${message}: ${hint}`)).toEqual(
      given === setting
        ? []
        : [
            'API_KEY_OTHER is not used: it is named after no security scheme of the document: ' +
              'Set API_KEY_TOKEN_AUTH for "tokenAuth", API_KEY_B for "b" instead.',
          ],
    );
  });

test('the names of settings break where words begin', async () => {
  const names = ['OAuth2PasswordBearer', 'HTTPBearer', 'APIKeyHeader', 'tokenAuth', 'X-Key'];
  const { schemes } = await load(Object.fromEntries(names.map((name) => [name, key])), [
    Object.fromEntries(names.map((name) => [name, []])),
  ]);
  expect(schemes.map(({ setting }) => setting)).toEqual([
    'API_KEY_OAUTH2_PASSWORD_BEARER',
    'API_KEY_HTTP_BEARER',
    'API_KEY_API_KEY_HEADER',
    'API_KEY_TOKEN_AUTH',
    'API_KEY_X_KEY',
  ]);
});

test('the one scheme of a document may have its key under its own name', async () => {
  const { schemes } = await load({ bearerAuth: bearer }, [{ bearerAuth: [] }], { keys: ['API_KEY_BEARER_AUTH'] });
  expect(schemes.map(({ setting }) => setting)).toEqual(['API_KEY_BEARER_AUTH']);
});

test('API_KEY_FILE is the name of a file, never the key of a scheme', async () => {
  const schemes = { file: { type: 'http', scheme: 'bearer' }, other: { type: 'http', scheme: 'basic' } };
  const settings = (await load(schemes, [{ file: [] }, { other: [] }])).schemes.map(({ setting }) => setting);
  expect(settings).toEqual(['API_KEY_FILE_2', 'API_KEY_OTHER']);
});

test('of two ways whose keys are there, one without a key in the URL is taken', async () => {
  const schemes = { a: { ...key, in: 'query' }, b: bearer };
  const contract = await load(schemes, [{ a: [] }, { b: [] }], { keys: ['API_KEY_A', 'API_KEY_B'] });
  expect(first(contract)).toMatchObject({ security: [{ name: 'b' }], alternatives: [[{ name: 'a' }]] });
});

for (const [description, prefix] of [
  ['Token-based authentication with required prefix "Token"', 'Token'],
  ["JWT Authorization header using the Bearer scheme. Enter 'Bearer' [space] and then your token.", 'Bearer'],
  ['Send `Authorization: Bearer {token}`', 'Bearer'],
  ['Prefix the value with Bearer', 'Bearer'],
  ["Prefix value with 'Apikey ' as in, 'Apikey SECRET'", 'Apikey'],
  ['Give the key. Do not write the prefix "Bearer".', undefined],
  ['The API token of your account, a prefix of eight letters and a secret', undefined],
] as const)
  test(`"${description}" names ${prefix ?? 'no prefix'}`, async () => {
    const tokenAuth = { type: 'apiKey', in: 'header', name: 'Authorization', description };
    const { schemes, warnings } = await load({ tokenAuth }, [{ tokenAuth: [] }]);
    expect(schemes.map((scheme) => scheme.prefix)).toEqual([prefix === undefined ? '' : `${prefix} `]);
    expect(warnings.map(({ hint }) => hint)).toEqual(
      prefix === undefined ? [] : [expect.stringContaining(`x-access-credential: {scheme: ${prefix}, separator: ' '}`)],
    );
    const plainly = { ...tokenAuth, 'x-access-credential': { scheme: '', separator: '' } };
    expect((await load({ tokenAuth: plainly }, [{ tokenAuth: [] }])).schemes[0]?.prefix).toBe('');
  });
