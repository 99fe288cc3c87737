import { createBodyValidator } from '../../../src/contract/body-validator.js';
import { documentOf, loadFiles, operationOf } from '../support/documents.js';
import { expect, test } from '../support/test.js';

test('references inside the document are followed in path items, operations, responses and schemes', async () => {
  const contract = await loadFiles({
    'a.yaml': documentOf({
      paths: { '/a': { $ref: '#/components/pathItems/a' } },
      components: {
        pathItems: {
          a: { get: operationOf({ security: [{ k: [] }], responses: { 200: { $ref: '#/components/responses/ok' } } }) },
        },
        responses: { ok: { description: '-', content: { 'application/json': {} } } },
        securitySchemes: { k: { $ref: '#/components/securitySchemes/real' }, real: { type: 'http', scheme: 'bearer' } },
      },
    }),
  });
  expect(contract.operations).toMatchObject([
    {
      id: 'GET /a',
      security: [{ name: 'k', prefix: 'Bearer ' }],
      responses: [{ status: '200', content: [{ mediaType: 'application/json' }] }],
    },
  ]);
});

test('files beside the document are read, and point at themselves', async () => {
  const contract = await loadFiles({
    'a.yaml': documentOf({ paths: { '/a': { $ref: 'paths.json#/a' } } }),
    'paths.json': { a: { get: operationOf({ parameters: [{ $ref: 'more.yaml' }] }) } },
    'more.yaml': { name: 'q', in: 'query', required: true, schema: {}, example: 1 },
  });
  expect(contract.operations[0]).toMatchObject({ target: '/a?q=1', position: { line: 3, column: 5 } });
  expect(contract.operations[0]?.position.file).toMatch(/paths\.json$/);
});

test('a change in a file beside the document changes the digest', async () => {
  const files = (title: string): Record<string, object> => ({
    'a.yaml': documentOf({ paths: { '/a': { $ref: 'b.yaml' } } }),
    'b.yaml': { get: operationOf({ summary: title }) },
  });
  expect((await loadFiles(files('x'))).sha256).not.toBe((await loadFiles(files('y'))).sha256);
});

test('schemas that contain themselves are no trouble', async () => {
  const node = { type: 'object', properties: { next: { $ref: '#/components/schemas/node' } } };
  const responses = {
    200: { description: '-', content: { 'application/json': { schema: { $ref: '#/components/schemas/node' } } } },
  };
  const contract = await loadFiles({
    'a.yaml': documentOf({ paths: { '/a': { get: operationOf({ responses }) } }, components: { schemas: { node } } }),
  });
  expect(contract.operations).toHaveLength(1);
});

test('a reference that nothing uses is checked all the same, also an anchor, and data that looks like one is not', async () => {
  const schemas = {
    broken: { $ref: '#/components/schemas/no' },
    fine: {
      type: 'object',
      properties: { $ref: { type: 'string' }, example: { type: 'string' } },
      example: { $ref: '#/no' },
    },
    anchored: { $ref: '#bee' },
    lost: { $ref: '#wasp' },
    bee: { $anchor: 'bee' },
    hidden: { type: 'object', properties: { example: { $ref: '#/components/schemas/nope' } } },
  };
  const get = operationOf({ security: [] });
  const { warnings } = await loadFiles({ 'a.yaml': documentOf({ paths: { '/a': { get } }, components: { schemas } }) });
  expect(warnings.map(({ message, hint }) => `${message} ${hint}`)).toEqual([
    '$ref "#/components/schemas/no" names nothing No body is checked against this schema.',
    '$ref "#wasp" names nothing No body is checked against this schema.',
    '$ref "#/components/schemas/nope" names nothing No body is checked against this schema.',
  ]);
});

test('a schema over the network is not read, and no body is checked against one around it', async () => {
  const away = { $ref: 'https://example.com/thing.json' };
  const bodies = { '/a': away, '/b': { $ref: '#/components/schemas/around' }, '/c': { type: 'object' } };
  const described = (schema: object): object =>
    operationOf({ responses: { 200: { description: '-', content: { 'application/json': { schema } } } } });
  const paths = Object.fromEntries(Object.entries(bodies).map(([path, schema]) => [path, { get: described(schema) }]));
  const schemas = { around: { type: 'object', properties: { thing: away } } };
  const contract = await loadFiles({ 'a.yaml': documentOf({ paths, components: { schemas } }) });
  const validate = createBodyValidator(contract);
  const fits = contract.operations.flatMap(({ responses }) =>
    responses.flatMap(({ content }) => content.map((each) => validate(each, 1).verdict)),
  );
  expect(fits).toEqual(['unclear', 'unclear', 'differs']);
  expect(contract.warnings).toHaveLength(2);
  for (const { message, hint } of contract.warnings) {
    expect(message).toBe('$ref "https://example.com/thing.json" leads over the network, which is never read');
    expect(hint).toMatch(/^No body is checked against this schema\. Save that document beside this one/);
  }
});

test('a parameter whose schema leads nowhere has no value of the document, and the rest is read', async () => {
  const nowhere = { $ref: '#/components/schemas/no' };
  const optional = { name: 'q', in: 'query', content: { 'application/json': { schema: nowhere } } };
  const id = { name: 'id', in: 'path', required: true, schema: nowhere };
  const contract = await loadFiles({
    'a.yaml': documentOf({
      paths: {
        '/a': { get: operationOf({ parameters: [optional] }) },
        '/a/{id}': { parameters: [{ $ref: '#/components/parameters/id' }], get: operationOf(), delete: operationOf() },
      },
      components: { parameters: { id } },
    }),
  });
  expect(contract.operations.map(({ target }) => target)).toEqual(['/a']);
  expect(contract.unprobed.map(({ method, fillable }) => [method, fillable !== undefined])).toEqual([
    ['GET', true],
    ['DELETE', false],
  ]);
  expect(contract.warnings.map(({ message, hint }) => `${message} ${hint}`)).toEqual([
    '$ref "#/components/schemas/no" names nothing No value is taken from this schema.',
    '$ref "#/components/schemas/no" names nothing No value is taken from this schema.',
  ]);
});

test('escapes of JSON Pointer and of URIs are undone', async () => {
  const paths = {
    '/a b/{c}': { parameters: [{ name: 'c', in: 'path', required: true, schema: {}, example: 1 }], get: operationOf() },
  };
  const contract = await loadFiles({
    'a.yaml': documentOf({ paths: { ...paths, '/z/{c}': { $ref: '#/paths/~1a%20b~1%7Bc%7D' } } }),
  });
  expect(contract.operations.map(({ target }) => target)).toEqual(['/a%20b/1', '/z/1']);
});
