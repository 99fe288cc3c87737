import { isObject, lazy, present } from '../collections.js';
import { type FoundOperation, findOperations, serverOverrides } from './find-operations.js';
import { child, isArray, pointerOf } from './json-values.js';
import type { DocumentLink, FilledIn, Operation, UnprobedOperation } from './model.js';
import { childNode, itemNodes, memberNodes, type Node, type Problems, positionOf } from './node.js';
import { createRandomIds } from './parameter-values.js';
import type { FilledRequest, FillRequest } from './parameters.js';
import type { SchemaConverter } from './portable-schema.js';
import type { References } from './references.js';
import { hasSilentDefault, responsesOf } from './responses.js';
import type { Security } from './security.js';
import { isUnsafe, whyNotFilled, whyNotProbed, whyOverrideIsNotSent } from './why-not-probed.js';

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

interface OperationContext {
  readonly root: Node;
  readonly references: References;
  readonly problems: Problems;
  readonly security: Security;
  readonly fillRequest: FillRequest;
  readonly schemas: SchemaConverter;
  /** Values of settings that replace an assumed path. */
  readonly paths: Readonly<Record<string, string>>;
  readonly unsafeMethods: boolean;
}

const isFilledList = (value: unknown): boolean => isArray(value) && value.length > 0;

const assumedPath = ({ node, pathItems }: FoundOperation): { readonly setting: string } | undefined => {
  const [assumed] = [node, ...pathItems.toReversed()].flatMap(
    ({ value }) => child(value, 'x-access-assumed-path') ?? [],
  );
  const setting = child(assumed, 'setting');
  return typeof setting === 'string' && setting !== '' ? { setting } : undefined;
};

/** Splits the operations into those that a run probes, and the rest with a reason each. */
export const readOperations = (
  context: OperationContext,
): {
  operations: readonly Operation[];
  unprobed: readonly UnprobedOperation[];
  /** The unprobed operations for which a run may find values, without the values. */
  fillable: readonly Operation[];
  links: readonly DocumentLink[];
} => {
  const found = findOperations(context);
  context.security.settle(found.map(({ node }) => childNode(node, 'security')));
  const ownServer = serverOverrides(context.root);
  const ownershipOf = ownershipsIn(context.root, context.problems);
  const operations: Operation[] = [];
  const unprobed: UnprobedOperation[] = [];
  const fillable: Operation[] = [];
  for (const each of found) {
    const { id, method, path, node, pathItems } = each;
    const requirement = context.security.of(node);
    const stated = context.security.statedBy(node);
    const ownership = ownershipOf(node, pathItems);
    const keys = context.security.placesOf(node);
    const reads = !isUnsafe(method);
    const randomIds = reads ? undefined : createRandomIds(id, context.references);
    const fill = (values?: FilledIn): FilledRequest =>
      context.fillRequest(
        present({ template: path, operationId: id, pathItems, operation: node, keys, values, randomIds }),
      );
    const filled = fill();
    const server = ownServer([node, ...pathItems.toReversed()]);
    const assumed = assumedPath(each);
    const replaced = assumed && context.paths[assumed.setting];
    const operationWith = (
      { target, otherTarget, headers, optional }: Exclude<FilledRequest, { readonly reason: string }>,
      exampled?: Operation['exampled'],
    ): Operation =>
      present({
        id,
        method,
        path: replaced ?? path,
        documentedPath: (replaced ?? path) === path ? undefined : path,
        target: replaced ?? target,
        otherTarget: replaced === undefined ? otherTarget : undefined,
        headers,
        optional: optional.length > 0 ? optional : undefined,
        ...randomIds?.made,
        access: requirement.access,
        security: requirement.security,
        alternatives: requirement.alternatives,
        ownSecurity: isFilledList(child(node.value, 'security')) || undefined,
        requirements: stated,
        ...ownership,
        assumedPath: assumed,
        responses: responsesOf(node, context),
        silentDefault: hasSilentDefault(node, context.references) || undefined,
        exampled,
        position: positionOf(node),
      });
    const fillWith = (values: FilledIn): Operation | undefined => {
      const request = fill(values);
      return 'reason' in request || whyOverrideIsNotSent(request) !== undefined ? undefined : operationWith(request);
    };
    const whatever = whyNotProbed({
      found: each,
      requirement,
      server,
      references: context.references,
      allowUnsafe: context.unsafeMethods,
    });
    const left = whatever ?? whyNotFilled(each, filled);
    if (left === undefined && !('reason' in filled)) {
      const { exampled } = filled;
      const isOpen = method === 'GET' && replaced === undefined && exampled.length > 0;
      operations.push(operationWith(filled, isOpen ? { missing: exampled, fill: fillWith } : undefined));
      continue;
    }
    const missing = 'reason' in filled && whatever === undefined && method === 'GET' ? filled.missing : undefined;
    unprobed.push(
      present({
        id,
        method,
        path,
        access: requirement.access,
        requirements: stated,
        owned: ownership.owned || undefined,
        ...(left ?? { why: 'no-value', reason: '' }),
        fillable: missing && { missing, fill: fillWith },
      }),
    );
    if (missing) fillable.push(operationWith({ target: path, headers: [], exampled: [], optional: [] }));
  }
  return { operations, unprobed, fillable, links: linksOf(found, context.references) };
};

