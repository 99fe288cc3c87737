import { isObject, pointerOf } from './json-values.js';
import type { Node, References } from './references.js';

/**
 * What the dynamic anchors of the schema resources around a schema mean: the outermost resource on the way there decides
 * (JSON Schema 2020-12 core, section 8.2.3.2). Worked out while schemas are read, since a way is known then.
 */
export type DynamicScope = ReadonlyMap<string, Node>;

export const noScope: DynamicScope = new Map();

/** The scope inside `node`, which adds the anchors of the resource that it stands in. */
export const scopeInside = (node: Node, scope: DynamicScope, references: References): DynamicScope => {
  const own = references.dynamicAnchorsAround(node).filter(([name]) => !scope.has(name));
  return own.length === 0 ? scope : new Map([...scope, ...own]);
};

/** What tells a scope from another. */
export const nameOfScope = (scope: DynamicScope): readonly string[] =>
  [...scope].map(([name, { source, path }]) => `${name} ${source.absolute}#${pointerOf(path)}`).sort();

/**
 * Where a `$dynamicRef` written in `from` leads; `undefined` where nobody can tell. Schemas without an `$id` are parts of one
 * resource, the document, and whether all of it lies on the way is read in more than one way.
 */
export const dynamicTarget = (
  from: Node,
  reference: string,
  scope: DynamicScope,
  references: References,
): Node | undefined => {
  const name = reference.replace(/^.*#/s, '');
  const first = references.find(from, reference);
  if (!first || !isObject(first.value) || first.value.$dynamicAnchor !== name) return first;
  switch (references.dynamicAnchorsNamed(name)) {
    case 'one':
      return first;
    case 'one a schema':
      return scope.get(name) ?? first;
    case 'unclear':
      return undefined;
  }
};
