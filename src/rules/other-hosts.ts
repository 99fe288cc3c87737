import type { Deployment } from './rule.js';

/** Names of this machine, by which services on it speak to each other (RFC 6761, section 6.3). */
const ofThisMachine = ['localhost', '127.0.0.1'] as const;
/**
 * Names that no host has (RFC 6761, sections 6.4 and 6.2). A server that answers to one of them
 * answers to any name.
 */
const ofNobody = ['another-host.invalid', 'another-host.test'] as const;

const nameIn = (origin: string): string => new URL(origin).hostname.replace(/\.$/, '');

/**
 * Host names that are not the deployment's: one of this machine, and one that no host has. A
 * request for the target's own name would show nothing of the server's other virtual hosts.
 */
export const otherHosts = (
  { origin, httpBaseUrl }: Deployment,
  asked = origin,
): readonly [machine: string, nobody: string] => {
  const own = new Set([origin, asked, ...(httpBaseUrl?.startsWith('http') ? [httpBaseUrl] : [])].map(nameIn));
  const first = (names: readonly [string, string]): string => (own.has(names[0]) ? names[1] : names[0]);
  return [first(ofThisMachine), first(ofNobody)];
};
