import type { AddressFamily, Exchange, Probe } from '../../wire/types.js';
import type { Ask, Deployment } from '../rule.js';

/**
 * A host may have an IPv4 and an IPv6 address with separate listeners. A client uses the one that
 * answers first, so the other one is asked explicitly.
 */

const isAddress = (hostname: string): boolean => hostname.startsWith('[') || /^[\d.]+$/.test(hostname);

/** The address family that an exchange did not use. `undefined` if there is no choice. */
const otherFamily = ({ probe, connection: { address, proxy } }: Exchange): AddressFamily | undefined => {
  if (address === undefined || proxy || isAddress(new URL(probe.origin).hostname)) return undefined;
  return address.startsWith('[') ? 4 : 6;
};

/** The same request to the host's other address, if it has one that can be reached. */
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

/** Names of this machine, which services use among themselves (RFC 6761, section 6.3). */
const ofThisMachine = ['localhost', '127.0.0.1'] as const;
/** Names that no host has (RFC 6761, sections 6.2 and 6.4). */
const ofNobody = ['another-host.invalid', 'another-host.test'] as const;

const nameIn = (origin: string): string => new URL(origin).hostname.replace(/\.$/, '');

/**
 * Two host names that are not the deployment's: one of this machine, and one that no host has. The
 * deployment's own name would show nothing about other virtual hosts.
 */
export const otherHosts = (
  { origin, httpBaseUrl }: Deployment,
  asked = origin,
): readonly [machine: string, nobody: string] => {
  const own = new Set([origin, asked, ...(httpBaseUrl?.startsWith('http') ? [httpBaseUrl] : [])].map(nameIn));
  const first = (names: readonly [string, string]): string => (own.has(names[0]) ? names[1] : names[0]);
  return [first(ofThisMachine), first(ofNobody)];
};
