import { createServer as createHttpsServer } from 'node:https';
import { createServer as createNetServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions as NodeTlsOptions, type TLSSocket } from 'node:tls';
import type { Answer } from './answer.js';
import { writeCaFile } from './ca-file.js';
import { type Call, callOf } from './call.js';
import { type Certificate, certificateOf } from './certificates.js';
import { closedPort, listen } from './listen.js';
import { byName } from './nearest.js';

import { transmit } from './transmit.js';

/** A server that is no fitness data service at all. */
export interface Guest {
  readonly name: string;
  /** One sentence: what it does. */
  readonly title: string;
}

export interface RunningGuest {
  /** `https://127.0.0.1:PORT` */
  readonly baseUrl: string;
  readonly ca: string;
  readonly caFile: string;
  close(): Promise<void>;
}

type Leaf = Omit<Certificate, 'ca'>;

/** `null` for a port on which nobody listens. */
export type GuestPlan = Guest & { readonly server: (leaf: Leaf) => Promise<Server> | Server | null };

/** Answers every request over TLS in the same way. */
export const answering =
  (answer: (call: Call) => Answer) =>
  (leaf: Leaf): Server =>
    createHttpsServer(leaf, (request, response) => {
      request.resume();
      request.on('error', () => {});
      transmit(answer(callOf(request, true, '')), request, response);
    });

/** Runs for every TLS connection; `leaf` may be exchanged for something odder. */
export const overTls =
  (speak: (socket: TLSSocket) => void, options: NodeTlsOptions = {}) =>
  (leaf: Leaf): Server =>
    createTlsServer({ ...leaf, ALPNProtocols: ['http/1.1'], ...options }, (socket) => {
      // Who leaves in the middle of a bad conversation is right.
      socket.on('error', () => {});
      speak(socket);
    });

/** Runs for every TCP connection. */
export const overTcp = (speak: (socket: Socket) => void) => (): Server =>
  createNetServer({ allowHalfOpen: true }, speak);

/** Runs when a whole header section has arrived, for each request of a connection. */
export const onRequest =
  (answer: (socket: TLSSocket) => void) =>
  (socket: TLSSocket): void => {
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received = (received + chunk.toString('latin1')).slice(-65_536);
      if (!received.includes('\r\n\r\n')) return;
      received = '';
      answer(socket);
    });
  };

/** Starts one of the named ones. Throws a RangeError with the nearest names for a name that does not exist. */
export const startGuest = async (kind: string, plans: readonly GuestPlan[], name: string): Promise<RunningGuest> => {
  const plan = byName(kind, plans, name);
  const { ca, ...leaf } = await certificateOf('valid');
  const server = await plan.server(leaf);
  server?.on('tlsClientError', () => {});
  const { caFile, remove } = await writeCaFile(ca);
  const host = '127.0.0.1';
  const { port, close } = server
    ? await listen(server, host, 0)
    : { port: await closedPort(host), close: async () => {} };
  return {
    baseUrl: `https://${host}:${port}`,
    ca,
    caFile,
    close: async () => {
      await Promise.all([close(), remove()]);
    },
  };
};
