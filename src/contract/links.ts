import type { Found } from './find-operations.js';
import { child, isObject } from './json-values.js';
import type { DocumentLink } from './model.js';
import { childNode, memberNodes } from './node.js';
import type { References } from './references.js';

/**
 * `$response.body#/data/0/id` (OpenAPI 3.1, section 4.8.20.4); every other expression speaks of the
 * request.
 */
const bodyPointer = (expression: unknown): string | undefined =>
  typeof expression === 'string' ? /^\{?\$response\.body#(\/[^}]*)\}?$/.exec(expression)?.[1] : undefined;

/** Links from successful answers to operations of the same document. */
export const linksOf = (operations: readonly Found[], references: References): readonly DocumentLink[] => {
  const pointerTo = ({ path, method }: Found): string =>
    `/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method.toLowerCase()}`;
  let byPointer: Map<string, string> | undefined;
  const target = (link: unknown): string | undefined => {
    const [id, reference] = [child(link, 'operationId'), child(link, 'operationRef')];
    if (typeof id === 'string') return id;
    if (typeof reference !== 'string') return undefined;
    byPointer ??= new Map(operations.map((each) => [pointerTo(each), each.id]));
    return byPointer.get(reference.slice(reference.indexOf('#') + 1));
  };
  return operations.flatMap(({ id, node }) => {
    return memberNodes(childNode(node, 'responses')).flatMap(([status, described]) => {
      const response = /^2/.test(status) ? references.resolve(described) : undefined;
      return (response ? memberNodes(childNode(response, 'links')) : []).flatMap(([, written]) => {
        const link = references.resolve(written);
        const to = link && target(link.value);
        const parameters = link && child(link.value, 'parameters');
        if (to === undefined || !isObject(parameters)) return [];
        return Object.entries(parameters).flatMap(([parameter, expression]): DocumentLink[] => {
          const pointer = bodyPointer(expression);
          // A name may say where it is: `path.id`.
          return pointer === undefined
            ? []
            : [{ from: id, to, parameter: parameter.replace(/^(?:path|query|header|cookie)\./, ''), pointer }];
        });
      });
    });
  });
};
