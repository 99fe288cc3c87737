import type { VariantDefinition } from '../definitions.js';
import { faultDefinitions } from '../faults/index.js';
import { frameVariants } from './ambiguous-answers.js';
import { bodyVariants } from './body-formats.js';
import { deliveryVariants } from './delivery.js';
import { formVariants } from './formats.js';
import { frameworkVariants } from './frameworks.js';
import { keyVariants } from './key-formats.js';
import { flowVariants } from './limits-and-outages.js';
import { routeVariants } from './paths.js';
import { plainVariants } from './plain-http.js';
import { publicVariants } from './public-resources.js';
import { refusalVariants } from './refusals.js';
import { impossibleVariants } from './undecidable.js';

/** Every variant, those that stand beside a fault too. The last ones cannot be judged. */
export const variantDefinitions: readonly VariantDefinition[] = [
  ...keyVariants,
  ...refusalVariants,
  ...formVariants,
  ...bodyVariants,
  ...frameVariants,
  ...routeVariants,
  ...frameworkVariants,
  ...publicVariants,
  ...plainVariants,
  ...deliveryVariants,
  ...flowVariants,
  ...faultDefinitions.flatMap(({ counterpart }) => counterpart ?? []),
  ...impossibleVariants,
];
