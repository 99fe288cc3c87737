import { present } from '../collections.js';
import { isArray } from './json-values.js';
import { childNode, itemNodes, type Node, type Problems } from './node.js';

/** What the document says of whose data an operation gives. */
export interface Ownership {
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
export const ownershipsIn = (root: Node, problems: Problems) => {
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
