import type { Contract } from '../../contract/model.js';
import { inventedFor } from './invented.js';
import { type RecordedValues, withValues } from './recording.js';
import { sourcesFor } from './sources.js';

/**
 * Placeholders for the values that a run will look for in answers. They allow planning before
 * anything is read; the values may turn out not to exist.
 * @param seed of invented values for the other operations, which get none when absent
 */
const provisionalValues = (contract: Contract, seed?: string): RecordedValues => {
  const filled: Record<string, Record<string, string>> = {};
  const invented: Record<string, Record<string, string>> = {};
  const numbers = new Map<string, number>();
  for (const { id, path, access, fillable } of contract.unprobed) {
    if (!fillable) continue;
    const texts: Record<string, string> = {};
    for (const parameter of fillable.missing) {
      const { place, operations } = sourcesFor(contract, { id, path }, parameter);
      const number = numbers.get(place) ?? numbers.size + 1;
      numbers.set(place, number);
      if (operations.length > 0) texts[parameter.name] = `<ID_${number}>`;
    }
    if (Object.keys(texts).length === fillable.missing.length) filled[id] = texts;
    else if (access === 'protected' && seed !== undefined) {
      const madeUp = inventedFor(fillable.missing, seed, path);
      if (madeUp) invented[id] = madeUp;
    }
  }
  return { read: [], filled, invented, missed: {} };
};

/** The contract with the operations whose values can be looked for in answers of the service. */
export const contractWithSources = (contract: Contract): Contract => withValues(contract, provisionalValues(contract));

/**
 * The contract as a run may judge it. Protected operations without a source of values get an
 * invented value, and are asked without a key.
 */
export const plannedContract = (contract: Contract, seed: string): Contract =>
  withValues(contract, provisionalValues(contract, seed));
