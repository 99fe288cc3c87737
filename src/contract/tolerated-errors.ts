import type { ErrorObject } from 'ajv';
import { isArray, type Path, pathOf, pointerOf, valueAt } from './json-values.js';
import { placeOf, unknownMember } from './schema-errors.js';
import { forEachObject } from './walk.js';

/**
 * Why an error does not stop a run: it stands in the schema of a body, which is then not used, or
 * in a part of the document that the suite does not use; or a path parameter is not required. Access,
 * other parameters and the structure of the document are none of these.
 */
export type Tolerance = 'in a schema' | 'unused' | 'taken as required';

/** What follows for the run, as the first sentence of a hint. */
export const consequences: Readonly<Record<Tolerance, string>> = {
  'in a schema': 'No body is checked against this schema.',
  unused: 'The suite does not use this part, so the document is read all the same.',
  'taken as required': 'No path parameter can be optional, so it is taken as required.',
};

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

/** What OpenAPI requires and may be missing; `default` where there is no status. */
const mayBeMissing = pointers('/info', `${operation}/responses(?:/default)?`, '.*/responses/[^/]+/description');

/**
 * Unknown members that generators leave behind: fields of another kind of security scheme, and of a
 * Media Type Object, which Swagger 2.0 had in the response itself. What is read stands beside them.
 */
const leftBehind = pointers(
  '/components/securitySchemes/[^/]+/(?:name|in|scheme|bearerFormat|flows|openIdConnectUrl)',
  `${response}/(?:schema|example|examples)`,
);
const statusInOtherCase = /\/responses\/(?:[1-5]xx|default)$/i;

/** Only for one in the path does OpenAPI ask anything of this member but its type. */
const requiredOfParameter = /\/parameters\/[^/]+\/required$/;

/**
 * Why a part of the document that cannot be used is tolerated; `undefined` where the document
 * cannot be used then.
 */
export const toleranceAt = (pointer: string): Tolerance | undefined => {
  if (schemaOfBody.test(pointer)) return 'in a schema';
  return unused.test(pointer) ? 'unused' : undefined;
};

/**
 * Whether a place stands in a component that nothing refers to. Where the document refers to other
 * files, these may refer to any.
 */
export const unreferredIn = (document: unknown): ((pointer: string) => boolean) => {
  const references: string[] = [];
  forEachObject(document, ({ $ref }) => {
    if (typeof $ref === 'string') references.push($ref);
  });
  if (references.some((each) => !each.startsWith('#/'))) return () => false;
  const targets = references.map((each) => pointerOf(pathOf(each.slice(1)) ?? []));
  return (pointer) => {
    const component = /^\/components\/(?!securitySchemes\/)[^/]+\/[^/]+/.exec(pointer)?.[0];
    return component !== undefined && !targets.some((each) => `${each}/`.startsWith(`${component}/`));
  };
};

/** The same, for an error of the official schema. */
export const toleranceOf = (error: ErrorObject, isUnreferred: (pointer: string) => boolean): Tolerance | undefined => {
  const { keyword, instancePath, schema } = error;
  const place = placeOf(error);
  if (keyword !== 'type' && requiredOfParameter.test(place)) return 'taken as required';
  const isMissing = keyword === 'required' || keyword === 'minProperties';
  const isUnknown = unknownMember(error) !== undefined;
  const isTolerated =
    (isMissing && mayBeMissing.test(place)) || (isUnknown && (leftBehind.test(place) || statusInOtherCase.test(place)));
  // Members of which one alone may be there, such as `example` and `examples`.
  const together = keyword === 'not' ? valueAt(schema, ['required']) : undefined;
  const isUnused = isArray(together) && together.every((name) => toleranceAt(`${instancePath}/${name}`) === 'unused');
  return toleranceAt(instancePath) ?? (isTolerated || isUnused || isUnreferred(instancePath) ? 'unused' : undefined);
};

/** The place of an error inside a schema, and every schema around it. */
export const enclosingSchemas = (error: Path): readonly Path[] => {
  const schema = schemaOfBody.exec(pointerOf(error))?.[0];
  const start = schema === undefined ? error.length : schema.split('/').length - 1;
  return Array.from({ length: error.length - start + 1 }, (_, more) => error.slice(0, start + more));
};
