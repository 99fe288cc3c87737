import { networkInterfaces } from 'node:os';

/** Whether this machine has the loopback address ::1. */
export const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

/** Whether a fault or variant cannot be shown here. */
export const isOutOfReach = ({ needs }: { readonly needs?: 'ipv6' }): boolean => needs === 'ipv6' && !hasIpv6;
