import { withMember } from '../support/documents.js';
import { judge, ref } from '../support/judge-body.js';
import { expect, test } from '../support/test.js';

const old = { openapi: '3.0.3' };
const withObject = { ...old, schemas: { o: { type: 'object', properties: { id: { type: 'integer' } } } } };

const withFile = { ...old, schemas: { file: { type: 'string', format: 'binary' } } };

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
  ['a file of JSON, for the document says any octets', ref('file'), [1], withFile],
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
  ['null where 3.0 has the type of 3.1', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, null, old],
  ['null where 3.0 has several types', { type: ['integer', 'null'] }, null, old],
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
  ['a fraction with more digits than are kept', { multipleOf: 0.1 }, 0.1 + 0.2, {}],
  ['an amount in cents', { items: { multipleOf: 0.01 } }, [19.99, 0.07, -1e-2, 1e15, 0], {}],
  ['a number that is no multiple of zero', { multipleOf: 0 }, 5, {}],
  ['items beyond the first ones', { prefixItems: [{ const: 1 }], unevaluatedItems: { type: 'string' } }, [1, 'a'], {}],
  [
    'members that a condition alone speaks of',
    { if: { properties: { a: { type: 'string' } } }, unevaluatedProperties: false },
    { a: 'x' },
    {},
  ],
  [
    'a list of what refers to itself by a member with the name of a keyword',
    { prefixItems: [ref('n')] },
    [],
    { schemas: { n: { type: 'object', properties: { enum: ref('n') }, required: ['enum'] } } },
  ],
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
    'must be string, and is number',
    {},
  ],
  ['a value outside an enum', { enum: ['a', 'b'] }, 'c', '', 'must be "a" or "b"', {}],
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
    'must be string, and is null: `nullable: true` (OpenAPI 3.0) or the type "null" (3.1) would allow it',
    old,
  ],
  [
    'no object where nullable stands beside allOf',
    { nullable: true, allOf: [ref('o')] },
    5,
    '',
    'must be object, and is number',
    withObject,
  ],
  [
    'a wrong member where nullable stands beside allOf',
    { nullable: true, allOf: [ref('o')] },
    { id: 'x' },
    '/id',
    'must be integer, and is string',
    withObject,
  ],
  [
    'no number where 3.0 has several types',
    { type: ['integer', 'null'] },
    'x',
    '',
    'must be integer,null, and is string',
    old,
  ],
  ['a value outside a nullable enum', { nullable: true, enum: ['x'] }, 'y', '', 'must be "x"', old],
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
    'a body that names an alternative and is none',
    ref('implied'),
    { kind: 'dog', bark: 5, purr: 5 },
    '/bark',
    'must be string, and is number',
    unions,
  ],
  [
    'a body that a mapping names',
    ref('mapped'),
    { kind: 'C', purr: 5, bark: 5 },
    '/purr',
    'must be string, and is number',
    unions,
  ],
  [
    'a name without a mapping beside others',
    ref('mapped'),
    { kind: 'dog', bark: 5, purr: 5 },
    '/bark',
    'must be string, and is number',
    unions,
  ],
  [
    'a body that no alternative fits',
    ref('implied'),
    { kind: 5 },
    '/kind',
    'must be string, and is number, and no other alternative fits',
    unions,
  ],
  ['an alternative that breaks its union', ref('child'), { id: 'x' }, '/id', 'must be integer, and is string', unions],
  [
    'a broken alternative that is made of its union',
    ref('parent'),
    { id: 1, kind: 'child', age: 'x' },
    '/age',
    'must be integer, and is string',
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
  ['a part of a cent', { items: { multipleOf: 0.01 } }, [19.99, 1.005], '/1', 'must be multiple of 0.01', {}],
  [
    'a list that is too short for its first items and lacks one',
    { prefixItems: [{ type: 'string' }], contains: { type: 'integer' } },
    [],
    '',
    'must contain at least 1 valid item(s)',
    {},
  ],
  [
    'an item beyond the first ones',
    { prefixItems: [{ const: 1 }], unevaluatedItems: { type: 'string' } },
    [1, 2],
    '/1',
    'must be string, and is number',
    {},
  ],
  [
    'a body of a schema with an anchor',
    { $ref: '#small' },
    5,
    '',
    'must be <= 1',
    { schemas: { n: { $defs: { small: { $anchor: 'small', maximum: 1 } } } } },
  ],
  ['a referenced schema', ref('n'), 'x', '', 'must be integer, and is string', { schemas: { n: { type: 'integer' } } }],
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
    const isNull = message.includes(', and is null') ? { isNull: true } : {};
    expect(withMember(await judge(schema, body, options))).toEqual({ verdict: 'differs', pointer, message, ...isNull });
  });

test('a body that fits another alternative than it names fits, with a note: the name is a hint', async () => {
  const message =
    'does not fit the alternative that a discriminator names, which is only a hint: another alternative fits';
  for (const alternatives of ['implied', 'mapped'])
    expect(await judge({ items: ref(alternatives) }, [{ kind: 'dog', bark: 5 }], unions)).toEqual({
      verdict: 'fits',
      pointer: '/0/bark',
      message,
    });
});

for (const [what, schema, body, place] of [
  ['an item', { type: 'array', items: ref('n') }, [{ id: 'x' }], '#/components/schemas/n/properties/id/type'],
  ['a member', { properties: { of: ref('n') } }, { of: { id: 'x' } }, '#/components/schemas/n/properties/id/type'],
  ['a missing member', ref('n'), {}, '#/components/schemas/n/required/id'],
  ['a schema of its own', { type: 'integer' }, 'x', expect.stringMatching(/^nameless:[0-9a-f]{12}\/type$/)],
] as const)
  test(`a mismatch of ${what} names the part of the schema`, async () => {
    const schemas = { n: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } };
    const fit = await judge(schema, body, { schemas });
    expect(fit.verdict === 'differs' && fit.schema).toEqual(place);
  });

test('equal objects without a name have one place, in a list or alone; others have another', async () => {
  const row = (id: string) => ({ type: 'object', properties: { id: { type: id }, of: ref('n') } });
  const placeIn = async (schema: object, body: unknown): Promise<string | false | undefined> => {
    const fit = await judge(schema, body, { schemas: { n: {}, m: {} } });
    return fit.verdict === 'differs' && fit.schema;
  };
  const place = await placeIn(row('integer'), { id: 'x' });
  expect(place).toMatch(/^nameless:[0-9a-f]{12}\/properties\/id\/type$/);
  const list = { type: 'object', properties: { first: ref('m'), rows: { type: 'array', items: row('integer') } } };
  expect(await placeIn(list, { rows: [{ id: 'x' }] })).toBe(place);
  expect(await placeIn(row('boolean'), { id: 'x' })).not.toBe(place);
});

test('no value of the body is in the message', async () => {
  const mismatch = await judge({ type: 'object', properties: { a: { const: 'known' } } }, { a: 'somebody’s secret' });
  expect(JSON.stringify(mismatch)).not.toContain('secret');
});
