import type { VariantPlan } from '../plan.js';

export const variantPlans: readonly VariantPlan[] = [];
