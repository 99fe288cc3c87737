import { type BodyFit, createBodyValidator } from '../../../src/contract/body-validator.js';
import { documentOf, type Files, loadFiles, operationOf, withMember } from '../support/documents.js';
import { expect, test } from '../support/test.js';

const responsesOf = (schema: unknown): Readonly<Record<string, unknown>> => ({
  responses: { 200: { description: '-', content: { 'application/json': { schema } } } },
});

/**
 * What the validator says of `body` against `schema`, in a document of `openapi` with `schemas`.
 */
const judge = async (
  schema: unknown,
  body: unknown,
  { openapi = '3.1.1', schemas = {}, files = {} }: { openapi?: string; schemas?: object; files?: Files } = {},
): Promise<BodyFit> => {
  const document = documentOf({
    openapi,
    paths: { '/a': { get: operationOf(responsesOf(schema)) } },
    components: { schemas },
  });
  const contract = await loadFiles({ 'a.yaml': document, ...files });
  const described = contract.operations[0]?.responses[0]?.content[0];
  if (!described) throw new Error('the document describes no body');
  return createBodyValidator(contract)(described, body);
};

const old = { openapi: '3.0.3' };
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const withObject = { ...old, schemas: { o: { type: 'object', properties: { id: { type: 'integer' } } } } };

const secret = { type: 'string', writeOnly: true };
const users = {
  schemas: {
    secret,
    base: { type: 'object', properties: { owner: { type: 'string' }, password: secret } },
    asks: { type: 'object', required: ['owner', 'password'] },
    user: { allOf: [ref('base'), ref('asks')] },
    either: { allOf: [ref('base')], oneOf: [{ required: ['password'] }, { required: ['owner'] }] },
  },
};

const pet = (more: object): object => ({
  type: 'object',
  required: ['kind'],
  properties: { kind: { type: 'string' }, ...more },
});
const unions = {
  schemas: {
    cat: pet({ purr: { type: 'string' } }),
    dog: pet({ bark: { type: 'string' } }),
    implied: { oneOf: [ref('cat'), ref('dog')], discriminator: { propertyName: 'kind' } },
    mapped: {
      anyOf: [ref('cat'), ref('dog')],
      discriminator: { propertyName: 'kind', mapping: { D: '#/components/schemas/dog', C: 'cat' } },
    },
    parent: {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'integer' } },
      oneOf: [ref('child')],
      discriminator: { propertyName: 'kind' },
    },
    child: { allOf: [ref('parent'), { properties: { age: { type: 'integer' } } }] },
  },
};

