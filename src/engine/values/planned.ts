import type { Contract } from '../../contract/model.js';
import { provisionalValues } from './provisional.js';
import { withValues } from './recording.js';

/** The contract as a run may judge it: operations whose values are looked for in answers are among those that are probed. */
export const plannedContract = (contract: Contract): Contract => withValues(contract, provisionalValues(contract));
