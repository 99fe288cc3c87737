import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { precompiledPath, readSchema, schemaOptions, specificationVersions } from './official-schema.js';

/**
 * Build step: compiles the official schemas to JavaScript, since that takes longer than most runs.
 */

/** Errors name the place in the schema that they come from, which nothing reads. */
const withoutSchemaPaths = (code: string): string => code.replace(/,schemaPath:\s*"(?:[^"\\]|\\.)*"/g, '');

for (const version of specificationVersions) {
  const ajv = new Ajv2020({ ...schemaOptions, messages: false, code: { source: true } });
  const path = precompiledPath(version);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, withoutSchemaPaths(standalone.default(ajv, ajv.compile(readSchema(version)))));
}
