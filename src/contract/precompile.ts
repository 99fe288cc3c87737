import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { precompiledPath, readSchema, schemaOptions, specificationVersions } from './official-schema.js';

/**
 * Build step: compiles the official schemas to JavaScript, since that takes longer than most runs.
 */

/** What the errors are made of, as Ajv writes it: the validators say only whether a document is valid. */
const errorObject = /\{instancePath[^{}]*,params:\{[^{}]*\}\}/g;
const placeOfErrors = /instancePath:instancePath[^{}]*?(?=rootData)/g;

for (const version of specificationVersions) {
  const ajv = new Ajv2020({ ...schemaOptions, messages: false, code: { source: true } });
  const path = precompiledPath(version);
  const code = standalone.default(ajv, ajv.compile(readSchema(version)));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, code.replaceAll(errorObject, '{}').replaceAll(placeOfErrors, ''));
}
