import type { Contract } from '../../contract/model.js';
import { type RecordedValues, withValues } from './recording.js';
import { sourcesFor } from './sources.js';

/**
 * Placeholders for the operations whose values a run will look for in answers, before any was read:
 * what can be planned and named, and says nothing of whether the values are there.
 */
export const provisionalValues = (contract: Contract): RecordedValues => {
  const filled: Record<string, Record<string, string>> = {};
  const numbers = new Map<string, number>();
  for (const { id, path, fillable } of contract.unprobed) {
    if (!fillable) continue;
    const texts: Record<string, string> = {};
    for (const parameter of fillable.missing) {
      const { place, operations } = sourcesFor(contract, { id, path }, parameter);
      const number = numbers.get(place) ?? numbers.size + 1;
      numbers.set(place, number);
      if (operations.length > 0) texts[parameter.name] = `<ID_${number}>`;
    }
    if (Object.keys(texts).length === fillable.missing.length) filled[id] = texts;
  }
  return { read: [], filled, invented: {}, missed: {} };
};

/**
 * The contract as a run may judge it: operations whose values are looked for in answers are among
 * those that are probed.
 */
export const plannedContract = (contract: Contract): Contract => withValues(contract, provisionalValues(contract));
