import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { certificateOf } from '../../src/reference/certificates.js';

export interface Front {
  /** `https://127.0.0.1:PORT` */
  readonly baseUrl: string;
  /** PEM of the authority. */
  readonly ca: string;
  close(): void;
}

/**
 * Speaks TLS in front of a service that does not, and passes everything on byte for byte, as a
 * proxy of a deployment does.
 */
export const tlsInFrontOf = async (origin: string): Promise<Front> => {
  const { hostname, port } = new URL(origin);
  const { ca, ...leaf } = await certificateOf('valid');
  const server = createServer(
    { ...leaf, keepAliveTimeout: 60_000, insecureHTTPParser: false },
    (incoming, outgoing) => {
      const { method, url: path } = incoming;
      const passed = request({ hostname, port, method, path, headers: incoming.rawHeaders }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(outgoing);
        answer.on('error', () => outgoing.destroy());
      });
      passed.on('error', () => {
        if (outgoing.headersSent) outgoing.destroy();
        else outgoing.writeHead(502).end();
      });
      incoming.pipe(passed);
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
