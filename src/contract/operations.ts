import { isObject, lazy } from '../collections.js';
import { DescribedOperation, type DocumentContext } from './described-operation.js';
import { type FoundOperation, serverOverrides } from './find-operations.js';
import { child, pointerOf } from './json-values.js';
import type { DocumentLink, Operation, UnprobedOperation } from './model.js';
import { childNode, memberNodes } from './node.js';
import { ownershipsIn } from './ownership.js';
import type { References } from './references.js';

/**
 * `$response.body#/data/0/id` (OpenAPI 3.1, section 4.8.20.4); every other expression speaks of the
 * request.
 */
const bodyPointer = (expression: unknown): string | undefined =>
  typeof expression === 'string' ? /^\{?\$response\.body#(\/[^}]*)\}?$/.exec(expression)?.[1] : undefined;

/** Links from successful answers to operations of the same document. */
const linksOf = (operations: readonly FoundOperation[], references: References): readonly DocumentLink[] => {
  const pointerTo = ({ path, method }: FoundOperation): string => pointerOf(['paths', path, method.toLowerCase()]);
  const idByPointer = lazy(() => new Map(operations.map((each) => [pointerTo(each), each.id])));
  const target = (link: unknown): string | undefined => {
    const [id, reference] = [child(link, 'operationId'), child(link, 'operationRef')];
    if (typeof id === 'string') return id;
    if (typeof reference !== 'string') return undefined;
    return idByPointer().get(reference.slice(reference.indexOf('#') + 1));
  };
  return operations.flatMap(({ id, node }) => {
    return memberNodes(childNode(node, 'responses')).flatMap(([status, described]) => {
      const response = status.startsWith('2') ? references.resolve(described) : undefined;
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

/** Splits the operations into those that a run probes, and the rest with a reason each. */
export const readOperations = (
  found: readonly FoundOperation[],
  context: DocumentContext,
): {
  operations: readonly Operation[];
  unprobed: readonly UnprobedOperation[];
  /** The unprobed operations for which a run may find values, without the values. */
  fillable: readonly Operation[];
  links: readonly DocumentLink[];
} => {
  const ownServer = serverOverrides(context.root);
  const ownershipOf = ownershipsIn(context.root, context.problems);
  const operations: Operation[] = [];
  const unprobed: UnprobedOperation[] = [];
  const fillable: Operation[] = [];
  for (const each of found) {
    const { node, pathItems } = each;
    const described = new DescribedOperation(context, each, {
      ownership: ownershipOf(node, pathItems),
      server: ownServer([node, ...pathItems.toReversed()]),
    });
    const read = described.read();
    if ('operation' in read) operations.push(read.operation);
    else unprobed.push(read.unprobed);
    if ('fillable' in read && read.fillable) fillable.push(read.fillable);
  }
  return { operations, unprobed, fillable, links: linksOf(found, context.references) };
};