for (const [what, schema, body, options] of [
  ['a body that fits', { type: 'object', required: ['a'] }, { a: 1 }, {}],
  ['null where 3.0 says nullable', { type: 'string', nullable: true }, null, old],
  ['null where 3.0 says nullable beside an enum', { type: 'string', nullable: true, enum: ['x'] }, null, old],
  ['null where 3.1 still says nullable', { type: 'string', nullable: true }, null, {}],
  ['null where nullable stands beside allOf', { nullable: true, allOf: [ref('o')] }, null, withObject],
  [
    'null where nullable stands beside allOf and a type',
    { type: 'object', nullable: true, allOf: [ref('o')] },
    null,
    withObject,
  ],
  ['null where nullable stands beside oneOf', { nullable: true, oneOf: [ref('o')] }, null, withObject],
  ['null where nullable stands beside a reference', { nullable: true, ...ref('o') }, null, withObject],
  ['null where Swagger’s nullable was left', { type: 'string', 'x-nullable': true }, null, old],
  ['null where null is one of the listed values', { type: 'string', enum: ['x', null] }, null, old],
  ['null where 3.1 lists null beside one type', { type: 'string', enum: ['x', null] }, null, {}],
  [
    'a child of a schema that is closed and has children',
    { items: ref('parent') },
    [{ kind: 'child', age: 1 }],
    {
      schemas: {
        parent: {
          type: 'object',
          properties: { kind: { type: 'string' } },
          additionalProperties: false,
          discriminator: { propertyName: 'kind', mapping: { child: '#/components/schemas/child' } },
        },
        child: { allOf: [ref('parent'), { properties: { age: { type: 'integer' } }, additionalProperties: false }] },
      },
    },
  ],
  ['null where nullable stands beside an enum alone', { nullable: true, enum: ['x'] }, null, old],
  [
    'null where 3.1 says nullable beside a reference',
    { nullable: true, ...ref('o') },
    null,
    { schemas: withObject.schemas },
  ],
  [
    'an answer without a writeOnly member behind a reference',
    { required: ['p'], properties: { p: ref('secret') } },
    {},
    users,
  ],
  ['an answer without a writeOnly member of a composition', ref('user'), { owner: 'o' }, users],
  ['an answer without a writeOnly member around a composition', { required: ['password'], ...ref('base') }, {}, users],
  ['an answer that two alternatives of request members fit', ref('either'), { owner: 'o' }, users],
  ['an answer without what a negation speaks of', { allOf: [ref('base')], not: { required: ['password'] } }, {}, users],
  ['a body of a union whose alternatives share their members', ref('implied'), { kind: 'dog', bark: 'loud' }, unions],
  ['a body of a union that names no alternative', ref('implied'), { kind: 'cow' }, unions],
  ['a body of a union with a mapping', ref('mapped'), { kind: 'D', bark: 'loud', purr: 1 }, unions],
  ['a nullable union', { nullable: true, ...ref('implied') }, null, unions],
  ['an alternative that is made of its union', ref('parent'), { id: 1, kind: 'child', age: 2 }, unions],
  ['such an alternative by itself', ref('child'), { id: 1, kind: 'child', age: 2 }, unions],
  ['a number inside exclusive bounds of 3.0', { type: 'integer', minimum: 1, exclusiveMinimum: true }, 2, old],
  ['a number on an inclusive bound of 3.0', { type: 'integer', minimum: 1, exclusiveMinimum: false }, 1, old],
  ['an answer without what requests alone need', { required: ['p'], properties: { p: { writeOnly: true } } }, {}, old],
  ['an escape that no dialect needs', { pattern: '^[a-z\\_]+\\@[a-z\\-]+\\-$' }, 'a_b@c-d-', {}],
  ['a brace that stands for itself', { pattern: '^\\[[^\\]]*]$' }, '[é]', {}],
  ['a multiple of a whole number', { items: { multipleOf: 7 } }, [0, -7, 7e14, 1e21], {}],
  ['a number with more digits than are kept', { multipleOf: 10 }, 2 ** 60, {}],
  ['a format that nobody knows', { type: 'string', format: 'colour' }, 'a', {}],
  ['siblings of a reference in 3.0', { ...ref('n'), maximum: 1 }, 2, { ...old, schemas: { n: { type: 'integer' } } }],
  [
    'a member that is missing and that every object inherits',
    {
      properties: { constructor: { type: 'string' } },
      dependentRequired: { toString: ['a'] },
      dependentSchemas: { hasOwnProperty: false },
      not: { required: ['valueOf'] },
    },
    {},
    {},
  ],
  [
    'a member that is called like a keyword',
    { properties: { $ref: { type: 'string' }, enum: { type: 'integer' } } },
    { $ref: 'x', enum: 1 },
    {},
  ],
] as const)
  test(`${what} is no mismatch`, async () => {
    expect(await judge(schema, body, options)).toEqual({ verdict: 'fits' });
  });

