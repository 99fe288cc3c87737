import type { VariantPlan } from '../plan.js';
import { bodyVariants } from './bodies.js';
import { deliveryVariants } from './delivery.js';
import { flowVariants } from './flow.js';
import { formVariants } from './forms.js';
import { frameVariants } from './frames.js';
import { frameworkVariants } from './frameworks.js';
import { impossibleVariants } from './impossible.js';
import { keyVariants } from './keys.js';
import { plainVariants } from './plain.js';
import { publicVariants } from './public.js';
import { refusalVariants } from './refusals.js';
import { routeVariants } from './routes.js';

/** Every variant, by family; the last ones are those about which nothing can be said. */
export const variantPlans: readonly VariantPlan[] = [
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
  ...impossibleVariants,
];
