import { networkInterfaces } from 'node:os';
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

/** Whether this machine has the loopback address ::1. */
export const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

/** Whether a fault or variant cannot be shown here. */
export const isOutOfReach = ({ needs }: { readonly needs?: 'ipv6' }): boolean => needs === 'ipv6' && !hasIpv6;
