import type { FaultDefinition, VariantDefinition } from './definitions.js';
import { bundledChangeFaults } from './faults/bundled-changes.js';
import { documentedRequestFaults } from './faults/documented-request.js';
import { invalidKeyFaults } from './faults/invalid-keys.js';
import { leakyRefusalFaults } from './faults/leaky-refusals.js';
import { leftoverFaults } from './faults/leftovers.js';
import { certificateFaults, ipv6Faults } from './faults/listeners.js';
import { formatFaults, methodFaults, queryParameterFaults } from './faults/other-requests.js';
import { pathSpellingFaults } from './faults/path-spellings.js';
import { plainHttpFaults } from './faults/plain-http.js';
import { plainHttpPathFaults } from './faults/plain-http-paths.js';
import { proxyFieldFaults } from './faults/proxy-fields.js';
import { publicResourceFaults } from './faults/public-resources.js';
import { ambiguousAnswerVariants, undecidableVariants } from './variants/ambiguous-answers.js';
import { bodyFormatVariants } from './variants/body-formats.js';
import { deliveryVariants } from './variants/delivery.js';
import { formatVariants } from './variants/formats.js';
import { frameworkVariants } from './variants/frameworks.js';
import { keyFormatVariants } from './variants/key-formats.js';
import { limitVariants } from './variants/limits-and-outages.js';
import { pathVariants } from './variants/paths.js';
import { plainHttpVariants } from './variants/plain-http.js';
import { publicResourceVariants } from './variants/public-resources.js';
import { refusalVariants } from './variants/refusals.js';

/** Every fault: transport, paths and key placement, access without a key, public resources. */
export const faultDefinitions: readonly FaultDefinition[] = [
  ...plainHttpFaults,
  ...plainHttpPathFaults,
  ...certificateFaults,
  ...documentedRequestFaults,
  ...invalidKeyFaults,
  ...leakyRefusalFaults,
  ...pathSpellingFaults,
  ...methodFaults,
  ...formatFaults,
  ...proxyFieldFaults,
  ...bundledChangeFaults,
  ...queryParameterFaults,
  ...leftoverFaults,
  ...ipv6Faults,
  ...publicResourceFaults,
];

/** Every variant, including counterparts of faults. The last ones cannot be judged. */
export const variantDefinitions: readonly VariantDefinition[] = [
  ...keyFormatVariants,
  ...refusalVariants,
  ...formatVariants,
  ...bodyFormatVariants,
  ...ambiguousAnswerVariants,
  ...pathVariants,
  ...frameworkVariants,
  ...publicResourceVariants,
  ...plainHttpVariants,
  ...deliveryVariants,
  ...limitVariants,
  ...faultDefinitions.flatMap(({ counterpart }) => counterpart ?? []),
  ...undecidableVariants,
];
