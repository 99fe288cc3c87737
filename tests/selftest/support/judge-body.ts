import { type BodyFit, createBodyValidator } from '../../../src/contract/body-validator.js';
import { documentOf, type Files, loadFiles, operationOf } from './documents.js';

/** The responses of an operation that answers with JSON of this schema. */
export const responsesOf = (schema: unknown): Readonly<Record<string, unknown>> => ({
  responses: { 200: { description: '-', content: { 'application/json': { schema } } } },
});

/**
 * What the validator says of `body` against `schema`, in a document of `openapi` with `schemas`.
 */
export const judge = async (
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

/** A reference to a shared schema. */
export const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
