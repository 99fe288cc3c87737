import type { VariantDefinition } from '../definitions.js';
import { faultDefinitions } from '../faults/index.js';
import { ambiguousAnswerVariants } from './ambiguous-answers.js';
import { bodyFormatVariants } from './body-formats.js';
import { deliveryVariants } from './delivery.js';
import { formatVariants } from './formats.js';
import { frameworkVariants } from './frameworks.js';
import { keyFormatVariants } from './key-formats.js';
import { limitVariants } from './limits-and-outages.js';
import { pathVariants } from './paths.js';
import { plainHttpVariants } from './plain-http.js';
import { publicResourceVariants } from './public-resources.js';
import { refusalVariants } from './refusals.js';
import { undecidableVariants } from './undecidable.js';

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
