import { createBodyValidator } from '../../../src/contract/body-validator.js';
import { documentOf, loadFiles, operationOf } from '../support/documents.js';
import { judge, ref, responsesOf } from '../support/judge-body.js';
import { expect, test } from '../support/test.js';

/** Schemas that no body can be held against. */

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
  ['a type that is none', '3.0.4', { anyOf: [{ type: 'integer' }, { type: 'none' }] }, 'or "string", and is "none"'],
  ['a list of such types', '3.0.4', { type: ['integer', 'none'] }, '"type" must be string'],
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
