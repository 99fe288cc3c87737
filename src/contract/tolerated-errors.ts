import type { ErrorObject } from 'ajv';
import type { Path } from './json-values.js';

/**
 * Length of the part of `path` that leads to the Schema Object of a body, or to a shared one; `undefined` outside of them. The
 * schema of a parameter is none: what is sent hangs on it.
 */
const schemaPathLength = (path: Path): number | undefined => {
  if (path[0] === 'components' && path[1] === 'schemas') return path.length > 2 ? 3 : undefined;
  const content = path.findIndex((key, index) => key === 'content' && path[index + 2] === 'schema');
  return content === -1 || path.slice(0, content).includes('parameters') ? undefined : content + 3;
};

/** Where a schema has a slip: the slip, and every schema around it. */
export const enclosingSchemas = (slip: Path): readonly Path[] => {
  const start = schemaPathLength(slip) ?? slip.length;
  return Array.from({ length: slip.length - start + 1 }, (_, more) => slip.slice(0, start + more));
};

/** What a slip costs that has nothing to do with access, with parameters or with the structure of the document: a schema, or nothing. */
export type Harm = 'schema' | 'none';

/** Members of the document, of its components, of operations, of responses and of media types that nothing here reads. */
const unusedMembers: Readonly<
  Record<'root' | 'components' | 'operation' | 'response' | 'mediaType', readonly string[]>
> = {
  root: ['info', 'tags', 'externalDocs', 'webhooks'],
  components: ['examples', 'links', 'callbacks', 'headers'],
  operation: ['tags', 'externalDocs', 'callbacks', 'deprecated'],
  response: ['headers', 'links'],
  mediaType: ['example', 'examples', 'encoding'],
};

const has = (names: readonly string[], key: string | number | undefined): boolean => names.some((name) => name === key);

/** Whether a place is below the responses of an operation or of the components, in a part that nothing reads. */
const inResponse = (path: Path): boolean => {
  const responses = path.indexOf('responses');
  if (responses !== 1 && responses !== 3) return false;
  const [, part, , member] = path.slice(responses + 1);
  return has(unusedMembers.response, part) || (part === 'content' && has(unusedMembers.mediaType, member));
};

const isUnused = (path: Path): boolean => {
  const [root, second, , member] = path;
  return (
    has(unusedMembers.root, root) ||
    (root === 'components' && has(unusedMembers.components, second)) ||
    (root === 'paths' && has(unusedMembers.operation, member)) ||
    // Of a request body only whether one is required.
    (root === 'paths' && member === 'requestBody' && path[4] !== 'required' && path[4] !== '$ref') ||
    // A token is sent whatever way it was got.
    (root === 'components' && second === 'securitySchemes' && member === 'flows') ||
    inResponse(path) ||
    has(['description', 'summary'], path.at(-1))
  );
};

/** Members that OpenAPI asks for and nothing here does, by where they are missing. */
const isOptionalHere = (name: unknown, path: Path): boolean => {
  if (path.length === 0) return name === 'info';
  if (name === 'responses') return path[0] === 'paths' && path.length === 3;
  return name === 'description' && path.at(-2) === 'responses';
};

/** Keys of responses that are written in another case: what they mean is plain. */
const isStatusInOtherCase = (name: unknown): boolean => /^(?:[1-5]xx|default)$/i.test(String(name));

/** What a complaint of the official schema costs; `undefined` where the document cannot be used. */
export const harmOf = ({ keyword, params }: ErrorObject, path: Path): Harm | undefined => {
  if (schemaPathLength(path) !== undefined) return 'schema';
  const ofResponses = path.at(-1) === 'responses';
  const harmless =
    isUnused(path) ||
    (keyword === 'required' && isOptionalHere(params.missingProperty, path)) ||
    (ofResponses && keyword === 'minProperties') ||
    (ofResponses && keyword === 'required' && params.missingProperty === 'default') ||
    (ofResponses && keyword === 'additionalProperties' && isStatusInOtherCase(params.additionalProperty)) ||
    (ofResponses && keyword === 'unevaluatedProperties' && isStatusInOtherCase(params.unevaluatedProperty));
  return harmless ? 'none' : undefined;
};

/** A response that nobody describes: many documents have many. */
export const isUndescribed = ({ keyword, params }: ErrorObject): boolean =>
  keyword === 'required' && params.missingProperty === 'description';
