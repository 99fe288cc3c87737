import type { ErrorObject } from 'ajv';
import { wordsIn } from '../collections.js';
import { forEachObject, isArray, pathOfPointer, pointerOf } from './json-values.js';
import { membersOf, placeOf } from './schema-errors.js';

/** Errors of a document that do not stop a run. */

/**
 * Why an error does not stop a run: it stands in a schema, which is then not used, or in a part of
 * the document that the suite does not use. Access and the structure of the document are none of
 * these, and of a parameter only a reference of its schema is. The text is the first sentence of a
 * hint.
 */
export const consequences = {
  'in a schema': 'No body is checked against this schema.',
  'in a parameter': 'No value is taken from this schema.',
  unused: 'The suite does not use this part, so the document is read all the same.',
  harmless: 'It changes nothing of what the suite reads.',
  newer: 'It is read as in OpenAPI 3.1.',
  empty: 'It is read as empty.',
  'not asked': 'Its operations are not asked.',
};
type Tolerance = keyof typeof consequences;

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
 * not said to be required, a component has an odd name, a body has an example beside examples, and
 * generators leave members behind. These are fields of another kind of security scheme, of a Media
 * Type Object, which Swagger 2.0 had in the response itself, and any in a Media Type Object: only
 * its schema is used.
 */
const harmless = pointers(
  `(?:required|minProperties) (?:/info|${operation}/responses|.*/responses/[^/]+/description)`,
  '(?:required|enum|const) .*/parameters/[^/]+/required',
  'pattern /components/[^/]+/[^/]+',
  'has /components/securitySchemes/[^/]+/(?:name|in|scheme|bearerFormat|flows|openIdConnectUrl)',
  `not ${response}/content/[^/]+`,
  'has .*/responses/(?:[1-5][Xx][Xx]|Default|DEFAULT|[^/]+/(?:schema|example|examples|content/[^/]+/[^/]+))',
);

/**
 * Lists and objects that YAML gives the value null, since nothing stands behind their names. An
 * empty operation, or an empty list of requirements, does not say what is meant.
 */
const mayBeNull = pointers(
  '(?:.*/)?security/\\d+/[^/]+',
  '/paths/[^/]+(?:/[^/]+)?/parameters',
  `${response}/content(?:/[^/]+)?`,
  '/components(?:/[^/]+)?',
);

/**
 * Why a part of the document that cannot be used is tolerated; `undefined` where the document
 * cannot be used then.
 */
const toleranceAt = (pointer: string): Tolerance | undefined =>
  schemaOfBody.test(pointer) ? 'in a schema' : unused.test(pointer) ? 'unused' : undefined;

/** The schema of a parameter. A value of it is given by PARAMETERS or by answers all the same. */
const schemaOfParameter =
  /^(?:\/paths\/[^/]+(?:\/[^/]+)?|\/components)\/parameters\/[^/]+\/(?:content\/[^/]+\/)?schema(?=\/|$)/;

/** Like `toleranceAt`, for a reference that cannot be followed. */
export const toleranceOfReference = (pointer: string): Tolerance | undefined =>
  toleranceAt(pointer) ?? (schemaOfParameter.test(pointer) ? 'in a parameter' : undefined);

/**
 * Whether a place stands in a component that nothing refers to. Where the document refers to other
 * files, these may refer to any.
 */
export const unreferredIn = (document: unknown): ((pointer: string) => boolean) => {
  const used = new Set<string | undefined>();
  forEachObject(document, ({ $ref }) => {
    if (typeof $ref !== 'string') return;
    const path = $ref.startsWith('#/') ? pathOfPointer($ref.slice(1)) : undefined;
    used.add(path && pointerOf(path.slice(0, 3)));
  });
  return (pointer) => {
    const component = /^\/components\/(?!securitySchemes\/)[^/]+\/[^/]+/.exec(pointer)?.[0];
    return component !== undefined && !used.has(undefined) && !used.has(component);
  };
};

const types = wordsIn('null boolean object array number string integer');

/** Types of OpenAPI 3.1 that 3.0 does not have: null, and several. */
const isNewerType = (type: unknown): boolean =>
  type === 'null' || (isArray(type) && type.length > 0 && type.every((each) => types.some((known) => known === each)));

/** Whether an error is about one member that is there. */
const isAboutMember = (error: ErrorObject): boolean => error.keyword !== 'required' && membersOf(error).length === 1;

/** A member of `paths` that is no path: generators write a template of a whole address there. */
export const isPathWithoutSlash = (error: ErrorObject): boolean =>
  error.instancePath === '/paths' && isAboutMember(error);

/** Why an error of the official schema is tolerated, if it is. */
export const toleranceOf = (error: ErrorObject, isUnreferred: (pointer: string) => boolean): Tolerance | undefined => {
  const { keyword, instancePath, data } = error;
  if (keyword === 'type' && data === null && mayBeNull.test(instancePath)) return 'empty';
  if (isPathWithoutSlash(error)) return 'not asked';
  const kind = isAboutMember(error) ? 'has' : keyword;
  const known = toleranceAt(instancePath);
  if (known === 'in a schema' && instancePath.endsWith('/type') && isNewerType(data)) return 'newer';
  if (known) return known;
  if (harmless.test(`${kind} ${placeOf(error)}`)) return 'harmless';
  return isUnreferred(instancePath) ? 'unused' : undefined;
};
