import { memoize } from '../collections.js';
import { editDistance } from '../names.js';
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

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, '');

/** The extensions that a name misspells by two letters at most, whatever its case and dashes. */
const meantBy = memoize((name: string): readonly string[] => {
  if (!name.startsWith('x-') || knownExtensions.has(name)) return [];
  const distanceTo = (known: string): number => editDistance(lettersOf(name), lettersOf(known));
  return [...knownExtensions].filter((known) => distanceTo(known) <= 2).sort((a, b) => distanceTo(a) - distanceTo(b));
});

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
      const [meant] = meantBy(name);
      if (meant !== undefined)
        problems.warn(node, `${JSON.stringify(name)} is no extension that is read here`, `Did you mean ${meant}?`);
    }
};
