import { ContractError } from '../../../src/contract/errors.js';
import type { Contract } from '../../../src/contract/model.js';
import { serialise } from '../../../src/contract/parameter-style.js';
import { documentOf, loadFiles, operationOf } from '../support/documents.js';
import { expect, test } from '../support/test.js';

const load = (path: string, parameters: readonly object[], given?: object): Promise<Contract> => {
  const document = documentOf({ paths: { [path]: { get: operationOf({ operationId: 'getIt', parameters }) } } });
  return given === undefined
    ? loadFiles({ 'a.yaml': document })
    : loadFiles({ 'a.yaml': document, 'p.yaml': given }, { parameters: 'p.yaml' });
};

const targetOf = async (path: string, parameters: readonly object[], given?: object): Promise<string | undefined> =>
  (await load(path, parameters, given)).operations[0]?.target;

const id = { name: 'id', in: 'path', required: true };

for (const [where, parameter] of [
  ['example', { ...id, schema: { type: 'integer', default: 1 }, example: 7 }],
  ['examples', { ...id, schema: {}, examples: { first: { value: 7 }, second: { value: 8 } } }],
  ['the schema’s examples', { ...id, schema: { type: 'integer', examples: [7] } }],
  ['the schema’s example', { ...id, schema: { type: 'integer', example: 7 } }],
  ['the schema’s default', { ...id, schema: { type: 'integer', default: 7 } }],
  ['the schema’s enum', { ...id, schema: { enum: [7, 8] } }],
  ['the schema’s enum behind null', { ...id, schema: { enum: [null, '', { a: [] }, 7] } }],
  ['the schema’s const', { ...id, schema: { const: 7 } }],
  ['a schema inside allOf', { ...id, schema: { allOf: [{ type: 'integer' }, { default: 7 }] } }],
  ['a media type', { ...id, content: { 'application/json': { example: 7 } } }],
] as const)
  test(`a path parameter takes its value from ${where}`, async () => {
    expect(await targetOf('/things/{id}/', [parameter])).toBe('/things/7/');
  });

test('a person’s value goes before the document’s, and the operation’s own before the general one', async () => {
  const parameter = { ...id, schema: {}, example: 7 };
  expect(await targetOf('/things/{id}', [parameter], { id: 8 })).toBe('/things/8');
  expect(await targetOf('/things/{id}', [parameter], { id: 8, getIt: { id: 9 } })).toBe('/things/9');
});

test('a value for the path of an operation goes before a general one, and behind one for its id', async () => {
  const parameter = { ...id, schema: {}, example: 7 };
  expect(await targetOf('/things/{id}', [parameter], { id: 8, '/things/{id}': { id: 9 } })).toBe('/things/9');
  expect(await targetOf('/things/{id}', [parameter], { '/things/{id}': { id: 9 }, getIt: { id: 10 } })).toBe(
    '/things/10',
  );
});

test('a value that is given for an optional parameter is used', async () => {
  const page = { name: 'page', in: 'query', schema: {}, example: 2 };
  expect(await targetOf('/things', [page])).toBe('/things');
  expect(await targetOf('/things', [page], { page: 3 })).toBe('/things?page=3');
});

for (const [what, given, told] of [
  ['beside operations', { id: 8, getItt: { id: 9 } }, [2, 'no operation, path or parameter is called "getItt"']],
  ['inside an operation', { getIt: { idd: 9 } }, [2, '"getIt" has no parameter "idd"']],
  ['inside a path', { '/things/{id}': { idd: 9 } }, [2, '"/things/{id}" has no parameter "idd"']],
] as const)
  test(`a name ${what} of the parameters file that fits nothing is an error with the nearest name`, async () => {
    const loading = load('/things/{id}', [{ ...id, schema: {}, example: 7 }], given);
    const problems = await loading.then(
      () => [],
      (error: unknown) => (error instanceof ContractError ? error.problems : []),
    );
    const [line, message] = told;
    expect(problems).toMatchObject([{ line, message }]);
    expect(problems[0]?.hint).toMatch(/^Did you mean "(?:getIt|id)"\?$/);
  });

