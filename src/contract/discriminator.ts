import { child, isArray, isObject, pointerOf } from './json-values.js';
import { childNode, type Node, type References } from './references.js';

/** The alternatives of a schema and the member by whose value a body names its own. */
export interface Union {
  readonly keyword: 'oneOf' | 'anyOf';
  readonly member: string;
  /** The `$ref` of the alternative for each value that the document gives one for. */
  readonly references: ReadonlyMap<string, string>;
}

const isName = (text: string): boolean => /^[\w.-]+$/.test(text);

/** The name that a schema has without a mapping: the last part of the pointer that leads to it. */
const impliedName = (target: Node): string | undefined => {
  const last = target.path.at(-1);
  return target.path.at(-2) === 'schemas' && typeof last === 'string' ? last : undefined;
};

/**
 * The union that a `discriminator` makes of `oneOf` or `anyOf` (OpenAPI 3.0, section 4.7.25). Without either, children that name
 * their parent by `allOf` take no part in validation (OpenAPI 3.1.1, section 4.8.25.1).
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
    const target = references.find(childNode(schema, keyword, index), reference);
    const name = target && impliedName(target);
    if (name !== undefined) found.set(name, reference);
  }
  const mapping = child(value.discriminator, 'mapping');
  for (const [name, text] of Object.entries(isObject(mapping) ? mapping : {})) {
    if (typeof text !== 'string') continue;
    // A name may also be the name of a file; what the document itself defines is meant first.
    const component = `#${pointerOf(['components', 'schemas', text])}`;
    const reference = isName(text) && references.find(schema, component) ? component : text;
    if (references.find(schema, reference)) found.set(name, reference);
    else found.delete(name);
  }
  return { keyword, member, references: found };
};

/**
 * A union as JSON Schema: a body that names an alternative of the document is held against that one, and any other against
 * all of them, where one that fits is enough. Alternatives of a union often share every member, so two that fit are no fault.
 * @param branches the alternatives
 * @param named those that a value of `member` names
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
