import type { Contract } from '../../contract/model.js';
import { provisionalValues } from './provisional.js';
import { withValues } from './recording.js';

/** The contract with the operations whose values a run looks for in answers of the service. */
export const contractWithSources = (contract: Contract): Contract => withValues(contract, provisionalValues(contract));

/** The contract as a run may judge it: the others that lack a value are asked without a key, by one that is made up. */
export const plannedContract = (contract: Contract, seed: string): Contract =>
  withValues(contract, provisionalValues(contract, seed));
