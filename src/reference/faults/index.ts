import type { FaultDefinition } from '../definitions.js';
import { wayFaults } from './documented-request.js';
import { formFaults } from './formats.js';
import { keyFaults } from './invalid-keys.js';
import { answerFaults } from './leaky-refusals.js';
import { leftoverFaults } from './leftovers.js';
import { gateFaults } from './path-spellings.js';
import { fieldFaults } from './proxy-fields.js';
import { publicFaults } from './public-resources.js';
import { addressFaults, transportFaults } from './transport.js';

/** Every fault: transport, paths and key placement, access without a key, public resources. */
export const faultDefinitions: readonly FaultDefinition[] = [
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
