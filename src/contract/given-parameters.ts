import { ContractError } from './errors.js';
import type { GivenParameters } from './parameters.js';
import { readSource } from './source.js';
import { isObject } from './tree.js';

/**
 * Reads the PARAMETERS file: a YAML or JSON object, `name: value` for every operation that has a parameter of that
 * name, `operationId: { name: value }` for one operation alone.
 * @throws {ContractError} when it is not readable or no object
 */
export const readGivenParameters = (file: string | undefined): GivenParameters => {
  if (file === undefined) return {};
  const source = readSource(file);
  if (isObject(source.value)) return source.value;
  if (source.value === null) return {};
  const hint = 'Write `name: value` for all operations, or the id of an operation and its values below it.';
  throw new ContractError([{ ...source.positionOf([]), message: 'the parameters file must hold an object', hint }]);
};
