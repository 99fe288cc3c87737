import type { Contract } from '../../../src/contract/model.js';
import { documentOf, loadFiles, operationOf } from '../support/documents.js';
import { expect, test } from '../support/test.js';

const key = { components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } } };
const locked = (parts: object = {}): object => operationOf({ security: [{ key: [] }], ...parts });

const load = (paths: object, options = {}, parts = {}): Promise<Contract> =>
  loadFiles({ 'a.yaml': documentOf({ ...key, ...parts, paths }) }, options);

test('reads are probed, and everything else says why it is not', async () => {
  const methods = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete', 'trace'];
  const { operations, unprobed } = await load({
    '/a': Object.fromEntries(methods.map((method) => [method, locked()])),
  });
  expect(operations.map(({ id }) => id)).toEqual(['GET /a']);
  expect(Object.fromEntries(unprobed.map(({ method, reason }) => [method, reason]))).toEqual({
    HEAD: expect.stringContaining('GET /a is probed'),
    OPTIONS: expect.stringContaining('does not read'),
    POST: expect.stringContaining('UNSAFE_METHODS=true'),
    PUT: expect.stringContaining('UNSAFE_METHODS=true'),
    PATCH: expect.stringContaining('UNSAFE_METHODS=true'),
    DELETE: expect.stringContaining('UNSAFE_METHODS=true'),
    TRACE: expect.stringContaining('TRACE is not sent'),
  });
});

test('HEAD is probed where the path has no GET', async () => {
  const { operations } = await load({ '/a': { head: operationOf() } });
  expect(operations).toMatchObject([{ method: 'HEAD' }]);
});

test('UNSAFE_METHODS adds protected writing operations, and public ones never', async () => {
  const { operations, unprobed } = await load(
    { '/a': { post: locked(), put: operationOf() } },
    { unsafeMethods: true },
  );
  expect(operations.map(({ id }) => id)).toEqual(['POST /a']);
  expect(unprobed).toMatchObject([{ id: 'PUT /a', reason: expect.stringContaining('without a key in the way') }]);
});

test('OpenAPI 3.2 methods are listed', async () => {
  const paths = { '/a': { query: locked(), additionalOperations: { PURGE: locked() } } };
  const { unprobed } = await load(paths, {}, { openapi: '3.2.0' });
  expect(unprobed.map(({ method }) => method)).toEqual(['QUERY', 'PURGE']);
});

test('an operation that needs a body, has a server of its own, or a fragment in its path is not probed', async () => {
  const { unprobed } = await load({
    '/a': { get: operationOf({ requestBody: { required: true, content: {} } }) },
    '/b': { get: operationOf({ servers: [{ url: 'https://uploads.example.com' }] }) },
    '/c#d': { get: operationOf() },
  });
  expect(unprobed.map(({ reason }) => reason)).toEqual([
    expect.stringContaining('needs a request body'),
    expect.stringContaining('https://uploads.example.com'),
    expect.stringContaining('fragment'),
  ]);
});

test('a read that is promised to redirect and nothing else is sent no key, and none that is public is probed', async () => {
  const answers = (...statuses: readonly string[]): object =>
    locked({ responses: Object.fromEntries(statuses.map((status) => [status, { description: '-' }])) });
  const { operations, unprobed } = await load(
    {
      '/a': { get: answers('302', '401') },
      '/b': { get: answers('401', 'x-200') },
      '/c': { get: answers('302', '204') },
      '/d': { get: answers('401', '2XX') },
      '/e': { get: answers('404', 'default') },
      '/f': { post: answers('302') },
      '/g': { get: { ...answers('302'), security: [] } },
    },
    { unsafeMethods: true },
  );
  expect(operations.map(({ path }) => path)).toEqual(['/a', '/b', '/c', '/d', '/e', '/f']);
  expect(operations.filter(({ keyless }) => keyless).map(({ path, keyless }) => [path, keyless?.cause])).toEqual([
    ['/a', 'only-redirects'],
  ]);
  const reason = expect.stringMatching(/^The document promises a redirect alone/);
  expect(unprobed).toMatchObject([{ path: '/g', access: 'public', reason }]);
});

