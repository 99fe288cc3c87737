import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import {
  createServer as createHttp2Server,
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import { generate } from 'selfsigned';
import { lazy, memoize } from '../collections.js';
import type { Answer } from './messages.js';

/** Whether the certificate is valid, and if not, why. */
export type CertificateKind = 'valid' | 'expired' | 'not-yet' | 'wrong-host' | 'common-name-only' | 'unknown-issuer';

/** PEM texts of a leaf certificate, its private key, and the authority to trust. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

const day = 24 * 60 * 60 * 1000;
const fromNow = (days: number): Date => new Date(Date.now() + days * day);

const authorityOf = (name: string) =>
  generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: fromNow(-400),
    notAfterDate: fromNow(400),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });

const trustedAuthority = lazy(() => authorityOf('Reference service test authority'));
const unknownAuthority = lazy(() => authorityOf('Unknown authority'));

/** Names and validity (days from now) of a leaf certificate. */
export interface LeafOptions {
  readonly commonName?: string;
  readonly hosts?: readonly string[];
  readonly validDays?: readonly [from: number, to: number];
  readonly issuer?: 'trusted' | 'unknown';
}

/**
 * Creates a leaf certificate. `ca` is always the authority that the client trusts, even if another
 * one issued the leaf.
 */
export const makeCertificate = async (options: LeafOptions = {}): Promise<Certificate> => {
  const { commonName = 'localhost', hosts = ['localhost', '127.0.0.1', '::1'], validDays = [-1, 30] } = options;
  const authority = await (options.issuer === 'unknown' ? unknownAuthority() : trustedAuthority());
  const leaf = await generate([{ name: 'commonName', value: commonName }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: fromNow(validDays[0]),
    notAfterDate: fromNow(validDays[1]),
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      ...(hosts.length === 0
        ? []
        : [
            {
              name: 'subjectAltName' as const,
              altNames: hosts.map((host) =>
                /^[\d.]+$|:/.test(host) ? { type: 7 as const, ip: host } : { type: 2 as const, value: host },
              ),
            },
          ]),
    ],
  });
  return { cert: leaf.cert, key: leaf.private, ca: (await trustedAuthority()).cert };
};

const leaves: Readonly<Record<CertificateKind, LeafOptions>> = {
  valid: {},
  expired: { validDays: [-60, -1] },
  'not-yet': { validDays: [1, 60] },
  'wrong-host': { commonName: 'fitness.example', hosts: ['fitness.example', 'www.fitness.example'] },
  'common-name-only': { hosts: [] },
  'unknown-issuer': { issuer: 'unknown' },
};

/** The certificate of a kind, created once per process. */
export const certificateOf = memoize((kind: CertificateKind) => makeCertificate(leaves[kind]));

/** Writes the authority's certificate to a temporary file for `CA_FILE`. */
export const writeCaFile = async (ca: string): Promise<{ readonly caFile: string; remove(): Promise<void> }> => {
  const folder = await mkdtemp(join(tmpdir(), 'reference-service-'));
  const caFile = join(folder, 'ca.pem');
  await writeFile(caFile, ca);
  return { caFile, remove: () => rm(folder, { recursive: true, force: true }) };
};

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

export interface Listening {
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
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
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
