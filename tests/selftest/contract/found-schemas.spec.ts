import { createBodyValidator } from '../../../src/contract/body-validator.js';
import { documentOf, loadFiles, operationOf } from '../support/documents.js';
import { judge, ref, responsesOf } from '../support/judge-body.js';
import { expect, test } from '../support/test.js';

/** Schemas that lead to others: in rings, by anchors and ids, in other files. */

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