for (const [what, path, parameter] of [
  ['path', '/things/{id}', { ...id, schema: { type: 'integer' } }],
  ['query', '/things', { name: 'id', in: 'query', required: true, schema: { type: 'integer' } }],
  ['header', '/things', { name: 'id', in: 'header', required: true, schema: { type: 'integer' } }],
] as const)
  test(`a required ${what} parameter without a value keeps the operation from being probed`, async () => {
    const { operations, unprobed } = await load(path, [parameter]);
    expect(operations).toEqual([]);
    expect(unprobed[0]?.reason).toContain(`no value for the required ${what} parameter "id"`);
    expect(unprobed[0]?.reason).toContain('PARAMETERS');
  });

test('an empty value is none for a path parameter', async () => {
  expect((await load('/things/{id}', [{ ...id, schema: {}, example: '' }])).operations).toEqual([]);
});

test('required query, header and cookie parameters are sent, optional ones are not', async () => {
  const contract = await load('/things', [
    { name: 'q', in: 'query', required: true, schema: {}, example: 'a b&c' },
    { name: 'list', in: 'query', required: true, schema: {}, example: [1, 2] },
    { name: 'page', in: 'query', schema: {}, example: 2 },
    { name: 'X-Team', in: 'header', required: true, schema: {}, example: 'blue' },
    { name: 'Accept', in: 'header', required: true, schema: {}, example: 'text/html' },
    { name: 'Content-Type', in: 'header', required: true, schema: {} },
    { name: 'lang', in: 'cookie', required: true, schema: {}, example: 'en' },
  ]);
  expect(contract.operations[0]).toMatchObject({
    target: '/things?q=a%20b%26c&list=1&list=2',
    headers: [
      ['X-Team', 'blue'],
      ['Cookie', 'lang=en'],
    ],
  });
});

for (const [where, parameter, given] of [
  ['the document', { ...id, schema: {}, example: 9_007_199_254_740_993n }, undefined],
  ['the parameters file', { ...id, schema: {} }, { getIt: { id: 9_007_199_254_740_993n } }],
] as const)
  test(`a whole number of ${where} past 2^53 is sent as it is written`, async () => {
    expect(await targetOf('/things/{id}', [parameter], given)).toBe('/things/9007199254740993');
  });

for (const [what, required, message] of [
  ['said to be optional', false, '"required" must be true, and is false'],
  ['not said to be required', undefined, '"id" lacks "required"'],
] as const)
  test(`a path parameter that is ${what} is a warning`, async () => {
    const { operations, warnings } = await load('/things/{id}', [{ ...id, required, schema: {}, example: 7 }]);
    expect(operations).toMatchObject([{ target: '/things/7' }]);
    const hint = expect.stringMatching(/^It changes nothing of what the suite reads/);
    expect(warnings).toMatchObject([{ message, hint }]);
  });

test('a header field that cannot be called so keeps the operation from being probed', async () => {
  const { unprobed } = await load('/things', [{ name: 'X Y', in: 'header', required: true, schema: {}, example: 1 }]);
  expect(unprobed[0]?.reason).toContain('No header field can be called "X Y"');
});

for (const [media, example, query] of [
  ['application/x-www-form-urlencoded', { a: 1, c: 'd e' }, 'a=1&c=d%20e'],
  ['application/json', { a: 'd e' }, '%7B%22a%22:%22d%20e%22%7D'],
] as const)
  test(`a whole query of ${media} is written as such`, async () => {
    const parameter = { name: 'all', in: 'querystring', required: true, content: { [media]: { example } } };
    const get = operationOf({ parameters: [parameter] });
    const contract = await loadFiles({ 'a.yaml': documentOf({ openapi: '3.2.0', paths: { '/things': { get } } }) });
    expect(contract.operations.map(({ target }) => target)).toEqual([`/things?${query}`]);
  });

test('a parameter that repeats a security scheme is left to the scheme', async () => {
  const securitySchemes = {
    field: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
    session: { type: 'apiKey', in: 'cookie', name: 'sid' },
  };
  const parameter = (place: string, name: string): object => ({ name, in: place, required: true, schema: {} });
  const parameters = [parameter('header', 'X-API-KEY'), parameter('cookie', 'sid')];
  const load = (more: readonly object[]): Promise<Contract> =>
    loadFiles({
      'a.yaml': documentOf({
        components: { securitySchemes },
        security: [{ field: [] }, { session: [] }],
        paths: {
          '/things': {
            get: {
              operationId: 'getIt',
              responses: { 200: { description: '-' } },
              parameters: [...parameters, ...more],
            },
          },
        },
      }),
    });
  expect((await load([])).operations).toMatchObject([{ headers: [] }]);
  expect((await load([parameter('query', 'X-Api-Key')])).unprobed[0]?.reason).toContain('query parameter "X-Api-Key"');
});

