import { isArray, isObject, type JsonObject, pathOf, valueAt } from './json-values.js';

/**
 * A JSON Schema as it has to be for messages. Where a value fits no alternative of a union, all
 * alternatives report errors, and a condition on a member holds where the member is missing. Here,
 * a value meets only the alternative that it is meant to be.
 */

/** What fits only a value that is meant to be this alternative; `undefined` where nothing tells. */
const signOf = ({ type, required, properties }: JsonObject): JsonObject | undefined => {
  // Where each alternative has a value of its own for one of these members, it tells.
  for (const member of ['type', 'in', 'scheme']) {
    const schema = valueAt(properties, [member]);
    if (valueAt(schema, ['pattern']) || valueAt(schema, ['enum', 'length']) === 1)
      return { type: 'object', required: [member], properties: { [member]: schema } };
  }
  if (type === 'boolean') return { type };
  return properties === undefined && required ? { type: 'object', required } : undefined;
};

/** What is asked of a value without any of these signs: a value that is one, or the first schema. */
const forNone = (signs: readonly JsonObject[], first: unknown): unknown => {
  const [member = ''] = Object.keys(Object(signs[0]?.properties));
  const values = signs.flatMap(({ properties }) => valueAt(properties, [member, 'enum']));
  return values.includes(undefined) ? first : { ...signs[0], properties: { [member]: { enum: values } } };
};

/** A schema without the references that it consists of. */
export const resolved = (schema: unknown, root: unknown): unknown => {
  const reference = valueAt(schema, ['$ref']);
  return typeof reference === 'string' ? valueAt(root, pathOf(reference.slice(1)) ?? []) : schema;
};

/** What a union asks of a value that is meant to be one of its alternatives. */
const meantOf = (union: readonly unknown[], root: unknown): readonly unknown[] => {
  const signs = union.map((schema) => signOf(Object(resolved(schema, root))));
  const known = signs.filter((sign) => sign !== undefined);
  const otherwise = known.length < union.length ? union[signs.indexOf(undefined)] : forNone(known, union[0]);
  const meant = union.map((schema, index) => (signs[index] ? { if: { not: signs[index] }, else: schema } : true));
  return [...meant, { if: { anyOf: known }, else: otherwise }];
};

export const withMeantAlternatives = (value: unknown, root: unknown = value): unknown => {
  if (isArray(value)) return value.map((item) => withMeantAlternatives(item, root));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, withMeantAlternatives(member, root)]);
  const schema: Record<string, unknown> = Object.fromEntries(members);
  const tested = valueAt(schema.if, ['properties']);
  if (isObject(tested)) schema.if = { properties: tested, required: Object.keys(tested) };
  // Responses may lack a status, and `default` too.
  if (valueAt(schema.if, ['patternProperties'])) delete schema.if;
  const { oneOf, anyOf: union = oneOf, allOf = [], ...rest } = schema;
  if (!isArray(union)) return schema;
  const required = union.flatMap((each) => valueAt(each, ['required']) ?? []);
  const notAll = oneOf && required.length === union.length ? { not: { required } } : {};
  return { ...rest, allOf: [allOf, meantOf(union, root), notAll].flat() };
};
