import type { Node, References } from './references.js';
import type { Source } from './source.js';
import { isArray, isObject, type Path } from './tree.js';

/** Members whose names are chosen by the author: what is inside them is judged by what it is, never by its name. */
const named = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'paths',
  'webhooks',
  'responses',
  'schemas',
  'parameters',
  'headers',
  'requestBodies',
  'securitySchemes',
  'links',
  'callbacks',
  'pathItems',
  'content',
  'mediaTypes',
  'encoding',
  'variables',
]);

/** Members that hold data: a `$ref` in there is a member like any other. */
const data = new Set(['example', 'examples', 'default', 'enum', 'const', 'value', 'dataValue', 'mapping', 'security']);

/**
 * Follows every `$ref` of every file, so that one that leads nowhere is known before a run and not in the middle of it.
 * A name without a slash is an anchor of JSON Schema; those are left to the validator of bodies.
 */
export const checkReferences = (root: Source, references: References): void => {
  const checked = new Set<Source>();
  const waiting: Source[] = [root];
  for (let source = waiting.pop(); source; source = waiting.pop()) {
    checked.add(source);
    walk(source, references);
    waiting.push(...references.sources.filter((each) => !checked.has(each)));
  }
};

const isAnchor = (reference: string): boolean => /#[^/]/.test(reference);

const walk = (source: Source, references: References): void => {
  const seen = new Set<object>();
  const good = new Set<string>();
  const visit = (value: unknown, path: Path, names: boolean): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    if (isArray(value)) {
      for (const [index, item] of value.entries()) if (typeof item === 'object') visit(item, [...path, index], false);
      return;
    }
    if (!isObject(value)) return;
    const { $ref } = value;
    if (!names && typeof $ref === 'string' && !good.has($ref) && !isAnchor($ref)) {
      const node: Node = { source, path, value };
      if (references.follow(node, $ref)) good.add($ref);
    }
    for (const name in value) {
      if (!Object.hasOwn(value, name)) continue;
      const member = value[name];
      if (typeof member !== 'object' || member === null) continue;
      if (!names && (data.has(name) || name.startsWith('x-'))) continue;
      visit(member, [...path, name], !names && named.has(name));
    }
  };
  visit(source.value, [], false);
};
