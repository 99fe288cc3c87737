import type { AddressFamily, Exchange, Probe } from '../wire/types.js';
import type { Ask } from './rule.js';

/**
 * A host may have an IPv4 and an IPv6 address, each with a listener of its own. A client uses the
 * one that answers first, so the other one is asked on purpose.
 */

const isAddress = (hostname: string): boolean => hostname.startsWith('[') || /^[\d.]+$/.test(hostname);

/** The family of addresses that an exchange did not go to; `undefined` where there is no choice. */
const otherFamily = ({ probe, connection: { address, proxy } }: Exchange): AddressFamily | undefined => {
  if (address === undefined || proxy || isAddress(new URL(probe.origin).hostname)) return undefined;
  return address.startsWith('[') ? 4 : 6;
};

/**
 * The same request to the host's other address; `undefined` where it has none, or none that can be
 * reached.
 */
export const atOtherAddress = (
  ask: Ask,
  probe: Probe,
): { readonly words: string; readonly family: AddressFamily; readonly probe: Probe } | undefined => {
  const family = otherFamily(ask(probe));
  if (family === undefined) return undefined;
  const words = `over IPv${family}`;
  const other: Probe = { ...probe, name: `${probe.name}, ${words}`, connection: 'fresh', family };
  return ask(other).attempts.at(-1)?.error?.code === 'no-address' ? undefined : { words, family, probe: other };
};
