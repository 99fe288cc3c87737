import { isObject } from './json-values.js';
import type { SpecificationVersion } from './official-schema.js';
import type { Problems } from './problems.js';
import type { Node } from './references.js';

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
