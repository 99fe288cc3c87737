import { faultPlans } from './faults/index.js';
import type { Fault, Variant } from './plan.js';
import { variantPlans } from './variants/index.js';

export type { Keys } from './behaviour.js';
export type { CertificateKind } from './certificates.js';
export type { Fault, Variant } from './plan.js';
export { type PageHandler, type ReferenceOptions, type ReferenceService, startReference } from './service.js';

/** Every fault that can be switched on. */
export const faults: readonly Fault[] = faultPlans;

/** Every other way to be the service. */
export const variants: readonly Variant[] = variantPlans;
