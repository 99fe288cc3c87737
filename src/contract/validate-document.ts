import type { ErrorObject } from 'ajv';
import { isArray, isObject, type Path, plainPathOf, valueAt } from './json-values.js';
import type { Node } from './node.js';
import { quickValidator, type SpecificationVersion, thoroughValidator } from './official-schema.js';
import type { Problems } from './problems.js';
import { describeError, isConsequence, ofMeantAlternative, relevantErrors } from './schema-errors.js';
import { isMissingDescription, toleranceOf } from './tolerated-errors.js';

const supported = 'This suite reads OpenAPI 3.0, 3.1 and 3.2.';

/** The version to write in full for one that was given with two parts. */
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
      `${supported} \`npx swagger2openapi FILE -o openapi.yaml\` converts it.`,
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
    if (latest === undefined)
      problems.error(at('openapi'), `OpenAPI ${JSON.stringify(openapi)} is not supported`, supported);
    else
      problems.error(
        at('openapi'),
        `"openapi" is ${JSON.stringify(openapi)}, and the version of OpenAPI has three parts`,
        `Write \`openapi: ${latest}\`.`,
      );
  }
  return undefined;
};

/** The paths of all path parameters. */
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

/**
 * The document with every path parameter required: many generators leave that out, with a warning.
 */
const withRequiredPathParameters = ({ source, value }: Node, problems: Problems): unknown => {
  const found = pathParameters(value).filter((path) =>
    [false, undefined].some((written) => valueAt(value, [...path, 'required']) === written),
  );
  if (found.length === 0) return value;
  const document = structuredClone(value);
  for (const path of found) {
    Object.assign(Object(valueAt(document, path)), { required: true });
    const name = String(valueAt(value, [...path, 'name']));
    const said = valueAt(value, [...path, 'required']) === false ? 'said to be optional' : 'not said to be required';
    problems.warn(
      { source, path: [...path, 'required'], value: false },
      `path parameter "${name}" is ${said}, and no path parameter can be optional; it is taken as required`,
      'Write `required: true`.',
    );
  }
  return document;
};

/**
 * Checks a document against the official JSON Schema of its version and reports what does not fit.
 * Errors inside schemas of bodies, and in parts that the suite does not use, are warnings.
 * @returns where schemas of bodies do not fit: no body is checked against a schema around such a
 * place
 */
export const validateDocument = (root: Node, version: SpecificationVersion, problems: Problems): readonly Path[] => {
  if (quickValidator(version)(root.value)) return [];
  const document = withRequiredPathParameters(root, problems);
  if (document !== root.value && quickValidator(version)(document)) return [];
  const validate = thoroughValidator(version);
  validate(document);
  const errors = ofMeantAlternative(validate.errors ?? [], validate.schema);
  const toleranceByError = new Map(errors.map((error) => [error, toleranceOf(error, plainPathOf(error.instancePath))]));
  const tolerated = errors.filter((error) => toleranceByError.get(error) !== undefined);
  const fatal = errors.filter((error) => toleranceByError.get(error) === undefined && !isConsequence(error, tolerated));

  type Report = (at: Node, message: string, hint?: string) => void;
  const describe = (error: ErrorObject, report: Report): Path => {
    const path = plainPathOf(error.instancePath);
    const { path: at, message, hint } = describeError(error, path, valueAt(root.value, path));
    report({ source: root.source, path: at, value: undefined }, message, hint);
    return path;
  };
  const warnWith =
    (consequence: string): Report =>
    (at, message, hint = '') =>
      problems.warn(at, message, `${consequence} ${hint}`.trim());

  const found = relevantErrors(fatal);
  for (const error of found.length > 0 || tolerated.length > 0 ? found : errors)
    describe(error, (...said) => problems.error(...said));
  const inSchemas = relevantErrors(tolerated.filter((error) => toleranceByError.get(error) === 'in a schema'));
  const invalid = inSchemas.map((error) => describe(error, warnWith('No body is checked against this schema.')));
  const unused = relevantErrors(tolerated.filter((error) => toleranceByError.get(error) === 'unused'));
  for (const error of unused.filter((each) => !isMissingDescription(each)))
    describe(error, warnWith('The suite does not use this part, so the document is read all the same.'));
  const [first, ...more] = unused.filter(isMissingDescription);
  const others = more.length === 1 ? 'does one other response' : `do ${more.length} other responses`;
  if (first)
    describe(first, (at, message) =>
      problems.warn(
        at,
        more.length > 0 ? `${message}, and so ${others}` : message,
        'OpenAPI asks for one; the suite does not use it.',
      ),
    );
  return invalid;
};
