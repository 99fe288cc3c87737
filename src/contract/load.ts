import { createHash } from 'node:crypto';
import { clausesOf } from './clauses.js';
import type { Contract } from './model.js';
import { readOperations } from './operations.js';
import { Parameters } from './parameters.js';
import { Problems } from './problems.js';
import { childNode, type Node, References } from './references.js';
import { Schemas } from './schemas.js';
import { Security } from './security.js';
import { readServer } from './servers.js';
import { readSource } from './source.js';
import { child } from './tree.js';

export interface LoadOptions {
  /** OVERLAY: overlay files, applied in order, separated by commas. */
  readonly overlay?: string | undefined;
  /** Values of settings that replace an assumed path: `{ EXERCISE_PATH: '/api/v2/exercise/' }`. */
  readonly paths?: Readonly<Record<string, string>> | undefined;
  /** PARAMETERS: a YAML or JSON file, operation id or parameter name → value. */
  readonly parameters?: string | undefined;
  /** UNSAFE_METHODS */
  readonly unsafeMethods?: boolean | undefined;
  /** Names of the settings that hold a key. Of several alternatives the first whose keys are there is taken. */
  readonly keys?: readonly string[] | undefined;
}

const words = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Reads an OpenAPI document (3.0, 3.1 or 3.2; YAML or JSON) and normalises what it says about access.
 * @param file path of the document
 * @throws {ContractError} with every problem found, each with file, line and column
 */
export const loadContract = async (file: string, options: LoadOptions = {}): Promise<Contract> => {
  const source = readSource(file);
  const problems = new Problems();
  const root: Node = { source, path: [], value: source.value };
  const references = new References(root.source, problems);
  const security = new Security(root, references, problems, options.keys ?? []);
  const schemas = new Schemas(root, references, words(child(root.value, 'openapi')).startsWith('3.0'));
  const { operations, unprobed } = readOperations({
    root,
    references,
    problems,
    security,
    schemas,
    parameters: new Parameters(references, problems, {}),
    paths: options.paths ?? {},
    unsafeMethods: options.unsafeMethods ?? false,
  });
  if (operations.length + unprobed.length === 0)
    problems.error(
      childNode(root, 'paths'),
      'the document has no operations',
      'Add at least one path with a GET operation.',
    );
  const server = readServer(root, problems);
  problems.throwErrors();
  const info = child(root.value, 'info');
  const hash = createHash('sha256');
  for (const { bytes } of references.sources) hash.update(bytes);
  const contract: Contract = {
    title: words(child(info, 'title')),
    version: words(child(info, 'version')),
    file: source.file,
    sha256: hash.digest('hex'),
    ...(server === undefined ? {} : { server }),
    ...clausesOf(root, operations),
    operations,
    unprobed,
    schemes: security.schemes,
    get schemas() {
      return schemas.registry;
    },
    warnings: problems.warnings,
  };
  for (const each of references.sources) each.release();
  return contract;
};
