import { judge, ref } from '../support/judge-body.js';
import { expect, inCi, test } from '../support/test.js';

/** Schemas that lead to others: in rings, and in other files. */

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
      message: 'must be string, and is number',
    });
});

test('schemas that contain themselves are followed as deep as the body goes', async () => {
  const node = { type: 'object', required: ['v'], properties: { v: { type: 'integer' }, next: ref('node') } };
  expect(await judge(ref('node'), { v: 1, next: { v: 2, next: { v: 'x' } } }, { schemas: { node } })).toMatchObject({
    pointer: '/next/next/v',
  });
  expect(await judge(ref('node'), { v: 1, next: { v: 2 } }, { schemas: { node } })).toEqual({ verdict: 'fits' });
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

test('unions of unions take no longer than there are ways through them that differ', inCi, async () => {
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