/** What the document says of whose data an operation gives. */
interface Ownership {
  /** `x-access-owned: true`: what it gives belongs to one account. */
  readonly owned?: true;
  /** `x-access-owner`: JSON Pointer (RFC 6901) into a row, to what names its owner. */
  readonly owner?: string;
}

const ownedOf = (node: Node, problems: Problems): boolean | undefined => {
  const stated = childNode(node, 'x-access-owned');
  if (stated.value === undefined || typeof stated.value === 'boolean') return stated.value;
  problems.error(
    stated,
    'x-access-owned must be true or false',
    'true: what the operation gives belongs to one account, and opens to no other.',
  );
  return undefined;
};

const ownerOf = (node: Node, problems: Problems): string | undefined => {
  const stated = childNode(node, 'x-access-owner');
  if (stated.value === undefined) return undefined;
  if (typeof stated.value === 'string' && /^(?:\/(?:[^~/]|~[01])*)+$/.test(stated.value)) return stated.value;
  problems.error(
    stated,
    'x-access-owner must be a JSON Pointer into a row',
    'For example /owner, or /account/id (RFC 6901).',
  );
  return undefined;
};

/** The tags of the document, by name. */
const tagNodes = (root: Node): ReadonlyMap<string, Node> =>
  new Map(
    itemNodes(childNode(root, 'tags')).flatMap((tag) => {
      const name = childNode(tag, 'name').value;
      return typeof name === 'string' ? [[name, tag] as const] : [];
    }),
  );

/**
 * Reads the words of tags, path items and operations; of one operation the nearest word counts.
 * @returns a function of an operation, its path item, and members beside its `$ref`, which win
 */
const ownershipsIn = (root: Node, problems: Problems) => {
  const wordsAt = (node: Node) => ({ owned: ownedOf(node, problems), owner: ownerOf(node, problems) });
  const known = tagNodes(root);
  for (const tag of known.values()) wordsAt(tag);
  return (operation: Node, pathItems: readonly Node[]): Ownership => {
    const named = childNode(operation, 'tags').value;
    const tags = (isArray(named) ? named : []).flatMap((name) => known.get(String(name)) ?? []);
    const words = [operation, ...pathItems.toReversed(), ...tags].map(wordsAt);
    const owned = words.find((word) => word.owned !== undefined)?.owned;
    const owner = words.find((word) => word.owner !== undefined)?.owner;
    // A list that is not owned itself may name whose the items below its rows are.
    return present({ owned: owned || undefined, owner });
  };
};
