import type { ErrorObject } from 'ajv';
import { ofWhatIsMeant } from './alternatives.js';
import { isArray, isObject, isScalar, type Path, pathOf, valueAt } from './json-values.js';
import { quickValidator, type SpecificationVersion, thoroughValidator } from './official-schema.js';
import type { Problems } from './problems.js';
import type { Node } from './references.js';
import { harmOf, isUndescribed } from './tolerated-errors.js';

export type { SpecificationVersion };

const supported = 'This suite reads OpenAPI 3.0, 3.1 and 3.2.';

/** What two parts of a version stand for. */
const latestOf: Readonly<Record<string, string>> = { '3.0': '3.0.4', '3.1': '3.1.1', '3.2': '3.2.0' };

/**
 * The version of the specification that a document names.
 * @returns `undefined`, reported, for anything that is no OpenAPI 3 document
 */
export const specificationVersion = (root: Node, problems: Problems): SpecificationVersion | undefined => {
  if (!isObject(root.value)) {
    problems.error(root, 'an OpenAPI document is an object, and this file holds something else', supported);
    return undefined;
  }
  const at = (name: string): Node => ({ ...root, path: [name], value: undefined });
  const { openapi, swagger } = root.value;
  if (openapi === undefined && swagger !== undefined)
    problems.error(
      at('swagger'),
      `Swagger ${String(swagger)} is not supported`,
      `${supported} Converters exist for older ones.`,
    );
  else if (openapi === undefined)
    problems.error(
      root,
      '"openapi" is missing, so this is no OpenAPI document',
      `Write \`openapi: 3.1.1\`. ${supported}`,
    );
  else if (typeof openapi !== 'string')
    problems.error(
      at('openapi'),
      `"openapi" must be text, for example 3.1.1, and is ${JSON.stringify(openapi)}`,
      supported,
    );
  else {
    const version = /^(3\.[012])\.\d+(-.+)?$/.exec(openapi)?.[1];
    if (version === '3.0' || version === '3.1' || version === '3.2') return version;
    const latest = latestOf[openapi];
    if (latest !== undefined)
      problems.error(
        at('openapi'),
        `"openapi" is ${JSON.stringify(openapi)}, and the version of OpenAPI has three parts`,
        `Write \`openapi: ${latest}\`.`,
      );
    else problems.error(at('openapi'), `OpenAPI ${JSON.stringify(openapi)} is not supported`, supported);
  }
  return undefined;
};

/** Keywords that only say that something below them failed. */
const wrappers = new Set(['if', 'anyOf', 'oneOf', 'allOf', 'not', '$ref', 'propertyNames', 'false schema']);

const extra = ({ keyword, params }: ErrorObject): string | undefined => {
  if (keyword === 'additionalProperties') return String(params.additionalProperty);
  return keyword === 'unevaluatedProperties' ? String(params.unevaluatedProperty) : undefined;
};

/** Responses whose only keys are no statuses lack "default" too, and that is not what their author has to mend. */
const wantsStatusInstead = ({ keyword, params, instancePath }: ErrorObject, errors: readonly ErrorObject[]): boolean =>
  keyword === 'required' &&
  params.missingProperty === 'default' &&
  instancePath.endsWith('/responses') &&
  errors.some((other) => other.instancePath === instancePath && extra(other) !== undefined);

/** No responses at all lack "default" too. */
const saysEmpty = ({ keyword, instancePath }: ErrorObject, errors: readonly ErrorObject[]): boolean =>
  keyword === 'required' &&
  errors.some((other) => other.keyword === 'minProperties' && other.instancePath === instancePath);

/** What has the wrong type is none of the allowed values either. */
const isOfWrongType = ({ instancePath }: ErrorObject, errors: readonly ErrorObject[]): boolean =>
  errors.some((other) => other.keyword === 'type' && other.instancePath === instancePath);

/**
 * One mistake makes a schema complain in many places: in each alternative that could have been meant, and in every
 * object around it. What a person needs is the innermost complaint that is not about a `$ref` that nobody meant.
 */
