import http from 'node:http';
import type net from 'node:net';
import { authorityOf, type Endpoint } from './endpoint.js';
import { failureOf, ProxyFailure } from './failure.js';
import type { ForwardProxy } from './proxy.js';

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
