import { memoize } from '../collections.js';
import { nearestName } from '../names.js';
import { childNode, itemNodes, memberNodes, type Node, type Problems } from './node.js';

/** The extensions that the suite reads, and the one that it writes. */
const knownExtensions: ReadonlySet<string> = new Set([
  'x-access-assumed-path',
  'x-access-clauses',
  'x-access-credential',
  'x-access-gaps',
  'x-access-owned',
  'x-access-owner',
  'x-access-proposed-from',
  'x-access-refusal',
  'x-access-safe',
]);

/**
 * The extension that a name misspells, or `null`. With more than two edits it may be somebody
 * else's: `x-access-level`.
 */
const meantBy = memoize((name: string): string | null =>
  name.startsWith('x-') && !knownExtensions.has(name) ? (nearestName(name, knownExtensions, 2) ?? null) : null,
);

/** Where extensions of the suite can stand. */
const places = (root: Node): readonly Node[] => {
  const below = (node: Node): readonly Node[] => memberNodes(node).map(([, member]) => member);
  const pathItems = below(childNode(root, 'paths'));
  return [
    root,
    childNode(root, 'info'),
    ...itemNodes(childNode(root, 'tags')),
    ...below(childNode(childNode(root, 'components'), 'securitySchemes')),
    ...pathItems,
    ...pathItems.flatMap(below),
  ];
};

/** OpenAPI allows any extension, so a misspelt one would leave out its clause unseen. */
export const warnOfMisspeltExtensions = (root: Node, problems: Problems): void => {
  for (const place of places(root))
    for (const [name, node] of memberNodes(place)) {
      const meant = meantBy(name);
      if (meant !== null)
        problems.warn(node, `${JSON.stringify(name)} is no extension that is read here`, `Did you mean ${meant}?`);
    }
};
