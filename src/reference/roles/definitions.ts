import type { Fault, Variant } from '../definitions.js';
import type { RolesOverride } from './behaviour.js';

export type RolesFault = Fault & { readonly override: RolesOverride };
export type RolesVariant = Variant & { readonly override: RolesOverride };
