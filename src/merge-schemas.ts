import type { Json } from './canonical-json.js';

/** A JSON Schema of type, format, properties, required, additionalProperties and items. */
export type Schema = { readonly [keyword: string]: Json };

export const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const typesOf = ({ type }: Schema): readonly string[] =>
  type === undefined ? [] : Array.isArray(type) ? (type as readonly string[]) : [String(type)];

const isNullAlone = (schema: Schema): boolean => typesOf(schema).join() === 'null';

const sortedTypes = (a: Schema, b: Schema): Json | undefined => {
  const [one, other] = [typesOf(a), typesOf(b)];
  if (one.length === 0 || other.length === 0) return undefined;
  const all = new Set([...one, ...other]);
  if (all.has('number')) all.delete('integer');
  const types = [...all].sort();
  return types.length === 1 ? (types[0] as string) : types;
};

const either = (a: Json | undefined, b: Json | undefined): Json | undefined =>
  isSchema(a) && isSchema(b) ? merged(a, b) : (a ?? b);

const propertiesOf = (a: Json | undefined, b: Json | undefined): Json | undefined => {
  if (!isSchema(a) || !isSchema(b)) return a ?? b;
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  return Object.fromEntries(names.map((name) => [name, either(a[name], b[name]) ?? {}]));
};

/** The members that both schemas require. A schema without objects has no influence. */
const requiredOf = (a: Schema, b: Schema): Json | undefined => {
  if (!typesOf(a).includes('object')) return b.required;
  if (!typesOf(b).includes('object')) return a.required;
  const both = ((a.required ?? []) as readonly string[]).filter((name) =>
    ((b.required ?? []) as readonly string[]).includes(name),
  );
  return both.length === 0 ? undefined : both;
};

const merged = (a: Schema, b: Schema): Schema => {
  const members: readonly (readonly [string, Json | undefined])[] = [
    ['type', sortedTypes(a, b)],
    ['format', isNullAlone(a) ? b.format : isNullAlone(b) || a.format === b.format ? a.format : undefined],
    ['properties', propertiesOf(a.properties, b.properties)],
    ['required', requiredOf(a, b)],
    ['additionalProperties', either(a.additionalProperties, b.additionalProperties)],
    ['items', either(a.items, b.items)],
  ];
  return Object.fromEntries(members.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
};

/** A schema that accepts what any of them accepts: more schemas make it looser, never stricter. */
export const mergeSchemas = (schemas: readonly Schema[]): Schema | undefined => {
  // Rows of a list mostly have the same schema.
  const distinct = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]));
  const [first, ...others] = distinct.values();
  return first && others.reduce(merged, first);
};
