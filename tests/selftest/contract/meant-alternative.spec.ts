import fc from 'fast-check';
import { quickValidator, specificationVersions, thoroughValidator } from '../../../src/contract/official-schema.js';
import { relevantErrors } from '../../../src/contract/schema-errors.js';
import { expect, oneOfThree, test } from '../support/test.js';

/** A document with an object of each kind, valid in each version. */
const document = (openapi: string): object => ({
  openapi,
  info: { title: 'T', version: '1', license: { name: 'x' } },
  servers: [{ url: 'https://a.example', variables: { v: { default: 'd' } } }],
  security: [{ key: [] }],
  paths: {
    '/a/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: {
        parameters: [
          { name: 'q', in: 'query', schema: { type: 'object', additionalProperties: true }, example: {} },
          { name: 'c', in: 'header', content: { 'a/b': {} } },
          { $ref: '#/components/parameters/p' },
        ],
        requestBody: { content: { 'a/b': { schema: { items: {}, additionalProperties: { type: 'string' } } } } },
        responses: {
          200: {
            description: 'd',
            headers: { X: { schema: {} } },
            links: { l: { operationId: 'g' } },
            content: { 'application/json': { schema: { not: {} }, examples: { e: { value: 1 } } } },
          },
        },
        callbacks: { c: { '{$url}': { post: { responses: { default: { description: '' } } } } } },
      },
    },
  },
  components: {
    securitySchemes: {
      key: { type: 'apiKey', name: 'X', in: 'header' },
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      basic: { type: 'http', scheme: 'basic' },
      oauth: { type: 'oauth2', flows: { implicit: { authorizationUrl: 'u', scopes: {} } } },
      oidc: { type: 'openIdConnect', openIdConnectUrl: 'u' },
    },
    parameters: { p: { name: 'p', in: 'query', schema: { type: 'integer' } } },
  },
});

const containersIn = (value: unknown): readonly Record<string, unknown>[] =>
  typeof value === 'object' && value !== null
    ? [value as Record<string, unknown>, ...Object.values(value).flatMap(containersIn)]
    : [];

const slip = fc
  .record({
    container: fc.nat(),
    member: fc.nat(),
    name: fc.constantFrom(
      'type',
      'in',
      'name',
      'schema',
      'content',
      '$ref',
      'example',
      'examples',
      'style',
      'scheme',
      'x',
    ),
    kind: fc.constantFrom('remove', 'replace', 'add'),
    value: fc.constantFrom(null, 5, 'x', true, [], {}, [{}], { $ref: '#/x' }, { type: 'x' }, { in: 'body' }),
  })
  // A callback may have an expression of that name, which no other object has.
  .filter(({ name, value }) => name !== '$ref' || typeof value !== 'object');

for (const [row, version] of specificationVersions.entries())
  test(
    `errors are told of what the official schema refuses, and of nothing else, in ${version}`,
    oneOfThree(row),
    () => {
      fc.assert(
        fc.property(fc.array(slip, { maxLength: 3 }), (slips) => {
          const slipped = document(`${version}.0`);
          for (const { container, member, name, kind, value } of slips) {
            const containers = containersIn(slipped);
            const chosen = containers[container % containers.length] ?? {};
            const there = Object.keys(chosen)[member % Math.max(1, Object.keys(chosen).length)] ?? name;
            if (kind === 'remove') delete chosen[there];
            else chosen[kind === 'add' ? name : there] = structuredClone(value);
          }
          const validate = thoroughValidator(version);
          validate(slipped);
          const told = relevantErrors(validate.errors ?? [], validate.schema);
          expect(told.length === 0).toBe(quickValidator(version)(slipped));
        }),
        { numRuns: process.env.ZOO === 'all' ? 1_000 : 300, seed: 1 },
      );
    },
  );
