import { type BodyFit, createBodyValidator } from '../../../src/contract/body-validator.js';
import { documentOf, loadFiles, operationOf, withMember } from '../support/documents.js';
import { expect, test } from '../support/test.js';

/** What a document says and cannot mean is its own fault, and no service is accused of it. */

interface Around {
  readonly schemas?: Readonly<Record<string, object>>;
  readonly openapi?: string;
}

const judge = async (
  schema: unknown,
  body: unknown,
  { schemas = {}, openapi = '3.1.1' }: Around = {},
): Promise<BodyFit> => {
  const responses = { 200: { description: '-', content: { 'application/json': { schema } } } };
  const contract = await loadFiles({
    'a.yaml': documentOf({ openapi, paths: { '/a': { get: operationOf({ responses }) } }, components: { schemas } }),
  });
  const described = contract.operations[0]?.responses[0]?.content[0];
  if (!described) throw new Error('the document describes no body');
  return createBodyValidator(contract)(described, body);
};

const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });
const closed = { additionalProperties: false };
const text = { type: 'string' };
const number = { type: 'integer' };

const lists = {
  Cats: { type: 'array', items: object({ purr: text }, { required: ['purr'] }) },
  Dogs: { type: 'array', items: object({ bark: text }, { required: ['bark'] }) },
};

for (const [what, schema, body, pointer, message, around] of [
  [
    'an empty list that may be a list of either',
    { oneOf: [ref('Cats'), ref('Dogs')] },
    [],
    '',
    'fits more than one alternative of its oneOf, and the schema says that exactly one fits',
    { schemas: lists },
  ],
  [
    'two of three',
    object({ n: { oneOf: [number, { type: 'boolean' }, { type: 'number' }] } }),
    { n: 1 },
    '/n',
    'fits more than one alternative of its oneOf, and the schema says that exactly one fits',
    {},
  ],
  [
    'several in a branch that is otherwise right',
    { anyOf: [object({ l: { oneOf: [ref('Cats'), ref('Dogs')] } }), { type: 'null' }] },
    { l: [] },
    '/l',
    expect.stringContaining('more than one alternative'),
    { schemas: lists, openapi: '3.1.1' },
  ],
  [
    'several, and a format besides',
    object({ d: { ...text, format: 'date' }, l: { oneOf: [ref('Cats'), ref('Dogs')] } }),
    { d: 'x', l: [] },
    expect.any(String),
    expect.any(String),
    { schemas: lists },
  ],
  [
    'a member of a part that another part forbids',
    { allOf: [ref('Base'), object({ b: text })] },
    { a: 1, b: 'x' },
    '',
    expect.stringContaining('another one forbids (additionalProperties: false)'),
    { schemas: { Base: object({ a: number }, closed) } },
  ],
  [
    'members of the parts that the whole forbids',
    { allOf: [ref('Base')], ...object({ b: text }), ...closed },
    { a: 1, b: 'x' },
    '',
    expect.stringContaining('another one forbids'),
    { schemas: { Base: object({ a: number }, { required: ['a'] }) } },
  ],
  [
    'members beside closed alternatives',
    { ...object({ kind: text }), oneOf: [object({ a: text }, closed), object({ b: text }, closed)] },
    { kind: 'a', a: 'x' },
    '',
    expect.any(String),
    {},
  ],
] as const)
  test(`${what} fits, with a note`, async () => {
    expect(await judge(schema, body, around)).toEqual({ verdict: 'fits', pointer, message });
  });

