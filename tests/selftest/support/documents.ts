import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { BodyFit } from '../../../src/contract/body-validator.js';
import { ContractError } from '../../../src/contract/errors.js';
import { loadContract } from '../../../src/contract/load.js';
import type { LoadOptions } from '../../../src/contract/load-options.js';
import type { Contract } from '../../../src/contract/model.js';

/**
 * File name → text, or an object that is written as YAML (as JSON for a name that ends with
 * `.json`).
 */
export type Files = Readonly<Record<string, string | object>>;

/** Runs `use` with a folder that holds `files` and is gone afterwards. */
export const withFiles = async <T>(files: Files, use: (path: (name: string) => string) => Promise<T>): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), 'contract-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      const written = name.endsWith('.json')
        ? JSON.stringify(content, null, 2)
        : stringify(content, { aliasDuplicateObjects: false });
      writeFileSync(join(folder, name), typeof content === 'string' ? content : written);
    }
    return await use((name) => join(folder, name));
  } finally {
    rmSync(folder, { recursive: true });
  }
};

type FileOptions = Omit<LoadOptions, 'overlay' | 'parameters'> & {
  readonly overlay?: readonly string[];
  readonly parameters?: string;
};

/** Loads the first of `files`; `overlay` and `parameters` name others of them. */
export const loadFiles = (files: Files, options: FileOptions = {}): Promise<Contract> =>
  withFiles(files, (path) => {
    const { overlay, parameters, ...rest } = options;
    return loadContract(path(Object.keys(files)[0] ?? ''), {
      ...rest,
      overlay: overlay?.map(path).join(','),
      parameters: parameters === undefined ? undefined : path(parameters),
    });
  });

/**
 * The problems that loading ends with, as `line:column message` (with the file's name in front
 * where there are several).
 */
export const problemsOf = async (files: Files, options: FileOptions = {}): Promise<readonly string[]> => {
  try {
    await loadFiles(files, options);
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    const several = Object.keys(files).length > 1;
    return error.problems.map(({ file, line, column, message }) =>
      [...(several ? [file.split(/[\\/]/).at(-1)] : []), line, `${column} ${message}`].join(':'),
    );
  }
  return [];
};

/** A small document of OpenAPI 3.1 around `parts`. */
export const documentOf = (parts: Readonly<Record<string, unknown>>): object => ({
  openapi: '3.1.1',
  info: { title: 'Test', version: '1' },
  paths: {
    '/things': { get: { operationId: 'listThings', security: [], responses: { default: { description: '-' } } } },
  },
  ...parts,
});

/** An operation that promises nothing, with `parts`. */
export const operationOf = (parts: Readonly<Record<string, unknown>> = {}): object => ({
  security: [],
  responses: { default: { description: '-' } },
  ...parts,
});

/** One list at `/things/` that opens with a bearer token. */
export const protectedList = documentOf({
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/things/': {
      get: { operationId: 'list', security: [{ key: [] }], responses: { default: { description: '-' } } },
    },
  },
});

/** What a judge says of a body, the member that it names at the end. */
export const withMember = (fit: BodyFit): BodyFit => {
  if (fit.verdict !== 'differs') return fit;
  const { member, schema: _shared, message, ...rest } = fit;
  return { ...rest, message: member === undefined ? message : `${message} ("${member}")` };
};
