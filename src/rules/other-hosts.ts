import type { Deployment } from './rule.js';

/** Names of this machine, by which services on it speak to each other (RFC 6761, section 6.3). */
const ofThisMachine = ['localhost', '127.0.0.1'] as const;
/** Names that nobody has (RFC 6761, sections 6.4 and 6.2): a server that answers to one answers to any. */
const ofNobody = ['another-host.invalid', 'another-host.test'] as const;

const nameIn = (origin: string): string => new URL(origin).hostname.replace(/\.$/, '');

/**
 * Names by which the deployment is not reached: one of this machine, and one that nobody has. A request for the target's own name
 * would show nothing of a server's other virtual hosts.
 */
export const otherHosts = (
  { origin, httpBaseUrl }: Deployment,
  asked = origin,
): readonly [machine: string, nobody: string] => {
  const own = new Set([origin, asked, ...(httpBaseUrl?.startsWith('http') ? [httpBaseUrl] : [])].map(nameIn));
  const first = (names: readonly [string, string]): string => (own.has(names[0]) ? names[1] : names[0]);
  return [first(ofThisMachine), first(ofNobody)];
};