for (const [what, schema, body, pointer, message, around] of [
  [
    'no alternative',
    { oneOf: [ref('Cats'), ref('Dogs')] },
    [{}],
    '/0',
    "must have required property 'purr', and no other alternative fits",
    { schemas: lists },
  ],
  [
    'no type of a union',
    { oneOf: [text, number] },
    true,
    '',
    'must be string, and is boolean, and no other alternative fits',
    {},
  ],
  [
    'a member that no part describes',
    { allOf: [ref('Base'), object({ b: text }, closed)] },
    { a: 1, c: 1 },
    '',
    'must NOT have additional properties ("c")',
    { schemas: { Base: object({ a: number }, closed) } },
  ],
  [
    'a wrong member beside a forbidden one',
    { allOf: [ref('Base'), object({ b: text })] },
    { a: 'x', b: 'x' },
    '/a',
    'must be integer, and is string',
    { schemas: { Base: object({ a: number }, closed) } },
  ],
  [
    'several at one place and a wrong value at another',
    object({ l: { oneOf: [ref('Cats'), ref('Dogs')] }, n: number }),
    { l: [], n: 'x' },
    '/n',
    'must be integer, and is string',
    { schemas: lists },
  ],
  [
    'an object without parts that closes itself',
    object({ a: text }, closed),
    { b: 1 },
    '',
    'must NOT have additional properties ("b")',
    {},
  ],
  ['a value of a list', object({ s: { ...text, enum: ['a'] } }), { s: 'b' }, '/s', 'must be "a"', {}],
  [
    'no alternative of a part that has some of its own',
    { allOf: [{ anyOf: [ref('A'), object({ b: text }, { required: ['b'] })] }, { type: 'object' }] },
    {},
    '',
    "must have required property 'a', and no other alternative fits",
    { schemas: { A: { allOf: [{ anyOf: [{ required: ['a'] }, { required: ['c'] }] }] } } },
  ],
  [
    'a tree that ends',
    ref('Tree'),
    { children: [{ children: 1 }] },
    '/children/0/children',
    'must be array, and is number',
    {
      schemas: { Tree: object({ children: { type: 'array', items: ref('Tree') } }, { required: ['children'] }) },
    },
  ],
] as const)
  test(`${what} is still a mismatch`, async () => {
    expect(withMember(await judge(schema, body, around))).toEqual({ verdict: 'differs', pointer, message });
  });

for (const [what, schema, body, pointer, reason, around] of [
  [
    'values of another type',
    object({ s: { ...text, enum: [1, 2] } }),
    { s: '1' },
    '/s',
    /none of the values that it lists/,
    {},
  ],
  [
    'types that exclude each other',
    { allOf: [ref('A'), { type: 'array' }] },
    {},
    '',
    /types exclude each other/,
    { schemas: { A: object({}) } },
  ],
  [
    'types of different parts of one member',
    { allOf: [object({ id: number }), object({ id: text })] },
    { id: 1 },
    '/id',
    /types exclude/,
    {},
  ],
  [
    'a member that one part asks for and another forbids',
    { allOf: [object({ a: text }, closed), { required: ['b'] }] },
    { a: 'x', b: 'y' },
    '',
    /asks for the member "b"/,
    {},
  ],
  ['bounds that cross', { items: { type: 'number', minimum: 5, maximum: 1 } }, [3], '/0', /bounds exclude/, {}],
  ['lengths that cross', { ...text, minLength: 9, maxLength: 3 }, 'abcd', '', /least length/, {}],
  [
    'a value that must hold one like itself for ever',
    ref('Node'),
    { next: { next: null } },
    '',
    /like itself/,
    {
      schemas: { Node: object({ next: ref('Node') }, { required: ['next'] }) },
    },
  ],
  [
    'an item that cannot be',
    { type: 'array', minItems: 1, items: { ...number, enum: ['x'] } },
    [1],
    '',
    /asks for an item/,
    {},
  ],
  [
    'alternatives of which none can be',
    { type: 'object', anyOf: [text, number] },
    {},
    '',
    /each alternative is excluded/,
    {},
  ],
  [
    'a member of one of several alternatives',
    {
      oneOf: [
        object({ kind: text, alias: { type: 'null', oneOf: [text, number] } }),
        object({ kind: text, limited: { const: true } }, { required: ['limited'] }),
      ],
    },
    { kind: 'cat', alias: 'tom' },
    '/alias',
    /one of its alternatives, each alternative is excluded: its types exclude each other/,
    {},
  ],
  [
    'the alternative that is meant',
    { oneOf: [ref('Cat'), ref('Dog')] },
    { purr: 'x' },
    '',
    /one of its alternatives, it asks for the member "purr"/,
    {
      schemas: {
        Cat: object({ purr: { ...text, enum: [1] } }, { required: ['purr'] }),
        Dog: object({ bark: text }, { required: ['bark'] }),
      },
    },
  ],
] as const)
  test(`a schema that no value fits is the document’s fault: ${what}`, async () => {
    const fit = await judge(schema, body, around);
    expect(fit).toEqual({ verdict: 'unclear', pointer, message: expect.stringMatching(reason) });
    expect(fit.message).toMatch(/^has a schema there that no value fits \(/);
  });
