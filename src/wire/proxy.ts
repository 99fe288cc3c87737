import http from 'node:http';
import type net from 'node:net';
import { BlockList, isIP } from 'node:net';
import { orUndefined } from '../collections.js';
import { authorityOf, type Endpoint } from './addresses.js';
import { failureOf, ProxyFailure } from './failure.js';

export interface ProxySettings {
  /** HTTPS_PROXY: for https origins, by CONNECT. May contain `user:password@`. */
  readonly url: string;
  /** HTTP_PROXY: for http origins, by absolute-form requests, which else are sent directly. */
  readonly httpUrl?: string;
  /**
   * NO_PROXY: hosts, suffixes, `host:port`, addresses, networks (`10.0.0.0/8`), or `*`, separated
   * by commas or spaces.
   */
  readonly noProxy: string;
}

export interface ForwardProxy {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** Value of Proxy-Authorization. */
  readonly authorization?: string;
}

const within = (network: string, address: string): boolean => {
  const [base = '', length = ''] = network.split('/');
  const family = isIP(base);
  if (family === 0 || isIP(address) !== family) return false;
  const kind = family === 6 ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  orUndefined(() => list.addSubnet(base, Number(length), kind));
  return list.check(address, kind);
};

/** The entries of NO_PROXY, in lower case. */
const namedIn = (noProxy: string): readonly string[] =>
  noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '');

/** Whether NO_PROXY matches the host: exactly, as a parent domain, with its port or a network. */
export const bypassesProxy = (noProxy: string, host: string, port: number): boolean =>
  namedIn(noProxy).some((entry) => {
    if (entry === '*') return true;
    if (entry.includes('/')) return within(entry, host);
    const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(entry);
    const named = isIP(entry) === 6 ? [entry, entry] : (bracketed ?? /^([^:]+)(?::(\d+))?$/.exec(entry));
    const [, name = '', wantedPort] = named ?? [];
    if (isIP(entry) !== 6 && wantedPort !== undefined && Number(wantedPort) !== port) return false;
    const bare = name.replace(/^\*?\./, '');
    return bare !== '' && (host === bare || (isIP(host) === 0 && host.endsWith(`.${bare}`)));
  });

export const parseProxy = (text: string): ForwardProxy => {
  const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  const tls = url.protocol === 'https:';
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || (tls ? 443 : 80)),
    tls,
    ...(url.username === '' ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
  };
};

export const proxyPassword = (text: string): string =>
  orUndefined(() => decodeURIComponent(new URL(text).password)) ?? '';

/** Opens a tunnel through a proxy (RFC 9110, section 9.3.6). */
export const openTunnel = (socket: net.Socket, proxy: ForwardProxy, place: Endpoint): Promise<void> =>
  new Promise((resolve, reject) => {
    const authority = authorityOf(place);
    const headers = ['Host', authority];
    if (proxy.authorization) headers.push('Proxy-Authorization', proxy.authorization);
    const request = http.request({ method: 'CONNECT', path: authority, headers, createConnection: () => socket });
    const refused = (status: number | undefined): void => {
      socket.destroy();
      const advice =
        status !== 407
          ? ''
          : proxy.authorization === undefined
            ? ': put user:password@ into HTTPS_PROXY'
            : ': it does not take the user and password in HTTPS_PROXY';
      reject(new ProxyFailure(`the proxy answered CONNECT ${authority} with ${status ?? 'nothing'}${advice}`));
    };
    request.once('connect', (response, _socket, head: Buffer) => {
      if (response.statusCode === undefined || response.statusCode >= 300) return refused(response.statusCode);
      if (head.length > 0) socket.unshift(head);
      resolve();
    });
    request.once('response', (response) => refused(response.statusCode));
    request.on('error', (error) => {
      const failure = failureOf(error, 'connect');
      reject(new ProxyFailure(`the proxy did not open a tunnel: ${failure.message}`));
    });
    request.end();
  });
