import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import {
  createServer as createHttp2Server,
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import type { Answer } from './messages.js';

type AnyRequest = IncomingMessage | Http2ServerRequest;
type AnyResponse = ServerResponse | Http2ServerResponse;

/** Fields that HTTP/2 forbids (RFC 9113, section 8.2.2). */
const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade']);

const hangUp = (request: AnyRequest): void => {
  if ('stream' in request) request.stream.session?.destroy();
  else request.socket.destroy();
};

/** Writes an answer. HEAD gets the fields without the body. */
export const transmit = (answer: Answer, request: AnyRequest, response: AnyResponse): void => {
  const { delivery = 'length', status, headers } = answer;
  if (delivery === 'silence') return;
  if (delivery === 'hang-up') {
    hangUp(request);
    return;
  }
  if (typeof delivery === 'function') {
    delivery(request.socket);
    return;
  }
  const body = Buffer.from(answer.body);
  const bodiless = request.method === 'HEAD' || status === 204 || status === 304;
  if (delivery === 'http/1.0') {
    const fields = [...headers, ['Content-Length', String(body.length)], ['Connection', 'close']];
    const head = `HTTP/1.0 ${status} ${STATUS_CODES[status] ?? ''}\r\n${fields.map(([n, v]) => `${n}: ${v}\r\n`).join('')}\r\n`;
    request.socket.end(bodiless ? head : Buffer.concat([Buffer.from(head), body]));
    return;
  }
  const grouped = new Map<string, { name: string; values: string[] }>();
  for (const [name, value] of headers) {
    const known = grouped.get(name.toLowerCase());
    if (known) known.values.push(value);
    else grouped.set(name.toLowerCase(), { name, values: [value] });
  }
  const isHttp1 = response instanceof ServerResponse;
  for (const [lower, { name, values }] of grouped) {
    if (isHttp1 || !hopByHop.has(lower)) response.setHeader(name, values.length > 1 ? values : (values[0] ?? ''));
  }
  response.statusCode = status;
  if (delivery === 'length' && status !== 204 && status !== 304) response.setHeader('Content-Length', body.length);
  if (delivery === 'until-close' && isHttp1) {
    response.useChunkedEncodingByDefault = false;
    response.setHeader('Connection', 'close');
  }
  if (answer.interim && isHttp1) response.writeEarlyHints({ link: answer.interim.map(([, value]) => value) });
  const stream: Writable = response;
  if (!bodiless) {
    // Without a length the body is written in two pieces, so that there are two chunks.
    const middle = delivery === 'length' ? 0 : body.length >> 1;
    if (middle > 0) stream.write(body.subarray(0, middle));
    stream.write(body.subarray(middle));
  }
  stream.end();
};

export type Handler = (request: AnyRequest, response: AnyResponse) => void;

interface Listening {
  readonly port: number;
  /** Closes the port and all of its connections. */
  close(): Promise<void>;
}

/** Some probes have header fields longer than Node's default limit of 16 KiB. */
const maxHeaderSize = 64 * 1024;

/** Longer than the pauses of a run, so that idle connections stay usable. */
const keepAliveTimeout = 60_000;

/** First byte of a TLS handshake record (RFC 8446, section 5.1). */
const handshakeRecord = 0x16;

/** First byte of the HTTP/2 preface `PRI * HTTP/2.0`; no method of the service starts with it. */
const prefaceStart = 0x50;

export const listen = async (server: Server, host: string, port: number): Promise<Listening> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    // Clients may disconnect at any time.
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
};

export interface TlsOptions extends SecureContextOptions {
  readonly protocols: readonly ('h2' | 'http/1.1')[];
  readonly keepAliveMs?: number | undefined;
}

const secureServer = ({ protocols, keepAliveMs = keepAliveTimeout, ...tls }: TlsOptions, handler: Handler): Server => {
  if (protocols.includes('h2')) {
    return createSecureServer(
      { ...tls, allowHTTP1: protocols.includes('http/1.1'), maxHeaderListPairs: 4096 },
      handler,
    );
  }
  const server = createHttpsServer({ ...tls, maxHeaderSize }, handler);
  server.keepAliveTimeout = keepAliveMs;
  return server;
};

const plainServer = (handler: Handler): Server => {
  const server = createHttpServer({ maxHeaderSize }, handler);
  server.keepAliveTimeout = keepAliveTimeout;
  return server;
};

/** A server that passes each connection on, chosen by its first byte. */
const byFirstByte = (serverFor: (byte: number | undefined) => Server): Server =>
  createNetServer((socket) => {
    socket.once('readable', () => {
      const first: Buffer | null = socket.read(1);
      if (!first) return void socket.destroy();
      socket.unshift(first);
      serverFor(first[0]).emit('connection', socket);
    });
  });

/** Listens for plain HTTP. `http2` takes HTTP/2 by prior knowledge too. */
export const listenPlain = (handler: Handler, host: string, port: number, http2 = false): Promise<Listening> => {
  const server = plainServer(handler);
  if (!http2) return listen(server, host, port);
  const second = createHttp2Server(handler);
  return listen(
    byFirstByte((byte) => (byte === prefaceStart ? second : server)),
    host,
    port,
  );
};

/** Listens for TLS. `plain` handles plain HTTP on the same port, which is closed otherwise. */
export const listenSecure = (
  tls: TlsOptions,
  handler: Handler,
  host: string,
  port: number,
  plain?: Handler,
): Promise<Listening> => {
  const secure = secureServer(tls, handler);
  if (!plain) return listen(secure, host, port);
  const open = plainServer(plain);
  return listen(
    byFirstByte((byte) => (byte === handshakeRecord ? secure : open)),
    host,
    port,
  );
};

/** Returns a port on which nothing listens. */
export const closedPort = async (host: string): Promise<number> => {
  const { port, close } = await listen(createNetServer(), host, 0);
  await close();
  return port;
};