for (const [what, schema, body, pointer, message, options] of [
  ['a missing member', { type: 'object', required: ['a'] }, {}, '', "must have required property 'a'", {}],
  [
    'a wrong type, deep down',
    { type: 'array', items: { properties: { 'a/b': { type: 'string' } } } },
    [{}, { 'a/b': 1 }],
    '/1/a~1b',
    'must be string',
    {},
  ],
  [
    'a value outside an enum',
    { enum: ['a', 'b'] },
    'c',
    '',
    'must be equal to one of the allowed values: ["a","b"]',
    {},
  ],
  [
    'a member that is not allowed',
    { additionalProperties: false },
    { a: 1 },
    '',
    'must NOT have additional properties ("a")',
    {},
  ],
  [
    'null where 3.0 does not say nullable',
    { type: 'string' },
    null,
    '',
    'must be string, and is null: `nullable: true` (OpenAPI 3.0) or `type: [string, "null"]` (3.1) would allow it',
    old,
  ],
  [
    'no object where nullable stands beside allOf',
    { nullable: true, allOf: [ref('o')] },
    5,
    '',
    'must be object',
    withObject,
  ],
  [
    'a wrong member where nullable stands beside allOf',
    { nullable: true, allOf: [ref('o')] },
    { id: 'x' },
    '/id',
    'must be integer',
    withObject,
  ],
  [
    'a value outside a nullable enum',
    { nullable: true, enum: ['x'] },
    'y',
    '',
    'must be equal to one of the allowed values: ["x"]',
    old,
  ],
  ['another missing member beside a writeOnly one', ref('user'), {}, '', "must have required property 'owner'", users],
  [
    'a member that is readable elsewhere',
    ref('asks'),
    { owner: 'o' },
    '',
    "must have required property 'password'",
    users,
  ],
  [
    'a body that names an alternative and is another',
    ref('implied'),
    { kind: 'dog', bark: 5 },
    '/bark',
    'must be string',
    unions,
  ],
  ['a body that a mapping names', ref('mapped'), { kind: 'C', purr: 5, bark: 'x' }, '/purr', 'must be string', unions],
  [
    'a name without a mapping beside others',
    ref('mapped'),
    { kind: 'dog', bark: 5 },
    '/bark',
    'must be string',
    unions,
  ],
  [
    'a body that no alternative fits',
    ref('implied'),
    { kind: 5 },
    '/kind',
    'is in a value that fits none of its 2 alternatives: must be string',
    unions,
  ],
  ['an alternative that breaks its union', ref('child'), { id: 'x' }, '/id', 'must be integer', unions],
  [
    'a broken alternative that is made of its union',
    ref('parent'),
    { id: 1, kind: 'child', age: 'x' },
    '/age',
    'must be integer',
    unions,
  ],
  [
    'a number on an exclusive bound of 3.0',
    { type: 'integer', minimum: 1, exclusiveMinimum: true },
    1,
    '',
    'must be > 1',
    old,
  ],
  [
    'an escape that no dialect needs',
    { pattern: '^[a-z]+\\@[a-z]+$' },
    'A',
    '',
    'must match pattern "^[a-z]+\\@[a-z]+$"',
    {},
  ],
  [
    'a missing member that every object inherits',
    { required: ['constructor'] },
    {},
    '',
    "must have required property 'constructor'",
    {},
  ],
  [
    'a member that nothing speaks of and that every object inherits',
    { anyOf: [{ required: ['b'] }, { properties: { a: {} } }, ref('n')], unevaluatedProperties: false },
    { a: 1, constructor: 1 },
    '',
    'must NOT have unevaluated properties ("constructor")',
    { schemas: { n: { patternProperties: { '^b': {} } } } },
  ],
  ['a part of a whole number', { items: { multipleOf: 1 } }, [1, 1.005], '/1', 'must be multiple of 1', {}],
  ['an odd number', { multipleOf: 2 }, 1e15 + 1, '', 'must be multiple of 2', {}],
  ['a referenced schema', ref('n'), 'x', '', 'must be integer', { schemas: { n: { type: 'integer' } } }],
  [
    'siblings of a reference in 3.1',
    { ...ref('n'), maximum: 1 },
    2,
    '',
    'must be <= 1',
    { schemas: { n: { type: 'integer' } } },
  ],
] as const)
  test(`${what} is a mismatch with its pointer`, async () => {
    expect(withMember(await judge(schema, body, options))).toEqual({ verdict: 'differs', pointer, message });
  });

