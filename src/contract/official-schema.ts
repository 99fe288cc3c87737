import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AnySchemaObject, Options, ValidateFunction } from 'ajv';
import { memoize } from '../collections.js';
import { asset } from '../package.js';
import { isArray, isObject } from './json-values.js';
import { withMeantAlternatives } from './meant-alternative.js';

/** Validators made of the official JSON Schemas of OpenAPI. */

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
