import { createServer as createHttpsServer } from 'node:https';
import { createServer as createNetServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions as NodeTlsOptions, type TLSSocket } from 'node:tls';
import type { Certificate } from '../../../../src/reference/certificates.js';
import { transmit } from '../../../../src/reference/listen.js';
import { type Answer, type Call, callOf } from '../../../../src/reference/messages.js';

/** A server that is not the fitness data service. */
export interface TestServer {
  readonly name: string;
  /** What it does, as a sentence. */
  readonly title: string;
}

export interface RunningTestServer {
  /** `https://127.0.0.1:PORT` */
  readonly baseUrl: string;
  readonly ca: string;
  readonly caFile: string;
  close(): Promise<void>;
}

type Leaf = Omit<Certificate, 'ca'>;

/** `server` gives `null` for a port on which nothing listens. */
export type TestServerDefinition = TestServer & { readonly server: (leaf: Leaf) => Promise<Server> | Server | null };

/** Answers every request over TLS in the same way. */
export const answering =
  (answer: (call: Call) => Answer) =>
  (leaf: Leaf): Server =>
    createHttpsServer(leaf, (request, response) => {
      request.resume();
      request.on('error', () => {});
      transmit(answer(callOf(request, true, '')), request, response);
    });

/** Runs for every TLS connection. */
export const overTls =
  (speak: (socket: TLSSocket) => void, options: NodeTlsOptions = {}) =>
  (leaf: Leaf): Server =>
    createTlsServer({ ...leaf, ALPNProtocols: ['http/1.1'], ...options }, (socket) => {
      // Clients may disconnect at any time.
      socket.on('error', () => {});
      speak(socket);
    });

/** Runs for every TCP connection. */
export const overTcp = (speak: (socket: Socket) => void) => (): Server =>
  createNetServer({ allowHalfOpen: true }, speak);

/** Runs for each request, once its header section is complete. */
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
