import { judge, ref } from '../support/judge-body.js';
import { expect, test } from '../support/test.js';

/** What is asked of texts and numbers, and cannot be checked, or is a note. */

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
      message: 'fits but for its format, which is a note of the schema and no demand',
    });
  });

test('alternatives that formats tell apart are told apart where they can be, and never more strictly', async () => {
  const schema = { oneOf: [{ format: 'date' }, { format: 'date-time' }], type: 'string' };
  expect(await judge(schema, '2026-01-01')).toEqual({ verdict: 'fits' });
  expect(await judge(schema, '2026-01-01T10:00:00')).toMatchObject({ verdict: 'fits', pointer: '' });
  expect(await judge({ not: { format: 'date' } }, 'tomorrow')).toEqual({ verdict: 'fits' });
  expect(await judge(schema, 5)).toMatchObject({ verdict: 'differs', message: 'must be string, and is number' });
});

test('a format that a value is not of hides nothing else', async () => {
  const schema = { properties: { a: { format: 'date' }, b: { type: 'string' } } };
  expect(await judge(schema, { a: 'x', b: 1 })).toMatchObject({
    verdict: 'differs',
    pointer: '/b',
    message: 'must be string, and is number',
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

test('what is miscounted in compositions is left out, with a note', async () => {
  const tail = { unevaluatedItems: false, anyOf: [{ items: { type: 'integer' } }, { prefixItems: [{}] }] };
  const message = 'was not checked against unevaluatedItems, which is only supported alone';
  expect(await judge(tail, [1, 2])).toEqual({ verdict: 'fits', message });
  expect(await judge({ not: tail }, [1, 2])).toEqual({ verdict: 'fits', message });
  expect(await judge({ properties: { a: tail, b: { type: 'string' } } }, { b: 1 })).toMatchObject({ pointer: '/b' });
});