test('a server that repeats one of the document’s is no server of its own', async () => {
  const servers = [
    { url: '//API.test-host.org/v2/' },
    { url: 'https://{region}.test-host.org', variables: { region: { default: 'eu' } } },
  ];
  const { operations, unprobed } = await load(
    {
      '/a': { get: operationOf({ servers: [{ url: 'https://api.test-host.org/v2' }] }) },
      '/b': { servers: [{ url: 'https://eu.test-host.org/' }], get: operationOf() },
      '/c': { servers: [{ url: 'https://api.test-host.org/v3' }], get: operationOf() },
    },
    {},
    { servers },
  );
  expect(operations.map(({ path }) => path)).toEqual(['/a', '/b']);
  expect(unprobed.map(({ path }) => path)).toEqual(['/c']);
});

test('what stands beside the $ref of a path item is read with it, and goes before it', async () => {
  const id = (example: number): object => ({ name: 'id', in: 'path', required: true, schema: {}, example });
  const paths = {
    '/a/{id}': { $ref: '#/components/pathItems/a', get: locked(), parameters: [id(2)] },
    '/b/{id}': { $ref: '#/components/pathItems/a', summary: 'said anew' },
  };
  const pathItems = { a: { parameters: [id(1)], get: operationOf(), head: operationOf() } };
  const { operations, unprobed, warnings } = await load(paths, {}, { components: { ...key.components, pathItems } });
  expect(operations).toMatchObject([
    { id: 'GET /a/{id}', access: 'protected', target: '/a/2' },
    { id: 'GET /b/{id}', access: 'public', target: '/b/1' },
  ]);
  expect(unprobed.map(({ id: name }) => name)).toEqual(['HEAD /a/{id}', 'HEAD /b/{id}']);
  expect(warnings).toMatchObject([{ message: expect.stringMatching(/^\/a\/\{id\} has members beside its \$ref/) }]);
});

test('a read that asks for another method beside its own is not probed', async () => {
  const override = (example: string): object => ({
    name: 'X-HTTP-Method-Override',
    in: 'header',
    required: true,
    schema: {},
    example,
  });
  const { operations, unprobed } = await load(
    {
      '/a': { get: locked({ parameters: [override('PATCH')] }) },
      '/b': { get: locked({ parameters: [override('GET')] }) },
    },
    { unsafeMethods: true },
  );
  expect(operations.map(({ id }) => id)).toEqual(['GET /b']);
  expect(unprobed[0]?.reason).toMatch(/^It asks for X-HTTP-Method-Override: PATCH, by which the server may change/);
});

test('an assumed path is replaced by its setting', async () => {
  const paths = { '/a': { get: operationOf({ 'x-access-assumed-path': { setting: 'A_PATH' } }) } };
  expect((await load(paths)).operations[0]).toMatchObject({ target: '/a', assumedPath: { setting: 'A_PATH' } });
  expect((await load(paths, { paths: { A_PATH: '/api/b/' } })).operations[0]).toMatchObject({
    path: '/api/b/',
    target: '/api/b/',
  });
});

test('a default without content promises nothing; a status or a body does', async () => {
  const { operations } = await load({
    '/a': { get: operationOf() },
    '/b': { get: operationOf({ responses: { 204: { description: '-' } } }) },
    '/c': { get: operationOf({ responses: { default: { description: '-', content: { 'text/csv': {} } } } }) },
    '/d': { get: operationOf({ responses: { '2XX': { description: '-' }, default: { description: '-' } } }) },
  });
  expect(operations.map(({ responses }) => responses.map(({ status, content }) => [status, content.length]))).toEqual([
    [],
    [['204', 0]],
    [['default', 1]],
    [
      ['2XX', 0],
      ['default', 0],
    ],
  ]);
});

