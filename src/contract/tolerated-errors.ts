import type { ErrorObject } from 'ajv';
import { forEachObject, pathOf, pointerOf } from './json-values.js';
import { membersOf, placeOf } from './schema-errors.js';

/**
 * Why an error does not stop a run: it stands in the schema of a body, which is then not used, or
 * in a part of the document that the suite does not use. Access, parameters and the structure of
 * the document are none of these. The text is the first sentence of a hint.
 */
export const consequences = {
  'in a schema': 'No body is checked against this schema.',
  unused: 'The suite does not use this part, so the document is read all the same.',
};
export type Tolerance = keyof typeof consequences;

const pointers = (...patterns: readonly string[]): RegExp => new RegExp(`^(?:${patterns.join('|')})$`);

const operation = '/paths/[^/]+/[^/]+';
const response = `(?:${operation}|/components)/responses/[^/]+`;

/** The Schema Object of a body, or a shared one. Requests depend on the schema of a parameter. */
const schemaOfBody = /^(?:\/components\/schemas\/[^/]+|(?:(?!\/parameters\/).)*?\/content\/[^/]+\/schema(?=\/|$))/;

const unused = pointers(
  '/(?:info|tags|externalDocs|webhooks)(?:/.*)?',
  '/components/(?:examples|links|callbacks|headers)(?:/.*)?',
  `${operation}/(?:tags|externalDocs|callbacks|deprecated)(?:/.*)?`,
  // Of a request body, only `required` is used.
  `${operation}/requestBody(?:/(?!required$|\\$ref$).*)?`,
  // A token is sent alike whatever flow gave it.
  '/components/securitySchemes/[^/]+/flows(?:/.*)?',
  `${response}/(?:headers|links|content/[^/]+/(?:example|examples|encoding))(?:/.*)?`,
  '.*/(?:description|summary)',
);

/**
 * Errors that change nothing of what is read: responses or texts are missing, a path parameter is
 * not said to be required, a body has an example beside examples, and generators leave members
 * behind. These are fields of another kind of security scheme, and of a Media Type Object, which
 * Swagger 2.0 had in the response itself.
 */
const harmless = pointers(
  `(?:required|minProperties) (?:/info|${operation}/responses|.*/responses/[^/]+/description)`,
  '(?:required|enum|const) .*/parameters/[^/]+/required',
  'has /components/securitySchemes/[^/]+/(?:name|in|scheme|bearerFormat|flows|openIdConnectUrl)',
  `not ${response}/content/[^/]+`,
  'has .*/responses/(?:[1-5][Xx][Xx]|Default|DEFAULT|[^/]+/(?:schema|example|examples))',
);

/**
 * Why a part of the document that cannot be used is tolerated; `undefined` where the document
 * cannot be used then.
 */
export const toleranceAt = (pointer: string): Tolerance | undefined =>
  schemaOfBody.test(pointer) ? 'in a schema' : unused.test(pointer) ? 'unused' : undefined;

/**
 * Whether a place stands in a component that nothing refers to. Where the document refers to other
 * files, these may refer to any.
 */
export const unreferredIn = (document: unknown): ((pointer: string) => boolean) => {
  const used = new Set<string | undefined>();
  forEachObject(document, ({ $ref }) => {
    if (typeof $ref !== 'string') return;
    const path = $ref.startsWith('#/') ? pathOf($ref.slice(1)) : undefined;
    used.add(path && pointerOf(path.slice(0, 3)));
  });
  return (pointer) => {
    const component = /^\/components\/(?!securitySchemes\/)[^/]+\/[^/]+/.exec(pointer)?.[0];
    return component !== undefined && !used.has(undefined) && !used.has(component);
  };
};

/** Why an error of the official schema is tolerated, if it is. */
export const toleranceOf = (error: ErrorObject, isUnreferred: (pointer: string) => boolean): Tolerance | undefined => {
  const { keyword, instancePath } = error;
  const kind = keyword !== 'required' && membersOf(error).length === 1 ? 'has' : keyword;
  const isUnused = isUnreferred(instancePath) || harmless.test(`${kind} ${placeOf(error)}`);
  return toleranceAt(instancePath) ?? (isUnused ? 'unused' : undefined);
};
