import { isArray, isObject } from './json-values.js';
import { childNode, itemNodes, type Node } from './node.js';
import type { References } from './references.js';

/** Keywords whose schemas apply to the same value. */
const lists = ['allOf', 'anyOf', 'oneOf'] as const;
const singles = ['if', 'then', 'else'] as const;

/** A schema with all parts of its composition, references included. */
const compositionParts = (start: Node, references: References): readonly Node[] => {
  const found: Node[] = [];
  const seen = new Set<unknown>();
  const visit = (node: Node | undefined): void => {
    if (!node || !isObject(node.value) || seen.has(node.value)) return;
    seen.add(node.value);
    found.push(node);
    for (const keyword of lists) for (const part of itemNodes(childNode(node, keyword))) visit(part);
    for (const keyword of singles) visit(childNode(node, keyword));
    if (typeof node.value.$ref === 'string') visit(references.find(node, node.value.$ref));
  };
  visit(start);
  return found;
};

const isWriteOnly = ({ value }: Node): boolean => isObject(value) && value.writeOnly === true;

/**
 * Names of `writeOnly` members, which only requests contain and require (OpenAPI 3.0, section
 * 4.7.24.2). The member's schema, a referenced one or any part of a composition may say so.
 */
export const writeOnlyNames = (schema: Node, references: References): readonly string[] =>
  compositionParts(schema, references).flatMap((part) => {
    const properties = childNode(part, 'properties');
    if (!isObject(properties.value)) return [];
    return Object.keys(properties.value).filter((name) =>
      compositionParts(childNode(properties, name), references).some(isWriteOnly),
    );
  });

/**
 * Whether an alternative requires a `writeOnly` member. Alternatives that differ only in such
 * members are alike in responses, so several may fit.
 */
export const requiresWriteOnly = (omitted: readonly string[], alternatives: Node, references: References): boolean =>
  omitted.length > 0 &&
  itemNodes(alternatives).some((alternative) =>
    compositionParts(alternative, references).some(({ value }) => {
      const required = isObject(value) ? value.required : undefined;
      return isArray(required) && required.some((name) => omitted.some((other) => other === name));
    }),
  );