for (const [what, schema, body, place] of [
  ['an item', { type: 'array', items: ref('n') }, [{ id: 'x' }], '#/components/schemas/n/properties/id/type'],
  ['a member', { properties: { of: ref('n') } }, { of: { id: 'x' } }, '#/components/schemas/n/properties/id/type'],
  ['a missing member', ref('n'), {}, '#/components/schemas/n/required/id'],
  ['a schema of its own', { type: 'integer' }, 'x', undefined],
] as const)
  test(`a mismatch of ${what} names the shared schema, if there is one`, async () => {
    const schemas = { n: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } };
    const fit = await judge(schema, body, { schemas });
    expect(fit.verdict === 'differs' && fit.schema).toBe(place);
  });

/** Python’s, and possibly meant as something that ECMA-262 writes in another way. */
const foreign = '(?i)^[a-z]+\\Z';

for (const [what, schema, body] of [
  ['of a value', { pattern: foreign }, '1'],
  ['of Unicode classes and a needless brace', { pattern: '^\\p{L}}+$' }, 'é'],
  ['of a quantifier', { pattern: '^a{,3}$' }, 'aa'],
  ['of member names', { patternProperties: { [foreign]: { type: 'string' } }, additionalProperties: false }, { a: 1 }],
  ['inside a negation', { not: { pattern: foreign } }, '1'],
  ['inside alternatives', { oneOf: [ref('n'), { type: 'string', maxLength: 3 }] }, 'ab'],
  ['inside a condition', { if: { pattern: foreign }, else: { maxLength: 1 } }, 'ab'],
  ['inside what is counted', { contains: { pattern: foreign }, maxContains: 1 }, ['a', '1']],
] as const)
  test(`a pattern that cannot be read, ${what}, asks for nothing and is named`, async () => {
    const fit = await judge(schema, body, { schemas: { n: { pattern: foreign } } });
    expect(fit).toEqual({ verdict: 'fits', message: expect.stringMatching(/^was not checked against the pattern "/) });
  });

for (const [format, value] of [
  ['date', '2024-13-01'],
  ['date-time', '2026-01-01T10:00:00'],
  ['time', '10:00:00'],
  ['duration', 'PT0.5S'],
  ['uri', 'https://example.org/café'],
  ['int32', 5_000_000_000],
] as const)
  test(`a value that is not of the format ${format} fits, with a note`, async () => {
    expect(await judge({ properties: { v: { format } } }, { v: value })).toEqual({
      verdict: 'fits',
      pointer: '/v',
      message: `is not of the format "${format}", which is a note of the schema and no demand`,
    });
  });

test('alternatives that formats tell apart are told apart where they can be, and never more strictly', async () => {
  const schema = { oneOf: [{ format: 'date' }, { format: 'date-time' }], type: 'string' };
  expect(await judge(schema, '2026-01-01')).toEqual({ verdict: 'fits' });
  expect(await judge(schema, '2026-01-01T10:00:00')).toMatchObject({ verdict: 'fits', pointer: '' });
  expect(await judge({ not: { format: 'date' } }, 'tomorrow')).toEqual({ verdict: 'fits' });
  expect(await judge(schema, 5)).toMatchObject({ verdict: 'differs', message: 'must be string' });
});

test('a format that a value is not of hides nothing else', async () => {
  const schema = { properties: { a: { format: 'date' }, b: { type: 'string' } } };
  expect(await judge(schema, { a: 'x', b: 1 })).toEqual({
    verdict: 'differs',
    pointer: '/b',
    message: 'must be string',
  });
  const either = { properties: { a: { format: 'date' } }, oneOf: [{ required: ['b'] }, { required: ['c'] }] };
  expect(await judge(either, { a: 'x' })).toMatchObject({ verdict: 'differs' });
});

test('a pattern that cannot be read hides nothing else', async () => {
  const schema = { properties: { a: { pattern: foreign }, b: { type: 'string' } } };
  expect(await judge(schema, { a: 'x', b: 1 })).toMatchObject({ verdict: 'differs', pointer: '/b' });
  const alternatives = { oneOf: [{ properties: { a: { pattern: foreign } } }], type: 'object', required: ['c'] };
  expect(await judge(alternatives, { a: 'x' })).toMatchObject({ verdict: 'differs' });
});

test('schemas that lead to each other in a ring are compiled, whatever else they lead to', async () => {
  // Larger than what is copied inline.
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`q${index}`, { type: 'string' }]));
  const schemas = {
    a: { properties: { b: ref('b'), c: ref('c') } },
    b: { properties: { a: ref('a'), ...many } },
    c: { properties: { b: ref('b'), ...many } },
  };
  for (const name of Object.keys(schemas))
    expect(await judge(ref(name), { b: { q1: 1 }, a: { c: { q1: 1 } } }, { schemas })).toMatchObject({
      verdict: 'differs',
      message: 'must be string',
    });
});

