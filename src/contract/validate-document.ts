import type { ErrorObject } from 'ajv';
import { isObject, wordsIn } from '../collections.js';
import { counted } from '../words.js';
import {
  forEachObject,
  isArray,
  isScalar,
  pathOfPointer,
  plainPathOf,
  pointerOf,
  type ValuePath,
  valueAt,
} from './json-values.js';
import { type Node, nodeAt, type Problems } from './node.js';
import {
  quickValidator,
  resolved,
  type SpecificationVersion,
  specificationVersions,
  thoroughValidator,
} from './official-schema.js';

const supported = 'This suite reads OpenAPI 3.0, 3.1 and 3.2.';

/**
 * The version of the specification that a document names.
 * @returns `undefined`, reported, for anything that is no OpenAPI 3 document
 */
export const specificationVersion = (root: Node, problems: Problems): SpecificationVersion | undefined => {
  const report = (path: ValuePath, message: string, hint = supported): undefined => {
    problems.error(nodeAt(root, path), message, hint);
  };
  if (root.value === null || root.value === undefined) return report([], 'the file is empty');
  if (!isObject(root.value)) return report([], 'an OpenAPI document is an object, and this file holds something else');
  const { openapi, swagger } = root.value;
  if (openapi === undefined)
    return swagger === undefined
      ? report(
          [],
          '"openapi" is missing, so this is no OpenAPI document',
          `It begins with its version, such as \`openapi: 3.1.1\`. ${supported}`,
        )
      : report(
          ['swagger'],
          `Swagger ${String(swagger)} is not supported`,
          // The converter knows no merge keys of YAML; the first command resolves them.
          `${supported} These convert it: \`npx -y js-yaml@4 FILE > swagger.json\`, ` +
            'then `npx -y swagger2openapi --patch swagger.json -o openapi.yaml`.',
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
export const validateDocument = (
  root: Node,
  version: SpecificationVersion,
  problems: Problems,
): readonly ValuePath[] => {
  if (quickValidator(version)(root.value)) return [];
  const validate = thoroughValidator(version);
  validate(root.value);
  const errors = relevantErrors(validate.errors ?? [], validate.schema);
  const isUnreferred = unreferredIn(root.value);
  const invalid: ValuePath[] = [];
  // Some documents have many of these; the first of them stands for all.
  const frequent = [
    { noun: 'other response', alike: errors.filter(({ params }) => params.missingProperty === 'description') },
    { noun: 'other path', alike: errors.filter(isPathWithoutSlash) },
  ].filter(({ alike }) => alike.length > 1);
  const repeated = new Set(frequent.flatMap(({ alike }) => alike.slice(1)));
  for (const error of errors.filter((each) => !repeated.has(each))) {
    const path = plainPathOf(error.instancePath);
    const [message, hint = ''] = describeError(error, validate.schema);
    const at = { ...root, path: error.keyword === 'required' ? path : plainPathOf(placeOf(error)) };
    const tolerance = toleranceOf(error, isUnreferred);
    const kind = frequent.find(({ alike: [first] }) => first === error);
    const too = kind ? `, and ${counted(kind.alike.length - 1, kind.noun)} too` : '';
    if (tolerance) problems.warn(at, message + too, `${consequences[tolerance]} ${hint}`.trim());
    else problems.error(at, message, hint || undefined);
    if (tolerance === 'in a schema') invalid.push(path);
  }
  return invalid;
};

/** Errors of the official OpenAPI schema: which of them a person needs, and what they say. */

/**
 * Members that an error is about: one is missing, unknown or misnamed, or several exclude each
 * other.
 */
const membersOf = ({ params, schema }: ErrorObject): readonly string[] => {
  const one = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty ?? params.propertyName;
  return [one ?? valueAt(schema, ['required']) ?? []].flat();
};

/** JSON Pointer of what an error is about, which may be missing. */
const placeOf = (error: ErrorObject): string => {
  const [member = error.propertyName, another] = membersOf(error);
  return member && another === undefined ? `${error.instancePath}${pointerOf([member])}` : error.instancePath;
};

/**
 * Names of members, and beginnings (`x-…`) or patterns of names, of all schemas that a schema
 * applies to the same value.
 */
const namesIn = (schema: unknown, root: unknown): readonly string[] => {
  if (!isObject(schema)) return [];
  const { $ref, then, else: otherwise, allOf, dependentSchemas, properties, patternProperties } = schema;
  const applied = [$ref && resolved(schema, root), then, otherwise, allOf, Object.values(dependentSchemas ?? {})];
  const patterns = Object.keys(Object(patternProperties)).map((each) => each.replace(/^\^\\?([\w/-]+)$/, '$1…'));
  const own = [...Object.keys(Object(properties)), ...patterns];
  return [...own, ...applied.flat().flatMap((each) => namesIn(each, root))];
};

const keyOf = ({ instancePath, keyword }: ErrorObject): string => `${instancePath}/ ${keyword}`;

/** Whether a condition that failed by another error left a member unknown that it allows. */
const isConsequence = (error: ErrorObject, all: readonly ErrorObject[], root: unknown): boolean =>
  error.keyword === 'unevaluatedProperties' &&
  namesIn(error.parentSchema, root).includes(error.params.unevaluatedProperty) &&
  all.some((other) => keyOf(other) !== keyOf(error) && keyOf(other).startsWith(`${error.instancePath}/`));

/**
 * The errors that a person needs, of all that a mistake causes: one a place.
 * @param errors with `verbose` and `allErrors`
 * @param root the schema that the errors come from
 */
export const relevantErrors = (errors: readonly ErrorObject[], root: unknown): readonly ErrorObject[] => {
  const all = errors.filter(({ keyword }) => keyword !== 'if');
  // What has the wrong type needs no other error.
  const ordered = all.toSorted((a, b) => Number(b.keyword === 'type') - Number(a.keyword === 'type'));
  const first = new Map(ordered.toReversed().map((error) => [placeOf(error), error]));
  return all.filter((error) => first.get(placeOf(error)) === error && !isConsequence(error, all, root));
};

/** What an error asks of a value. */
export const demandOf = ({ params, message = '' }: ErrorObject): string => {
  const allowed = [params.allowedValues ?? params.allowedValue ?? []].flat();
  return allowed.length > 0 ? `must be ${allowed.map((each) => JSON.stringify(each)).join(' or ')}` : message;
};

/** What an error is about: a member by its name, an item of a list by its own where it has one. */
const subjectOf = ({ instancePath, data }: ErrorObject): string => {
  const last = plainPathOf(instancePath).at(-1);
  const own = /^\d+$/.test(String(last)) ? valueAt(data, ['name']) : undefined;
  return last === undefined ? 'the document' : `"${typeof own === 'string' ? own : last}"`;
};

/**
 * An error in words.
 * @param root the schema that the error comes from
 */
const describeError = (error: ErrorObject, root: unknown): readonly [message: string, hint?: string] => {
  const [where, members] = [subjectOf(error), membersOf(error)];
  if (error.keyword === 'required') return [`${where} lacks "${members[0]}"`];
  if (members.length > 1) return [`${where} has more than one of ${members.join(', ')}`];
  if (members.length === 1)
    return [
      `"${members[0]}" is not allowed in ${where}`,
      members[0] === '$ref'
        ? 'OpenAPI has no reference here: `npx -y @redocly/cli bundle FILE -o openapi.yaml` replaces it by what it names.'
        : `Allowed: ${namesIn(error.parentSchema, root).join(', ')}.`,
    ];
  if (error.propertyName !== undefined) return [`the name "${error.propertyName}" in ${where} ${demandOf(error)}`];
  const is = isScalar(error.data) || error.data === null ? `, and is ${JSON.stringify(error.data)}` : '';
  return [`${where} ${demandOf(error)}${is}`];
};

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
const unreferredIn = (document: unknown): ((pointer: string) => boolean) => {
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
const isPathWithoutSlash = (error: ErrorObject): boolean => error.instancePath === '/paths' && isAboutMember(error);

/** Why an error of the official schema is tolerated, if it is. */
const toleranceOf = (error: ErrorObject, isUnreferred: (pointer: string) => boolean): Tolerance | undefined => {
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
