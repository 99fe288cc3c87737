import { child, isArray, isObject, pointerOf } from './json-values.js';
import { type Node, nodeAt } from './node.js';
import type { References } from './references.js';

/** The alternatives of a schema, and the member that selects one. */
export interface Union {
  readonly keyword: 'oneOf' | 'anyOf';
  readonly member: string;
  /** `$ref` of an alternative by the member's value. */
  readonly references: ReadonlyMap<string, string>;
}

const isName = (text: string): boolean => /^[\w.-]+$/.test(text);

/** The implicit name of a schema: the last segment of its pointer. */
const impliedName = (target: Node): string | undefined => {
  const last = target.path.at(-1);
  return target.path.at(-2) === 'schemas' && typeof last === 'string' ? last : undefined;
};

/**
 * The union that a `discriminator` makes of `oneOf` or `anyOf` (OpenAPI 3.0, section 4.7.25). A
 * discriminator without either does not affect validation (OpenAPI 3.1.1, section 4.8.25.1).
 */
export const unionOf = (schema: Node, references: References): Union | undefined => {
  const { value } = schema;
  if (!isObject(value)) return undefined;
  const member = child(value.discriminator, 'propertyName');
  const keyword = isArray(value.oneOf) ? 'oneOf' : 'anyOf';
  const branches = value[keyword];
  if (typeof member !== 'string' || !isArray(branches)) return undefined;
  const found = new Map<string, string>();
  for (const [index, branch] of branches.entries()) {
    const reference = child(branch, '$ref');
    if (typeof reference !== 'string') continue;
    const target = references.find(nodeAt(schema, [keyword, index]), reference);
    const name = target && impliedName(target);
    if (name !== undefined) found.set(name, reference);
  }
  const mapping = child(value.discriminator, 'mapping');
  for (const [name, text] of Object.entries(isObject(mapping) ? mapping : {})) {
    if (typeof text !== 'string') continue;
    // A mapping value may be a name or a URI; a component of that name wins.
    const component = `#${pointerOf(['components', 'schemas', text])}`;
    const reference = isName(text) && references.find(schema, component) ? component : text;
    if (references.find(schema, reference)) found.set(name, reference);
    else found.delete(name);
  }
  return { keyword, member, references: found };
};

/**
 * A union as JSON Schema. A body that names an alternative must fit that one; any other must fit at
 * least one. Alternatives often share every member, so more than one may fit.
 * @param branches the alternatives
 * @param named the schema for each value of `member`
 */
export const unionSchema = (
  member: string,
  branches: unknown,
  named: ReadonlyMap<string, unknown>,
): Readonly<Record<string, unknown>> => {
  if (named.size === 0) return { anyOf: branches };
  const says = (test: object): object => ({
    type: 'object',
    required: [member],
    properties: { [member]: test },
  });
  const own = [...named].map(([name, then]) => ({ if: says({ const: name }), then }));
  const then = { allOf: own };
  return { if: says({ enum: [...named.keys()] }), then, else: { anyOf: branches } };
};
