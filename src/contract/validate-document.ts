import type { ErrorObject } from 'ajv';
import { counted } from '../words.js';
import { forEachObject, isArray, isObject, type Path, pathOf, plainPathOf, pointerOf, valueAt } from './json-values.js';
import { type Node, nodeAt } from './node.js';
import {
  quickValidator,
  type SpecificationVersion,
  specificationVersions,
  thoroughValidator,
} from './official-schema.js';
import type { Problems } from './problems.js';
import { demandOf, describeError, membersOf, placeOf, relevantErrors } from './schema-errors.js';

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

/** Describes validation errors, in words that finish "the body …" or "in the body, /place …". */

export interface ValidationMessage {
  /** JSON Pointer of the value in the body; empty for the body itself. */
  readonly pointer: string;
  readonly message: string;
  /**
   * A member of the body that the message is about. The name may be data, so it is not in the
   * message.
   */
  readonly member?: string;
  /** The value is null, and a type is demanded. */
  readonly isNull?: true;
  /**
   * The part of the compiled schema that the value differs from, and the path of the keyword in it.
   */
  readonly broken?: { readonly part: object; readonly keyword: Path };
}

export const isUnion = ({ keyword }: ErrorObject): boolean => keyword === 'anyOf' || keyword === 'oneOf';

/** A union of one schema and null is no choice. */
const isChoice = ({ schema }: ErrorObject): boolean =>
  isArray(schema) && schema.filter((each) => valueAt(each, ['type']) !== 'null').length > 1;

/** The innermost error says most. */
export const innermost = (errors: readonly ErrorObject[]): ErrorObject | undefined =>
  errors.toSorted((a, b) => b.instancePath.split('/').length - a.instancePath.split('/').length)[0];

/** Said of a null, which says nothing of anybody. */
const andIsNull = ', and is null';
const nullHint = `${andIsNull}: \`nullable: true\` (OpenAPI 3.0) or the type "null" (3.1) would allow it`;

/** A pointer without the numbers of rows: `/data/0/id` becomes `/data/-/id`. */
const inAnyRow = (pointer: string): string => pointer.replaceAll(/\/\d+(?=\/|$)/g, '/-');

/** The errors of each problem: those at or below a union that no alternative fits are one problem. */
const problemsIn = (errors: readonly ErrorObject[]): readonly (readonly ErrorObject[])[] => {
  const unions = errors.filter((error) => isUnion(error) && isChoice(error)).map(({ instancePath }) => instancePath);
  const problems = new Map<unknown, ErrorObject[]>();
  for (const error of errors) {
    const around = unions.filter((path) => `${error.instancePath}/`.startsWith(`${path}/`));
    const problem = around.length > 0 ? around.toSorted((a, b) => a.length - b.length)[0] : error;
    problems.set(problem, [...(problems.get(problem) ?? []), error]);
  }
  return [...problems.values()];
};

/**
 * A message for each problem among all errors of a validation, in the order of the body. Rows of a
 * list that differ in the same way are one problem.
 */
export const messagesFor = (errors: readonly ErrorObject[]): readonly ValidationMessage[] => {
  const found = new Map<string, ValidationMessage>();
  // An error of `if` repeats those of its `then` or `else`.
  for (const problem of problemsIn(errors.filter(({ keyword }) => keyword !== 'if'))) {
    const message = messageFor(problem, andIsNull);
    const name = `${inAnyRow(message.pointer)} ${message.message}`;
    if (!found.has(name)) found.set(name, message);
  }
  return [...found.values()];
};

/** Whether two messages say the same of a value of a body, whatever row of a list it is in. */
export const isSameProblem = (one: ValidationMessage, other: ValidationMessage): boolean =>
  inAnyRow(one.pointer) === inAnyRow(other.pointer) &&
  one.message.replace(nullHint, andIsNull) === other.message.replace(nullHint, andIsNull);