for (const [what, servers, server] of [
  ['an https server', [{ url: 'https://api.test-host.org/v1/' }], 'https://api.test-host.org/v1'],
  ['variables', [{ url: 'https://{h}.org', variables: { h: { default: 'api' } } }], 'https://api.org'],
  ['a relative server', [{ url: '/v1' }], undefined],
  ['a placeholder host', [{ url: 'https://base-url.invalid' }], undefined],
  ['an example host', [{ url: 'https://api.example.com' }], undefined],
  ['no server', undefined, undefined],
] as const)
  test(`${what} gives ${server ?? 'no target'}`, async () => {
    const contract = await load({ '/a': { get: operationOf() } }, {}, servers ? { servers } : {});
    expect(contract.server).toBe(server);
  });

test('an http server beside an https one is a warning', async () => {
  const servers = [{ url: 'https://a.org' }, { url: 'http://localhost:8000' }];
  const { warnings } = await load({ '/a': { get: operationOf() } }, {}, { servers });
  expect(warnings).toMatchObject([{ message: 'server http://localhost:8000 is not https; it is left out' }]);
});

test('positions lead to the operation, in YAML and in JSON alike', async () => {
  const document = documentOf({ paths: { '/a': { get: operationOf() }, '/b': { get: operationOf() } } });
  const yaml = await loadFiles({ 'a.yaml': document });
  expect(yaml.operations.map(({ position }) => [position.line, position.column])).toEqual([
    [7, 5],
    [13, 5],
  ]);
  const json = await loadFiles({ 'a.json': document });
  expect(json.operations.map(({ position }) => [position.line, position.column])).toEqual([
    [9, 7],
    [19, 7],
  ]);
});

test('clauses and gaps of a document that names none are those that it makes', async () => {
  const ids = async (paths: object): Promise<readonly string[]> => (await load(paths)).clauses.map(({ id }) => id);
  const transport = ['HTTPS-1', 'HTTPS-2', 'PATH-1'];
  expect(await ids({ '/a': { get: operationOf() } })).toEqual([...transport, 'PATH-3', 'AUTH-4']);
  expect(await ids({ '/api/v2/a': { get: locked() } })).toEqual([
    ...transport,
    'PATH-2',
    'PATH-3',
    'AUTH-1',
    'AUTH-2',
    'AUTH-3',
  ]);
  const stated = { responses: { 200: { description: '-', content: { 'application/json': { schema: {} } } } } };
  expect(await ids({ '/a': { get: operationOf(stated) } })).toEqual([
    ...transport,
    'PATH-3',
    'AUTH-4',
    'DOC-1',
    'DOC-2',
  ]);
});

test('a path item that two paths refer to is two operations, the second called by method and path', async () => {
  const shared = { get: operationOf({ operationId: 'read' }) };
  const ref = { $ref: '#/components/pathItems/shared' };
  const { operations, warnings } = await loadFiles({
    'a.yaml': documentOf({
      paths: { '/a': ref, '/b': ref, '/c': { $ref: './b.yaml' }, '/d': { $ref: 'b.yaml' } },
      components: { pathItems: { shared } },
    }),
    'b.yaml': { get: operationOf({ operationId: 'list' }) },
  });
  expect(operations.map(({ id }) => id)).toEqual(['read', 'GET /b', 'list', 'GET /d']);
  expect(warnings).toEqual([]);
  const aliases = await loadFiles({
    'a.yaml': `openapi: 3.1.1\ninfo: {title: T, version: "1"}\npaths:\n  /a: &a {get: {operationId: x, security: [], responses: {default: {description: "-"}}}}\n  /b: *a\n`,
  });
  expect(aliases.operations.map(({ id }) => id)).toEqual(['x', 'GET /b']);
  expect(aliases.warnings).toEqual([]);
});

test('an operationId that two operations have is a warning, and the second is called by method and path', async () => {
  const item = (): object => ({ get: operationOf({ operationId: 'x' }) });
  const { operations, warnings } = await loadFiles({ 'a.yaml': documentOf({ paths: { '/a': item(), '/b': item() } }) });
  expect(operations.map(({ id }) => id)).toEqual(['x', 'GET /b']);
  expect(warnings.map(({ line, message }) => `${line} ${message}`)).toEqual([
    '19 operationId "x" is taken by GET /a (line 7)',
  ]);
});
