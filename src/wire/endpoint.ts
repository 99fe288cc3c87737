import net from 'node:net';
import { memoize } from '../collections.js';
import type { AddressFamily } from './types.js';

/** Where a connection leads. */
export interface Endpoint {
  /** The URL scheme. */
  readonly scheme: 'https' | 'http';
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
  /** Only addresses of this family. */
  readonly family?: AddressFamily;
}

/**
 * Every request asks, and a run has few origins.
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