test('a schema that cannot be used says nothing, and spoils no other', async () => {
  const fit = await judge({ type: 'nonsense' }, 1);
  expect(fit).toEqual({ verdict: 'unclear', message: expect.stringContaining('cannot be used (type must be') });
  const endless = await judge(ref('n'), 1, { schemas: { n: { allOf: [ref('n')] } } });
  expect(endless).toEqual({ verdict: 'unclear', message: expect.stringContaining('leads back to itself') });
  const document = documentOf({
    paths: {
      '/a': { get: operationOf(responsesOf({ type: 'nonsense' })) },
      '/b': { get: operationOf(responsesOf({ type: 'string' })) },
    },
  });
  const contract = await loadFiles({ 'a.yaml': document });
  const validate = createBodyValidator(contract);
  const verdicts = contract.operations.flatMap(({ responses }) =>
    responses.flatMap(({ content }) => content.map((described) => validate(described, 1).verdict)),
  );
  expect(verdicts).toEqual(['unclear', 'differs']);
});

for (const [what, openapi, slip, message] of [
  ['required', '3.0.4', { properties: { n: { type: 'string', required: true } } }, '"required" must be array'],
  ['a type of 3.1', '3.0.4', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, '"type" is the string "null"'],
  ['a list of types', '3.0.4', { type: ['integer', 'null'] }, '"type" must be string'],
  ['a member that is no schema', '3.0.4', { properties: { n: 'integer' } }, '"n" must be object'],
  ['a limit below nothing', '3.0.4', { enum: [1], minLength: -1 }, '"minLength" must be >= 0'],
  ['null', '3.0.4', null, '"slip" must be object'],
  ['null in 3.1', '3.1.1', null, '"slip" must be object'],
] as const)
  test(`a slip in a schema keeps bodies from being held against it, and nothing else: ${what}`, async () => {
    const document = documentOf({
      openapi,
      paths: {
        '/a': { get: operationOf(responsesOf(ref('slip'))) },
        '/b': { get: operationOf(responsesOf({ type: 'array', items: ref('around') })) },
        '/c': { get: operationOf(responsesOf({ type: 'string' })) },
      },
      components: { schemas: { slip, around: { allOf: [ref('slip')] } } },
    });
    const contract = await loadFiles({ 'a.yaml': document });
    const [warning, ...more] = contract.warnings;
    expect(more).toEqual([]);
    expect(warning?.message).toContain(message);
    expect(warning?.hint).toMatch(/^No body is checked against this schema\./);
    const validate = createBodyValidator(contract);
    const fits = contract.operations.flatMap(({ responses }) =>
      responses.flatMap(({ content }) => content.map((each) => validate(each, [1]))),
    );
    expect(fits.map(({ verdict }) => verdict)).toEqual(['unclear', 'unclear', 'differs']);
    expect(fits[0]?.message).toBe(`has a schema that cannot be used (line ${warning?.line} does not fit OpenAPI)`);
  });

test('schemas that contain themselves are followed as deep as the body goes', async () => {
  const node = { type: 'object', required: ['v'], properties: { v: { type: 'integer' }, next: ref('node') } };
  expect(await judge(ref('node'), { v: 1, next: { v: 2, next: { v: 'x' } } }, { schemas: { node } })).toMatchObject({
    pointer: '/next/next/v',
  });
  expect(await judge(ref('node'), { v: 1, next: { v: 2 } }, { schemas: { node } })).toEqual({ verdict: 'fits' });
});

