import { ContractError } from './errors.js';
import { isObject } from './json-values.js';
import type { GivenParameters } from './parameters.js';
import type { Node } from './references.js';
import { readSource } from './source.js';

/**
 * Reads the PARAMETERS file: a YAML or JSON object, `name: value` for every operation that has a
 * parameter of that name, `operationId: { name: value }` for one operation alone.
 * @throws {ContractError} when it is not readable or no object
 */
export const readGivenParameters = (
  file: string | undefined,
): { readonly values: GivenParameters; readonly node?: Node } => {
  if (file === undefined) return { values: {} };
  const source = readSource(file);
  const node: Node = { source, path: [], value: source.value };
  if (isObject(source.value)) return { values: source.value, node };
  if (source.value === null) return { values: {} };
  const hint = 'Write `name: value` for all operations, or the id of an operation and its values below it.';
  throw new ContractError([{ ...source.positionOf([]), message: 'the parameters file must hold an object', hint }]);
};
