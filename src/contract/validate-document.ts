import { counted } from '../words.js';
import { isObject, type Path, plainPathOf } from './json-values.js';
import { type Node, nodeAt } from './node.js';
import {
  quickValidator,
  type SpecificationVersion,
  specificationVersions,
  thoroughValidator,
} from './official-schema.js';
import type { Problems } from './problems.js';
import { consequences, describeError, placeOf, relevantErrors, toleranceOf, unreferredIn } from './schema-errors.js';

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