/** The message for the errors of a validation. */
export const messageFor = (errors: readonly ErrorObject[], hint = nullHint): ValidationMessage => {
  const error = innermost(errors);
  if (!error) return { pointer: '', message: 'does not fit' };
  const { instancePath: pointer, params } = error;
  const around = errors.filter(({ instancePath }) => `${pointer}/`.startsWith(`${instancePath}/`));
  const union = innermost(around.filter((each) => isUnion(each) && isChoice(each)));
  const { parentSchema: part, keyword } = union ?? error;
  const member: unknown = params.additionalProperty ?? params.unevaluatedProperty;
  const isNull = error.data === null && error.keyword === 'type';
  return {
    pointer,
    message: `${demandOf(error)}${isNull ? hint : ''}${union ? ', and no other alternative fits' : ''}`,
    ...(typeof member === 'string' ? { member } : {}),
    ...(isNull ? { isNull: true as const } : {}),
    ...(part && { broken: { part, keyword: keyword === 'required' ? [keyword, params.missingProperty] : [keyword] } }),
  };
};

const supported = 'This suite reads OpenAPI 3.0, 3.1 and 3.2.';

/**
 * The version of the specification that a document names.
 * @returns `undefined`, reported, for anything that is no OpenAPI 3 document
 */
export const specificationVersion = (root: Node, problems: Problems): SpecificationVersion | undefined => {
  const report = (path: Path, message: string, hint = supported): undefined => {
    problems.error(nodeAt(root, path), message, hint);
  };
  if (!isObject(root.value)) return report([], 'an OpenAPI document is an object, and this file holds something else');
  const { openapi, swagger } = root.value;
  if (openapi === undefined)
    return swagger === undefined
      ? report([], '"openapi" is missing, so this is no OpenAPI document', `Write \`openapi: 3.1.1\`. ${supported}`)
      : report(
          ['swagger'],
          `Swagger ${String(swagger)} is not supported`,
          `${supported} \`npx swagger2openapi --patch FILE -o openapi.yaml\` converts it.`,
        );
  if (typeof openapi !== 'string')
    return report(['openapi'], `"openapi" must be text, for example 3.1.1, and is ${JSON.stringify(openapi)}`);
  const version = specificationVersions.find((each) => `${openapi}.`.startsWith(`${each}.`));
  if (version === undefined) return report(['openapi'], `OpenAPI ${JSON.stringify(openapi)} is not supported`);
  if (openapi !== version) return version;
  return report(
    ['openapi'],
    `"openapi" is ${JSON.stringify(openapi)}, and the version of OpenAPI has three parts`,
    `Write \`openapi: ${version}.0\`.`,
  );
};

/**
 * Checks a document against the official JSON Schema of its version and reports what does not fit.
 * Errors inside schemas of bodies, and in parts that the suite does not use, are warnings.
 * @returns where schemas of bodies do not fit: no body is checked against a schema around such a
 * place
 */
export const validateDocument = (root: Node, version: SpecificationVersion, problems: Problems): readonly Path[] => {
  if (quickValidator(version)(root.value)) return [];
  const validate = thoroughValidator(version);
  validate(root.value);
  const errors = relevantErrors(validate.errors ?? [], validate.schema);
  const isUnreferred = unreferredIn(root.value);
  const invalid: Path[] = [];
  // Many documents have many responses without a description.
  const [undescribed, ...more] = errors.filter(({ params }) => params.missingProperty === 'description');
  for (const error of errors.filter((each) => !more.includes(each))) {
    const path = plainPathOf(error.instancePath);
    const [message, hint = ''] = describeError(error, validate.schema);
    const at = { ...root, path: error.keyword === 'required' ? path : plainPathOf(placeOf(error)) };
    const tolerance = toleranceOf(error, isUnreferred);
    const others =
      error === undescribed && more.length > 0 ? `, and ${counted(more.length, 'other response')} too` : '';
    if (tolerance) problems.warn(at, message + others, `${consequences[tolerance]} ${hint}`.trim());
    else problems.error(at, message, hint || undefined);
    if (tolerance === 'in a schema') invalid.push(path);
  }
  return invalid;
};