const bee = { type: 'object', properties: { n: { type: 'integer' } } };

for (const [what, schema, schemas, body] of [
  ['an anchor', { $ref: '#bee' }, { bee: { $anchor: 'bee', ...bee } }, { n: 'x' }],
  [
    'an $id',
    { $ref: 'https://schemas.invalid/bee' },
    { bee: { $id: 'https://schemas.invalid/bee', ...bee } },
    { n: 'x' },
  ],
  [
    'a pointer below an $id',
    { properties: { n: { $ref: 'https://schemas.invalid/bee#/properties/n' } } },
    { bee: { $id: 'https://schemas.invalid/bee', ...bee } },
    { n: 'x' },
  ],
  [
    'an $id that is relative to another, and an anchor there',
    { properties: { n: ref('a') } },
    {
      a: { $id: 'https://schemas.invalid/a/a', $ref: 'b#here' },
      b: { $id: 'https://schemas.invalid/a/b', $defs: { n: { $anchor: 'here', type: 'integer' } } },
      c: { $id: 'https://schemas.invalid/a/c', $defs: { n: { $anchor: 'here', type: 'string' } } },
    },
    { n: 'x' },
  ],
  [
    'a pointer that begins at the schema with the $id, and one that begins at the file',
    ref('a'),
    {
      a: {
        $id: 'https://schemas.invalid/a',
        properties: { n: { $ref: '#/$defs/own' }, m: ref('text') },
        $defs: { own: { type: 'integer' } },
      },
      text: { type: 'string' },
    },
    { m: 'x', n: 'x' },
  ],
  ['a dynamic anchor', { $ref: '#node' }, { a: { $dynamicAnchor: 'node', ...bee } }, { n: 'x' }],
] as const)
  test(`${what} is followed`, async () => {
    expect(await judge(schema, body, { schemas })).toMatchObject({ verdict: 'differs', pointer: '/n' });
    expect(await judge(schema, { ...body, n: 1 }, { schemas })).toEqual({ verdict: 'fits' });
  });

const draft7 = 'http://json-schema.org/draft-07/schema#';

for (const [what, schema, reason] of [
  [
    'a dynamic reference',
    { properties: { a: { $dynamicAnchor: 'n', items: { $dynamicRef: '#n' } } } },
    'the keyword $dynamicRef is not supported',
  ],
  ['a recursive reference', { items: { $recursiveRef: '#' } }, 'the keyword $recursiveRef is not supported'],
  ['another draft', { $schema: draft7 }, `its dialect ${draft7} is not supported, only that of OpenAPI 3.1`],
  [
    'another draft inside',
    { properties: { a: { $schema: 'https://json-schema.org/draft/2019-09/schema' } } },
    'its dialect https://json-schema.org/draft/2019-09/schema is not supported',
  ],
] as const)
  test(`a schema with ${what} is not supported, and its bodies are not judged`, async () => {
    const fit = await judge(schema, {});
    expect(fit).toEqual({
      verdict: 'unclear',
      message: expect.stringContaining(`has a schema that cannot be used (${reason}`),
    });
  });

for (const [what, schema, body] of [
  ['JSON Schema 2020-12', { $schema: 'https://json-schema.org/draft/2020-12/schema', ...ref('n'), maximum: 1 }, 2],
  ['OpenAPI 3.1', { $schema: 'https://spec.openapis.org/oas/3.1/dialect/base', type: 'string' }, 2],
  ['no other, where a member is called $schema', { properties: { $schema: { type: 'string' } } }, { $schema: 1 }],
] as const)
  test(`a schema in the dialect of ${what} is judged`, async () => {
    expect(await judge(schema, body, { schemas: { n: { type: 'integer' } } })).toMatchObject({ verdict: 'differs' });
  });

