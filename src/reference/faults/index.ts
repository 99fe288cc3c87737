import type { FaultPlan } from '../plan.js';
import { addressFaults } from './addresses.js';
import { answerFaults } from './answers.js';
import { fieldFaults } from './fields.js';
import { formFaults } from './forms.js';
import { gateFaults } from './gates.js';
import { keyFaults } from './keys.js';
import { leftoverFaults } from './leftovers.js';
import { publicFaults } from './public.js';
import { transportFaults } from './transport.js';
import { wayFaults } from './ways.js';

/** Every fault, by family: transport, path and key's way, then what opens without a key, then public resources. */
export const faultPlans: readonly FaultPlan[] = [
  ...transportFaults,
  ...wayFaults,
  ...keyFaults,
  ...answerFaults,
  ...gateFaults,
  ...formFaults,
  ...fieldFaults,
  ...leftoverFaults,
  ...addressFaults,
  ...publicFaults,
];
