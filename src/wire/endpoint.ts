import net from 'node:net';
import { memoize } from '../collections.js';
import type { AddressFamily } from './types.js';

/** Scheme, host and port of a connection. */
export interface Endpoint {
  readonly scheme: 'https' | 'http';
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
  /** The address family to use; any when absent. */
  readonly family?: AddressFamily;
}

/**
 * Parses an origin. Memoized, since every request needs it and a run has few origins.
 * @throws TypeError for an invalid origin
 */
export const endpointOf = memoize((origin: string): Endpoint => {
  const url = new URL(origin);
  const scheme = url.protocol === 'https:' ? 'https' : 'http';
  const port = Number(url.port || (scheme === 'https' ? 443 : 80));
  return { scheme, host: url.hostname.replace(/^\[|\]$/g, ''), port };
});

/** `host:port`, with brackets around IPv6 (RFC 3986, section 3.2.2). */
export const authorityOf = ({ host, port }: { host: string; port: number }): string =>
  `${net.isIPv6(host) ? `[${host}]` : host}:${port}`;
