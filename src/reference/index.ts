import type { Fault, Variant } from './definitions.js';
import { faultDefinitions, variantDefinitions } from './service.js';

export type { Keys } from './behaviour.js';
export type { CertificateKind } from './certificates.js';
export type { Fault, Variant } from './definitions.js';
export { type RolesOptions, type RolesService, rolesFaults, rolesVariants, startRoles } from './roles/index.js';
export { type PageHandler, type ReferenceOptions, type ReferenceService, startReference } from './service.js';

/** Every fault that can be switched on. */
export const faults: readonly Fault[] = faultDefinitions;

/** Every variant that can be switched on. */
export const variants: readonly Variant[] = variantDefinitions;
