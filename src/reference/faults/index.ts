import type { FaultDefinition } from '../definitions.js';
import { bundledChangeFaults } from './bundled-changes.js';
import { documentedRequestFaults } from './documented-request.js';
import { formatFaults } from './formats.js';
import { invalidKeyFaults } from './invalid-keys.js';
import { ipv6Faults } from './ipv6.js';
import { leakyRefusalFaults } from './leaky-refusals.js';
import { leftoverFaults } from './leftovers.js';
import { pathSpellingFaults } from './path-spellings.js';
import { proxyFieldFaults } from './proxy-fields.js';
import { publicResourceFaults } from './public-resources.js';
import { transportFaults } from './transport.js';

/** Every fault: transport, paths and key placement, access without a key, public resources. */
export const faultDefinitions: readonly FaultDefinition[] = [
  ...transportFaults,
  ...documentedRequestFaults,
  ...invalidKeyFaults,
  ...leakyRefusalFaults,
  ...pathSpellingFaults,
  ...formatFaults,
  ...proxyFieldFaults,
  ...bundledChangeFaults,
  ...leftoverFaults,
  ...ipv6Faults,
  ...publicResourceFaults,
];
