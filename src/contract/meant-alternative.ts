import { isArray, isObject, type JsonObject, pathOf, valueAt } from './json-values.js';

/**
 * A JSON Schema as it has to be for messages. Where a value fits no alternative of a union, all
 * alternatives report errors, and a condition on a member holds where the member is missing. Here,
 * a value meets only the alternative that it is meant to be.
 */

/** Members whose value tells which alternative an object is meant to be, where each has its own. */
const discriminators = ['type', 'in', 'scheme'];

/** What fits only a value that is meant to be this alternative; `undefined` where nothing tells. */
const signOf = ({ type, required, properties }: JsonObject): JsonObject | undefined => {
  for (const member of discriminators) {
    const schema = valueAt(properties, [member]);
    if (isObject(schema) && (schema.pattern || (isArray(schema.enum) && schema.enum.length === 1)))
      return { type: 'object', required: [member], properties: { [member]: schema } };
  }
  if (type === 'boolean') return { type };
  return properties === undefined && required ? { type: 'object', required } : undefined;
};

/** For a value that is meant to be none: the values that would tell, or what the first one asks. */
const forNone = (signs: readonly JsonObject[], first: unknown): unknown => {
  for (const member of discriminators) {
    const values = signs.map(({ properties }) => valueAt(properties, [member, 'enum']));
    if (!values.includes(undefined))
      return { type: 'object', required: [member], properties: { [member]: { enum: values.flat() } } };
  }
  return first;
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
  return [
    ...union.flatMap((schema, index) => (signs[index] ? { if: { not: signs[index] }, else: schema } : [])),
    { if: { anyOf: known }, else: otherwise },
  ];
};

export const withMeantAlternatives = (value: unknown, root: unknown = value): unknown => {
  if (isArray(value)) return value.map((item) => withMeantAlternatives(item, root));
  if (!isObject(value)) return value;
  const schema: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) schema[name] = withMeantAlternatives(member, root);
  for (const name of ['oneOf', 'anyOf']) {
    const { [name]: union, allOf } = schema;
    if (!isArray(union)) continue;
    delete schema[name];
    const required = union.flatMap((each) => valueAt(each, ['required']) ?? []);
    const notAll = name === 'oneOf' && required.length === union.length ? [{ not: { required } }] : [];
    schema.allOf = [...(isArray(allOf) ? allOf : []), ...meantOf(union, root), ...notAll];
  }
  const tested = valueAt(schema.if, ['properties']);
  if (isObject(tested)) schema.if = { properties: tested, required: Object.keys(tested) };
  return schema;
};