const telling = (errors: readonly ErrorObject[], fallback = errors): readonly ErrorObject[] => {
  const candidates = errors.filter(
    (error) =>
      !wrappers.has(error.keyword) &&
      !(error.keyword === 'required' && error.params.missingProperty === '$ref') &&
      !wantsStatusInstead(error, errors) &&
      !saysEmpty(error, errors) &&
      !(error.keyword === 'enum' && isOfWrongType(error, errors)),
  );
  const faulty = candidates.filter((error) => extra(error) === undefined);
  const inner = (error: ErrorObject, others: readonly ErrorObject[]): boolean =>
    others.some(
      (other) =>
        other !== error &&
        (other.instancePath === error.instancePath || other.instancePath.startsWith(`${error.instancePath}/`)),
    );
  const kept = [
    ...faulty.filter((error) => !faulty.some((other) => other.instancePath.startsWith(`${error.instancePath}/`))),
    ...candidates.filter((error) => {
      const name = extra(error);
      if (name === undefined || inner(error, faulty)) return false;
      const below = `${error.instancePath}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      return !candidates.some((other) => other.instancePath === below || other.instancePath.startsWith(`${below}/`));
    }),
  ];
  return kept.length > 0 ? kept : fallback;
};

const kindOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  return isScalar(value) ? `the ${typeof value} ${JSON.stringify(value)}` : typeof value;
};

const list = (values: unknown): string =>
  isArray(values)
    ? values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(', ')
    : String(values);

/** Names that the schema around an error knows, its references to the same object included. */
const allowedNames = (error: ErrorObject): readonly string[] => {
  const { parentSchema } = error;
  return [
    ...Object.keys(isObject(parentSchema?.properties) ? parentSchema.properties : {}),
    ...Object.keys(isObject(parentSchema?.patternProperties) ? parentSchema.patternProperties : {}).map(
      (pattern) => `names like ${pattern}`,
    ),
  ];
};

/** What a complaint is about: a member by its name, an item of a list by its own where it has one. */
const nameOf = (path: Path, value: unknown): string => {
  const last = path.at(-1);
  if (last === undefined) return 'the document';
  const own = /^\d+$/.test(String(last)) && isObject(value) ? value.name : undefined;
  return `"${typeof own === 'string' ? own : String(last)}"`;
};

const lackOf = ({ missingProperty, missingProperties }: ErrorObject['params']): string =>
  (isArray(missingProperties) ? missingProperties : [missingProperty]).map((name) => `"${String(name)}"`).join(' or ');

const say = (
  error: ErrorObject,
  path: Path,
  value: unknown,
): { readonly path: Path; readonly message: string; readonly hint?: string } => {
  const where = nameOf(path, value);
  const { keyword, params } = error;
  const name = extra(error);
  if (name !== undefined) {
    if (path.at(-1) === 'responses' && path.length > 2)
      return {
        path: [...path, name],
        message: `the key "${name}" of "responses" is no status`,
        hint: `${/^[1-5]xx$/i.test(name) ? `Write "${name.toUpperCase()}": the range is spelt with capitals. ` : ''}Allowed: a status such as "200", a range such as "2XX", "default".`,
      };
    const allowed = allowedNames(error);
    const message = `"${name}" is not allowed in ${where}`;
    if (allowed.length === 0) return { path: [...path, name], message };
    return { path: [...path, name], message, hint: `Allowed: ${allowed.join(', ')}.` };
  }
  switch (keyword) {
    case 'required':
      return { path, message: `${where} lacks ${lackOf(params)}` };
    case 'type': {
      const message = `${where} must be ${list(params.type)}, and is ${kindOf(value)}`;
      const quotes = params.type === 'string' && isScalar(value);
      return quotes ? { path, message, hint: `Write it in quotes: "${String(value)}".` } : { path, message };
    }
    case 'enum':
      return { path, message: `${where} is ${kindOf(value)}`, hint: `Allowed: ${list(params.allowedValues)}.` };
    case 'const':
      return { path, message: `${where} must be ${JSON.stringify(params.allowedValue)}, and is ${kindOf(value)}` };
    case 'pattern':
      return { path, message: `${where} must match ${String(params.pattern)}, and is ${kindOf(value)}` };
    default:
      return { path, message: `${where} ${error.message ?? 'does not fit the OpenAPI schema'}` };
  }
};

/** Pointers of ajv name array items by number; `pathOf` undoes the escapes of RFC 6901 alone, since ajv percent-encodes nothing. */
const pathOfInstance = (pointer: string): Path => pathOf(pointer.replaceAll('%', '%25')) ?? [];

/** Parameters that stand in a path, where OpenAPI lets them stand. */
const pathParameters = (root: unknown): readonly Path[] => {
  const below = (path: Path): readonly Path[] => {
    const list = valueAt(root, path);
    return isArray(list) || isObject(list)
      ? Object.keys(list).map((key) => [...path, isArray(list) ? Number(key) : key])
      : [];
  };
  const items = below(['paths']);
  const lists = [...items, ...items.flatMap(below)].map((path) => [...path, 'parameters']);
  return [...lists, ['components', 'parameters']]
    .flatMap(below)
    .filter((path) => valueAt(root, [...path, 'in']) === 'path');
};

/** Path parameters that are not said to be required: generators write so, and what is meant is plain. */
const optionalInPath = ({ source, value }: Node, problems: Problems): unknown => {
  const found = pathParameters(value).filter((path) =>
    [false, undefined].some((written) => valueAt(value, [...path, 'required']) === written),
  );
  if (found.length === 0) return value;
  const meant = structuredClone(value);
  for (const path of found) {
    Object.assign(Object(valueAt(meant, path)), { required: true });
    const name = String(valueAt(value, [...path, 'name']));
    const said = valueAt(value, [...path, 'required']) === false ? 'said to be optional' : 'not said to be required';
    problems.warn(
      { source, path: [...path, 'required'], value: false },
      `path parameter "${name}" is ${said}, and no path parameter can be optional; it is taken as required`,
      'Write `required: true`.',
    );
  }
  return meant;
};

/** Whether a complaint about a member that is not known only says that something at it or below it is wrong. */
const isEchoOf = (error: ErrorObject, others: readonly ErrorObject[]): boolean => {
  const name = extra(error);
  if (name === undefined) return false;
  const place = `${error.instancePath}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return others.some(({ instancePath }) => instancePath === place || instancePath.startsWith(`${place}/`));
};

/**
 * Checks a document against the official JSON Schema of its version and reports what does not fit: a slip inside the schema of
 * a body, or a response that nobody describes, as a warning.
 * @returns the slips inside schemas: a schema that holds one says nothing that a body could be held against
 */
export const validateDocument = (root: Node, version: SpecificationVersion, problems: Problems): readonly Path[] => {
  if (quickValidator(version)(root.value)) return [];
  const document = optionalInPath(root, problems);
  if (document !== root.value && quickValidator(version)(document)) return [];
  const everything = thoroughValidator(version);
  everything(document);
  const schema = isObject(everything.schema) ? everything.schema : {};
  const errors = ofWhatIsMeant(everything.errors ?? [], schema);
  const harms = new Map(errors.map((error) => [error, harmOf(error, pathOfInstance(error.instancePath))]));
  const harmless = errors.filter((error) => harms.get(error) !== undefined);
  const harmful = errors.filter((error) => harms.get(error) === undefined && !isEchoOf(error, harmless));
  const report = (error: ErrorObject, tell: (at: Node, message: string, hint?: string) => void): Path => {
    const path = pathOfInstance(error.instancePath);
    const { path: at, message, hint } = say(error, path, valueAt(root.value, path));
    tell({ source: root.source, path: at, value: undefined }, message, hint);
    return path;
  };
  const fallback = harmless.length > 0 ? [] : errors;
  for (const error of telling(harmful, fallback)) report(error, (...said) => problems.error(...said));
  const slips = telling(harmless.filter((error) => harms.get(error) === 'schema')).map((error) =>
    report(error, (at, message, hint = '') =>
      problems.warn(at, message, `No body is held against this schema. ${hint}`.trim()),
    ),
  );
  const slight = telling(harmless.filter((error) => harms.get(error) === 'none'));
  for (const error of slight.filter((each) => !isUndescribed(each)))
    report(error, (at, message, hint = '') => problems.warn(at, message, `Nothing hangs on it here. ${hint}`.trim()));
  const [first, ...more] = slight.filter(isUndescribed);
  const others =
    more.length > 0
      ? `, and so ${more.length === 1 ? 'does one other response' : `do ${more.length} other responses`}`
      : '';
  if (first)
    report(first, (at, message) =>
      problems.warn(at, message + others, 'OpenAPI asks for one; nothing hangs on it here.'),
    );
  return slips;
};
