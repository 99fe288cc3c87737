import { isArray, isObject } from './json-values.js';
import { childNode, type Node, type References } from './references.js';

/** Keywords whose schemas speak of the same value as the schema around them. */
const lists = ['allOf', 'anyOf', 'oneOf'] as const;
const singles = ['if', 'then', 'else'] as const;

/** What a schema is composed of: itself, what it refers to, and what that is composed of. */
const compositionParts = (start: Node, references: References): readonly Node[] => {
  const found: Node[] = [];
  const seen = new Set<unknown>();
  const visit = (node: Node | undefined): void => {
    if (!node || !isObject(node.value) || seen.has(node.value)) return;
    seen.add(node.value);
    found.push(node);
    for (const keyword of lists) {
      const list = node.value[keyword];
      if (isArray(list)) for (const index of list.keys()) visit(childNode(node, keyword, index));
    }
    for (const keyword of singles) visit(childNode(node, keyword));
    if (typeof node.value.$ref === 'string') visit(references.find(node, node.value.$ref));
  };
  visit(start);
  return found;
};

const isWriteOnly = ({ value }: Node): boolean => isObject(value) && value.writeOnly === true;

/**
 * Members that requests alone need: a `writeOnly` one is never in an answer, and asked for by `required` in requests alone
 * (OpenAPI 3.0, section 4.7.24.2). What says so may be the member's schema, one that it refers to, or any part of a composition.
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
 * Whether an alternative asks for a member that no answer holds. Alternatives that differ in such members alone are alike in
 * answers, so that more than one may fit.
 */
export const requiresWriteOnly = (omitted: readonly string[], alternatives: Node, references: References): boolean =>
  omitted.length > 0 &&
  isArray(alternatives.value) &&
  [...alternatives.value.keys()].some((index) =>
    compositionParts(childNode(alternatives, index), references).some(({ value }) => {
      const required = isObject(value) ? value.required : undefined;
      return isArray(required) && required.some((name) => omitted.some((other) => other === name));
    }),
  );
