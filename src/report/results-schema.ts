import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { asset } from '../package.js';

type Part = 'results' | 'exchange';

const require = createRequire(import.meta.url);

let validators: Readonly<Record<Part, ValidateFunction>> | undefined;

/** Allows members that a newer version with the same `schemaVersion` has added. */
const openCopy = (schema: string): Record<string, unknown> =>
  JSON.parse(schema, (name, value: unknown) =>
    name === 'additionalProperties' && value === false ? undefined : value,
  ) as Record<string, unknown>;

const compile = (): Readonly<Record<Part, ValidateFunction>> => {
  // Loaded only when a file is read: loading ajv takes time.
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const schema = openCopy(readFileSync(asset('schema', 'results.schema.json'), 'utf8'));
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictTypes: false, strictRequired: false });
  ajv.addSchema(schema, 'results');
  return { results: ajv.compile({ $ref: 'results' }), exchange: ajv.compile({ $ref: 'results#/$defs/exchange' }) };
};

/** The first schema error, as `/member must be …`; `undefined` for a valid value. */
export const resultsErrors = (part: Part, value: unknown): string | undefined => {
  validators ??= compile();
  const validate = validators[part];
  return validate(value) ? undefined : errorText(validate.errors?.at(-1));
};

const errorText = (error: ErrorObject | undefined): string => {
  if (!error) return 'it does not fit the schema';
  const allowed: unknown = 'allowedValues' in error.params ? error.params.allowedValues : undefined;
  return `${error.instancePath} ${error.message ?? 'does not fit'}${Array.isArray(allowed) ? `: ${allowed.join(', ')}` : ''}`;
};
