import type { MediaTypeSchema } from '../../../src/contract/model.js';
import { contentFor, responseFor } from '../../../src/rules/documented-response/response-description.js';
import { expect, test } from '../support/test.js';

/** Which description of an answer applies, of several that fit. */

const position = { file: 'a.yaml', line: 1, column: 1 };

const contentOf = (...names: readonly string[]): { readonly content: readonly MediaTypeSchema[] } => ({
  content: names.map((mediaType) => ({ mediaType, position })),
});

for (const [described, contentType, applies] of [
  [['application/json', 'application/*', '*/*'], 'application/json', 'application/json'],
  [['*/*', 'application/*', 'application/json'], 'Application/JSON; charset=utf-8', 'application/json'],
  [['*/*', 'application/*'], 'application/problem+json', 'application/*'],
  [['application/*', 'application/*+json'], 'application/problem+json', 'application/*+json'],
  [['application/*+json'], 'application/vnd.a+b+json', 'application/*+json'],
  [['application/*+json'], 'application/json', undefined],
  [['application/*+json'], 'text/problem+json', undefined],
  [['application/json'], 'application/problem+json', undefined],
  [['text/*', '*/*'], 'image/png', '*/*'],
  [['application/json; v=1', 'application/json; v=2'], 'application/json;v="2"', 'application/json; v=2'],
  [['application/json', 'application/json; v=2'], 'application/json; V=2; q=1', 'application/json; v=2'],
  [['application/json', 'application/json; v=2'], 'application/json; v=3', 'application/json'],
  [['application/json; v=1', 'application/json; v=2'], 'application/json', 'several'],
  [['application/json; v=1', 'application/json; w=2'], 'application/json; w=2; v=1', 'several'],
] as const)
  test(`of ${described.join(' and ')}, an answer as ${contentType} is described by ${applies ?? 'none'}`, () => {
    const found = contentFor(contentOf(...described), contentType);
    expect(found && ('several' in found ? 'several' : found.mediaType)).toBe(applies);
  });

for (const [listed, status, applies] of [
  [['200', '2XX', 'default'], 200, '200'],
  [['default', '2XX', '200'], 206, '2XX'],
  [['2XX', 'default'], 404, 'default'],
  [['200', '4XX'], 201, undefined],
] as const)
  test(`of ${listed.join(' and ')}, an answer with ${status} is described by ${applies ?? 'none'}`, () => {
    const responses = listed.map((each) => ({ status: each, position, ...contentOf() }));
    expect(responseFor({ responses }, status)?.status).toBe(applies);
  });
