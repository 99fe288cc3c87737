import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AnySchemaObject, Options, ValidateFunction } from 'ajv';
import { isObject, memoize } from '../collections.js';
import { asset } from '../package.js';
import { isArray, type JsonObject, pathOfPointer, valueAt } from './json-values.js';

/** Validators made of the official JSON Schemas of OpenAPI. */

/**
 * A schema that recognises values which are meant to be this alternative; `undefined` if it has no
 * member to recognise them by.
 */
const signOf = ({ type, required, properties }: JsonObject): JsonObject | undefined => {
  // One of these members often has another value in each alternative.
  for (const member of ['type', 'in', 'scheme']) {
    const schema = valueAt(properties, [member]);
    if (valueAt(schema, ['pattern']) || valueAt(schema, ['enum', 'length']) === 1)
      return { type: 'object', required: [member], properties: { [member]: schema } };
  }
  if (type === 'boolean') return { type };
  return properties === undefined && required ? { type: 'object', required } : undefined;
};

/**
 * The schema for a value that no sign recognises: one of the known values, or the first
 * alternative.
 */
const forNone = (signs: readonly JsonObject[], first: unknown): unknown => {
  const [member = ''] = Object.keys(Object(signs[0]?.properties));
  const values = signs.flatMap(({ properties }) => valueAt(properties, [member, 'enum']));
  return values.includes(undefined) ? first : { ...signs[0], properties: { [member]: { enum: values } } };
};

/** A schema without the references that it consists of. */
export const resolved = (schema: unknown, root: unknown): unknown => {
  const reference = valueAt(schema, ['$ref']);
  return typeof reference === 'string' ? valueAt(root, pathOfPointer(reference.slice(1)) ?? []) : schema;
};

/** Replaces a union: each value is checked against the alternative that it is meant to be. */
const meantOf = (union: readonly unknown[], root: unknown): readonly unknown[] => {
  const signs = union.map((schema) => signOf(Object(resolved(schema, root))));
  const known = signs.filter((sign) => sign !== undefined);
  const otherwise = known.length < union.length ? union[signs.indexOf(undefined)] : forNone(known, union[0]);
  const meant = union.map((schema, index) => (signs[index] ? { if: { not: signs[index] }, else: schema } : true));
  return [...meant, { if: { anyOf: known }, else: otherwise }];
};

/**
 * A JSON Schema as it has to be for messages. Where a value fits no alternative of a union, all
 * alternatives report errors, and a condition on a member holds where the member is missing. Here,
 * a value meets only the alternative that it is meant to be.
 */
const withMeantAlternatives = (value: unknown, root: unknown = value): unknown => {
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

export const specificationVersions = ['3.0', '3.1', '3.2'] as const;
export type SpecificationVersion = (typeof specificationVersions)[number];

/** Converts the 3.0 schema from draft 4: boolean exclusive bounds differ in 2020-12. */
const modern = (value: unknown): unknown => {
  if (isArray(value)) return value.map(modern);
  if (!isObject(value)) return value;
  const { exclusiveMinimum, minimum, ...rest } = value;
  const converted = Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, modern(member)]));
  if (exclusiveMinimum === true) return { ...converted, exclusiveMinimum: minimum };
  return {
    ...converted,
    ...(minimum === undefined ? {} : { minimum: modern(minimum) }),
    ...(exclusiveMinimum === undefined ? {} : { exclusiveMinimum: modern(exclusiveMinimum) }),
  };
};

export const readSchema = (version: SpecificationVersion): AnySchemaObject => {
  const text = readFileSync(asset('src', 'contract', 'schemas', `openapi-${version}.json`), 'utf8');
  const schema = JSON.parse(text) as AnySchemaObject;
  if (version !== '3.0') return schema;
  const { id, $schema: _draft4, ...rest } = schema;
  return { ...(modern(rest) as AnySchemaObject), $id: String(id) };
};

/** Formats are annotations in 2020-12: a malformed mail address does not invalidate a contract. */
export const schemaOptions = {
  strict: false,
  validateSchema: false,
  validateFormats: false,
  inlineRefs: false,
  logger: false,
} as const satisfies Options;

const require = createRequire(import.meta.url);

/** Path of the validator that the build precompiles. */
export const precompiledPath = (version: SpecificationVersion): string =>
  asset('dist', 'src', 'contract', 'compiled', `openapi-${version}.cjs`);

const compile = (schema: AnySchemaObject, options: Options): ValidateFunction => {
  // Loaded on demand: ajv would double the time of a short run.
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  return new Ajv2020({ ...schemaOptions, ...options }).compile(schema);
};

/** Says only whether a document is valid; precompiled where the package was built. */
export const quickValidator = memoize((version: SpecificationVersion): ValidateFunction => {
  const path = precompiledPath(version);
  return existsSync(path) ? (require(path) as ValidateFunction) : compile(readSchema(version), {});
});

/** Reports every error that a person needs, and some that follow from others. */
export const thoroughValidator = memoize((version: SpecificationVersion) =>
  compile(withMeantAlternatives(readSchema(version)) as AnySchemaObject, { allErrors: true, verbose: true }),
);
