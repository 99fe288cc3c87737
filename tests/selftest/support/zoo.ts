import { faults, variants } from '../../../src/reference/index.js';
import { conformingName } from './recordings.js';

/** A server that the reference service can be. */
export interface Server {
  readonly name: string;
  readonly kind: 'conforming' | 'fault' | 'variant';
  readonly settings?: Readonly<Record<string, string>>;
  readonly needs?: 'ipv6';
}

/** The conforming service, each fault and each variant. */
export const servers: readonly Server[] = [
  { name: conformingName, kind: 'conforming' },
  ...faults.map((fault) => ({ ...fault, kind: 'fault' }) as const),
  ...variants.map((variant) => ({ ...variant, kind: 'variant' }) as const),
];