test('the operation’s parameter replaces the path item’s of the same name and place; both may be references', async () => {
  const contract = await loadFiles({
    'a.yaml': documentOf({
      paths: {
        '/things/{id}': {
          parameters: [{ ...id, schema: {}, example: 1 }],
          get: operationOf({ parameters: [{ $ref: '#/components/parameters/id' }] }),
        },
      },
      components: {
        parameters: { id: { ...id, schema: { $ref: '#/components/schemas/id' } } },
        schemas: { id: { default: 'ä/b' } },
      },
    }),
  });
  expect(contract.operations[0]).toMatchObject({ id: 'GET /things/{id}', target: '/things/%C3%A4%2Fb' });
});

test('characters that no path may hold are encoded, the others stay as they are written', async () => {
  expect(await targetOf("/a b/ü/%2F/:x@(y)'!", [])).toBe("/a%20b/%C3%BC/%2F/:x@(y)'!");
});

for (const [style, parameter, value, expected] of [
  ['simple list', {}, [3, 4], '3,4'],
  ['simple object', {}, { r: 1, g: 2 }, 'r,1,g,2'],
  ['exploded simple object', { explode: true }, { r: 1, g: 2 }, 'r=1,g=2'],
  ['label', { style: 'label' }, [3, 4], '.3,4'],
  ['exploded label', { style: 'label', explode: true }, [3, 4], '.3.4'],
  ['matrix', { style: 'matrix' }, [3, 4], ';id=3,4'],
  ['reserved simple', { allowReserved: true }, 'a/b?c:d', 'a%2Fb%3Fc:d'],
  ['exploded matrix', { style: 'matrix', explode: true }, [3, 4], ';id=3;id=4'],
] as const)
  test(`the ${style} style of a path parameter`, () => {
    expect(serialise(parameter, 'id', 'path', value)).toBe(expected);
  });

for (const [style, parameter, value, expected] of [
  ['form', { explode: false }, [3, 4], 'id=3,4'],
  ['exploded form', {}, { r: 1, g: 2 }, 'r=1&g=2'],
  ['spaceDelimited', { style: 'spaceDelimited', explode: false }, [3, 4], 'id=3%204'],
  ['pipeDelimited', { style: 'pipeDelimited', explode: false }, [3, 4], 'id=3%7C4'],
  ['deepObject', { style: 'deepObject', explode: true }, { r: 1 }, 'id%5Br%5D=1'],
  ['reserved', { allowReserved: true }, 'a/b c?d', 'id=a/b%20c?d'],
  ['reserved, without what no query may hold,', { allowReserved: true }, '#[1]', 'id=%23%5B1%5D'],
] as const)
  test(`the ${style} style of a query parameter`, () => {
    expect(serialise(parameter, 'id', 'query', value)).toBe(expected);
  });

for (const [what, parameter, value, reason] of [
  ['a nested object', { in: 'query', style: 'deepObject' }, { a: { b: 1 } }, 'the style deepObject has no form for it'],
  ['a list of lists', { in: 'query' }, [[1]], 'the style form has no form for it'],
  ['two lines', { in: 'header' }, 'a\r\nb', 'a header field holds one line'],
] as const)
  test(`${what}, which nothing can write, is no missing value`, async () => {
    const named = { name: 'x', required: true, schema: {}, ...parameter };
    const given = await load('/things', [named], { getIt: { x: value } });
    expect(given.unprobed[0]?.reason).toMatch(/^The value that the PARAMETERS file gives for the required/);
    expect(given.unprobed[0]?.reason).toContain(reason);
    const documented = await load('/things', [{ ...named, example: value }]);
    expect(documented.unprobed[0]?.reason).toMatch(/^The value that the document gives/);
  });

test('a value that no style can write, and one that no field may carry, are none', () => {
  expect(serialise({}, 'id', 'query', [{ a: 1 }])).toBeUndefined();
  expect(serialise({}, 'id', 'header', 'a\r\nb')).toBeUndefined();
});

test('a path parameter that is not declared is taken for a text that has no value', async () => {
  const { unprobed, warnings } = await load('/things/{id}', []);
  expect(warnings.map(({ message }) => message)).toEqual(['path parameter "id" of /things/{id} is not declared']);
  expect(unprobed[0]?.fillable?.missing).toEqual([{ name: 'id', in: 'path', type: 'string' }]);
});
