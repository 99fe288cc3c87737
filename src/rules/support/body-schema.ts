import { byText, isObject, type Json, memoizePerObject, present } from '../../collections.js';
import { isPlainName, type Shape } from '../../wire/body-shape.js';
import type { Exchange } from '../../wire/types.js';
import { answerOf } from '../oracle/answers.js';
import { isMap, isScalar } from '../oracle/view.js';

/** Describes the structure of a body as a JSON Schema. */

/** Values nested deeper are not described. */
const deepest = 32;

const isData = (name: string): boolean => !isPlainName(name) || name.startsWith('#');

/** The schema with property names only, for arrays of which only some items were seen. */
const namesAlone = ({ properties, additionalProperties: others, items }: Schema): Schema => {
  const alone = (schema: Json | undefined): Schema | undefined => (isSchema(schema) ? namesAlone(schema) : undefined);
  const named = isSchema(properties)
    ? Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, alone(inner) ?? {}]))
    : undefined;
  return present({ properties: named, additionalProperties: alone(others), items: alone(items) });
};

const describe = (shape: Shape, depth = 0): Schema => {
  if (depth > deepest) return {};
  const inner = (value: Shape): Schema => describe(value, depth + 1);
  if (isScalar(shape)) {
    const { type, format } = shape;
    if (type === 'text') return {};
    if (format === 'integer') return { type: format };
    return present({ type, format });
  }
  if (shape.type === 'array') {
    const items = mergeSchemas(shape.items.map(inner));
    return present({ type: 'array', items: items && shape.items.length < shape.length ? namesAlone(items) : items });
  }
  const mapped = isMap(shape.members);
  const named = mapped ? [] : shape.members.filter(([name]) => !isData(name));
  const others = mergeSchemas(
    shape.members.filter(([name]) => mapped || isData(name)).map(([, value]) => inner(value)),
  );
  const sorted = named.toSorted(([a], [b]) => byText(a, b));
  const isNamed = sorted.length > 0;
  return present({
    type: 'object',
    properties: isNamed ? Object.fromEntries(sorted.map(([name, value]) => [name, inner(value)])) : undefined,
    required: isNamed ? sorted.map(([name]) => name) : undefined,
    additionalProperties: others,
  });
};

const described = memoizePerObject((shape: Shape): Schema => describe(shape));

/**
 * The JSON Schema of a JSON body: names, types and formats, but no values. Returns `undefined` if
 * the body is not JSON or is incomplete.
 *
 * It is built from the recorded shape, since exchanges keep no values that a library could infer a
 * schema from.
 */
export const bodySchema = (exchange: Exchange): Schema | undefined => {
  const body = answerOf(exchange)?.shape;
  return body?.kind === 'json' && !body.broken && !body.wrapped && body.shape ? described(body.shape) : undefined;
};

/** A JSON Schema of type, format, properties, required, additionalProperties and items. */
export type Schema = { readonly [keyword: string]: Json };

export const isSchema = (value: unknown): value is Schema => isObject(value);

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

const merged = (a: Schema, b: Schema): Schema =>
  present({
    type: sortedTypes(a, b),
    format: isNullAlone(a) ? b.format : isNullAlone(b) || a.format === b.format ? a.format : undefined,
    properties: propertiesOf(a.properties, b.properties),
    required: requiredOf(a, b),
    additionalProperties: either(a.additionalProperties, b.additionalProperties),
    items: either(a.items, b.items),
  });

/** A schema that accepts what any of them accepts: more schemas make it looser, never stricter. */
export const mergeSchemas = (schemas: readonly Schema[]): Schema | undefined => {
  // Rows of a list mostly have the same schema.
  const distinct = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]));
  const [first, ...others] = distinct.values();
  return first && others.reduce(merged, first);
};
