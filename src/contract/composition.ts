import { isArray, isObject, type JsonObject, setMember } from './json-values.js';

/** Keywords whose value maps names to schemas: the names are no keywords. */
export const schemaMaps: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);

/** Keywords whose schemas apply to the same value and may describe its members. */
const parts = ['allOf', 'anyOf', 'oneOf', 'then', 'else'] as const;

export const isPart = (keyword: string): boolean => parts.some((part) => part === keyword);

/** Names and patterns of members, from all parts of a composition. */
export interface DescribedMembers {
  readonly names: readonly string[];
  readonly patterns: readonly string[];
}

/**
 * The members that a schema and its parts describe; `undefined` where it has no parts.
 * @param registry schemas by `$ref`
 */
export const describedMembers = (
  schema: JsonObject,
  registry: Readonly<Record<string, unknown>>,
): DescribedMembers | undefined => {
  if (!parts.some((keyword) => schema[keyword] !== undefined) && schema.$ref === undefined) return undefined;
  const names = new Set<string>();
  const patterns = new Set<string>();
  const seen = new Set<unknown>();
  const visit = (value: unknown): void => {
    if (seen.has(value)) return;
    seen.add(value);
    if (isArray(value)) for (const each of value) visit(each);
    if (!isObject(value)) return;
    for (const name of Object.keys(isObject(value.properties) ? value.properties : {})) names.add(name);
    for (const name of Object.keys(isObject(value.patternProperties) ? value.patternProperties : {}))
      patterns.add(name);
    for (const keyword of parts) visit(value[keyword]);
    const { $ref } = value;
    if (typeof $ref === 'string' && Object.hasOwn(registry, $ref)) visit(registry[$ref]);
  };
  visit(schema);
  return { names: [...names].sort(), patterns: [...patterns].sort() };
};

/** A part with `additionalProperties: false` that also allows the members of the other parts. */
export const allowingMembers = (
  part: Record<string, unknown>,
  { names, patterns }: DescribedMembers,
): Record<string, unknown> => {
  const own = (keyword: string): JsonObject => (isObject(part[keyword]) ? part[keyword] : {});
  const withMembers = (keyword: string, all: readonly string[]): JsonObject => {
    const members: Record<string, unknown> = { ...own(keyword) };
    for (const name of all) if (!Object.hasOwn(members, name)) setMember(members, name, true);
    return members;
  };
  return {
    ...part,
    properties: withMembers('properties', names),
    ...(patterns.length > 0 ? { patternProperties: withMembers('patternProperties', patterns) } : {}),
  };
};
