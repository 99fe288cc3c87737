import { isObject } from '../collections.js';
import { counted } from '../words.js';
import { plainPathOf, type ValuePath } from './json-values.js';
import { type Node, nodeAt, type Problems } from './node.js';
import {
  quickValidator,
  type SpecificationVersion,
  specificationVersions,
  thoroughValidator,
} from './official-schema.js';
import { describeError, placeOf, relevantErrors } from './schema-errors.js';
import { consequences, isPathWithoutSlash, toleranceOf, unreferredIn } from './tolerated-errors.js';

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