test('the dialect is that of the file, and else the one that the document names', async () => {
  const files = {
    's.yaml': { $schema: draft7, definitions: { n: { type: 'string' } } },
    't.yaml': { n: { type: 'string' } },
  };
  const usual = 'https://spec.openapis.org/oas/3.1/dialect/base';
  for (const [schema, dialect, verdict] of [
    [{ $ref: 's.yaml#/definitions/n' }, undefined, 'unclear'],
    [{ $ref: 't.yaml#/n' }, usual, 'differs'],
    [{ $ref: 't.yaml#/n' }, draft7, 'unclear'],
    [{ $schema: usual, type: 'string' }, draft7, 'differs'],
  ] as const) {
    const paths = { '/a': { get: operationOf(responsesOf(schema)) } };
    const document = documentOf({ ...(dialect ? { jsonSchemaDialect: dialect } : {}), paths });
    const contract = await loadFiles({ 'a.yaml': document, ...files });
    const described = contract.operations[0]?.responses[0]?.content[0];
    expect(described && createBodyValidator(contract)(described, 1).verdict).toBe(verdict);
  }
});

test('a fraction that a number must be a multiple of is left out, with a note', async () => {
  const price = { type: 'number', multipleOf: 0.01 };
  const message = 'was not checked against multipleOf 0.01: only whole numbers are supported there';
  expect(await judge({ items: price }, [19.99, 1.005])).toEqual({ verdict: 'fits', message });
  expect(await judge({ items: price }, ['x'])).toMatchObject({ verdict: 'differs', pointer: '/0' });
  expect(await judge({ not: price }, 19.99)).toEqual({ verdict: 'fits', message });
});

test('the document is found by its own name, and anchors in the files beside it', async () => {
  const document = documentOf({
    openapi: '3.2.0',
    $self: 'https://schemas.invalid/api',
    paths: { '/a': { get: operationOf(responsesOf({ $ref: 'https://schemas.invalid/api#/components/schemas/n' })) } },
    components: { schemas: { n: { $ref: 's.yaml#here' } } },
  });
  const contract = await loadFiles({ 'a.yaml': document, 's.yaml': { x: { $anchor: 'here', type: 'integer' } } });
  const described = contract.operations[0]?.responses[0]?.content[0];
  expect(described && createBodyValidator(contract)(described, 'x').verdict).toBe('differs');
});

test('schemas in files beside the document are followed, and back again', async () => {
  const files = {
    's.yaml': {
      one: { properties: { two: { $ref: '#/two' }, back: { $ref: 'a.yaml#/components/schemas/n' } } },
      two: { type: 'string' },
    },
  };
  const options = { files, schemas: { n: { type: 'integer' } } };
  expect(await judge({ $ref: 's.yaml#/one' }, { two: 2 }, options)).toMatchObject({ pointer: '/two' });
  expect(await judge({ $ref: 's.yaml#/one' }, { back: 'x' }, options)).toMatchObject({ pointer: '/back' });
  expect(await judge({ $ref: 's.yaml#/one' }, { two: 'x', back: 1 }, options)).toEqual({ verdict: 'fits' });
});

test('unions of unions take no longer than there are ways through them that differ', async () => {
  const names = Array.from({ length: 7 }, (_, index) => `u${index}`);
  const schemas = Object.fromEntries(
    names.flatMap((name) => [
      [
        name,
        {
          oneOf: [...names.filter((other) => other !== name), `${name}leaf`].map(ref),
          discriminator: { propertyName: 'k' },
        },
      ],
      [`${name}leaf`, { type: 'object', required: ['k', name] }],
    ]),
  );
  // Time of this process alone: the machine may have other work.
  const start = process.cpuUsage();
  expect(await judge(ref('u0'), { k: 'u3leaf', u3: 1 }, { schemas })).toEqual({ verdict: 'fits' });
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(60_000);
});

test('no value of the body is in the message', async () => {
  const mismatch = await judge({ type: 'object', properties: { a: { const: 'known' } } }, { a: 'somebody’s secret' });
  expect(JSON.stringify(mismatch)).not.toContain('secret');
});
