import type { ErrorObject } from 'ajv';
import type { Path } from './json-values.js';

/**
 * Length of the part of `path` that leads to the Schema Object of a body, or to a shared one;
 * `undefined` outside of them. The schema of a parameter is none: requests depend on it.
 */
const schemaPathLength = (path: Path): number | undefined => {
  if (path[0] === 'components' && path[1] === 'schemas') return path.length > 2 ? 3 : undefined;
  const content = path.findIndex((key, index) => key === 'content' && path[index + 2] === 'schema');
  return content === -1 || path.slice(0, content).includes('parameters') ? undefined : content + 3;
};

/** The place of an error inside a schema, and every schema around it. */
export const enclosingSchemas = (error: Path): readonly Path[] => {
  const start = schemaPathLength(error) ?? error.length;
  return Array.from({ length: error.length - start + 1 }, (_, more) => error.slice(0, start + more));
};

/**
 * Where an error that does not stop a run stands: in the schema of a body, which is then not used,
 * or in a part of the document that the suite does not use. Access, parameters and the structure of
 * the document are neither.
 */
export type Tolerance = 'in a schema' | 'unused';

/** Members of each kind of object that the suite does not use. */
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

/** Whether a path leads to an unused part of a response, of an operation or of the components. */
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
    // Of a request body, only `required` is used.
    (root === 'paths' && member === 'requestBody' && path[4] !== 'required' && path[4] !== '$ref') ||
    // A token is sent alike whatever flow gave it.
    (root === 'components' && second === 'securitySchemes' && member === 'flows') ||
    inResponse(path) ||
    has(['description', 'summary'], path.at(-1))
  );
};

/** Whether a member that OpenAPI requires may be missing at this place. */
const isOptionalHere = (name: unknown, path: Path): boolean => {
  if (path.length === 0) return name === 'info';
  if (name === 'responses') return path[0] === 'paths' && path.length === 3;
  return name === 'description' && path.at(-2) === 'responses';
};

/** A status range or `default` in another case, such as `2xx`. */
const isStatusInOtherCase = (name: unknown): boolean => /^(?:[1-5]xx|default)$/i.test(String(name));

/** Fields of a Media Type Object, which Swagger 2.0 had in the response itself. */
const ofMediaType: readonly string[] = ['schema', 'example', 'examples'];
/** Fields of a Security Scheme Object, whatever its type. */
const ofSecurityScheme: readonly string[] = ['name', 'in', 'scheme', 'bearerFormat', 'flows', 'openIdConnectUrl'];

/**
 * Whether an unknown field belongs to another kind of object: generators leave such fields behind,
 * and what is read stands beside them. No misspelling is one.
 */
const isLeftBehind = ({ params }: ErrorObject, path: Path): boolean => {
  const name: unknown = params.unevaluatedProperty ?? params.additionalProperty;
  if (typeof name !== 'string') return false;
  if (path.length === 3 && path[0] === 'components' && path[1] === 'securitySchemes')
    return has(ofSecurityScheme, name);
  const isResponse =
    (path.length === 3 && path[0] === 'components' && path[1] === 'responses') ||
    (path.length === 5 && path[0] === 'paths' && path[3] === 'responses');
  return isResponse && has(ofMediaType, name);
};

/**
 * Why an error of the official schema is tolerated; `undefined` where the document cannot be used.
 */
export const toleranceOf = (error: ErrorObject, path: Path): Tolerance | undefined => {
  const { keyword, params } = error;
  if (schemaPathLength(path) !== undefined) return 'in a schema';
  const ofResponses = path.at(-1) === 'responses';
  const isTolerated =
    isUnused(path) ||
    isLeftBehind(error, path) ||
    (keyword === 'required' && isOptionalHere(params.missingProperty, path)) ||
    (ofResponses && keyword === 'minProperties') ||
    (ofResponses && keyword === 'required' && params.missingProperty === 'default') ||
    (ofResponses && keyword === 'additionalProperties' && isStatusInOtherCase(params.additionalProperty)) ||
    (ofResponses && keyword === 'unevaluatedProperties' && isStatusInOtherCase(params.unevaluatedProperty));
  return isTolerated ? 'unused' : undefined;
};

/** A response without a description: many documents have many. */
export const isMissingDescription = ({ keyword, params }: ErrorObject): boolean =>
  keyword === 'required' && params.missingProperty === 'description';

/**
 * Why a part of the document that cannot be used is tolerated; `undefined` where the document
 * cannot be used then.
 */
export const toleranceAt = (path: Path): Tolerance | undefined => {
  if (isUnused(path)) return 'unused';
  return schemaPathLength(path) === undefined ? undefined : 'in a schema';
};
