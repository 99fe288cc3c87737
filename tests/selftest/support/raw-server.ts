import net from 'node:net';
import tls from 'node:tls';
import { type Certificate, certificate } from './certificates.js';

/** One connection as the server sees it. */
export interface Peer {
  readonly socket: net.Socket;
  /** Counts from 1, in the order in which connections were opened. */
  readonly connection: number;
  /** Requests on this connection so far, this one included. */
  readonly request: number;
}

/** A request head as it came, byte for byte (latin1), blank line included. */
export type OnHead = (head: string, peer: Peer) => string | Buffer | undefined;

export interface RawServer {
  readonly origin: string;
  readonly port: number;
  /** To be trusted as CA. */
  readonly ca: string;
  /** Every request head, in order of arrival. */
  readonly heads: readonly string[];
  /** Connections opened so far. */
  readonly connections: number;
  /** Connections open now. */
  readonly open: ReadonlySet<net.Socket>;
  /** The same before TLS: also connections whose handshake is not done. */
  readonly dialled: ReadonlySet<net.Socket>;
  close(): Promise<void>;
}

export interface RawServerOptions {
  /** `false` for plain HTTP. */
  readonly tls?: false | (tls.TlsOptions & { readonly certificate?: Certificate });
  readonly host?: string;
  /** Runs when a connection is open, before any byte. */
  readonly onConnection?: (socket: net.Socket) => void;
}

let shared: Promise<Certificate> | undefined;

/** Speaks whatever bytes `onHead` returns; `undefined` says nothing. */
export const rawServer = async (onHead: OnHead, options: RawServerOptions = {}): Promise<RawServer> => {
  const { host = '127.0.0.1' } = options;
  const heads: string[] = [];
  const open = new Set<net.Socket>();
  let connections = 0;
  const serve = (socket: net.Socket): void => {
    connections += 1;
    const connection = connections;
    let request = 0;
    let buffered = '';
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    options.onConnection?.(socket);
    socket.on('data', (bytes) => {
      buffered += bytes.toString('latin1');
      for (let end = buffered.indexOf('\r\n\r\n'); end >= 0; end = buffered.indexOf('\r\n\r\n')) {
        const head = buffered.slice(0, end + 4);
        buffered = buffered.slice(end + 4);
        heads.push(head);
        request += 1;
        const answer = onHead(head, { socket, connection, request });
        if (answer !== undefined) socket.write(typeof answer === 'string' ? Buffer.from(answer, 'latin1') : answer);
      }
    });
  };
  shared ??= certificate();
  const own = options.tls === false ? undefined : (options.tls?.certificate ?? (await shared));
  const server = own
    ? tls.createServer({ ...own, ...(options.tls === false ? {} : options.tls) }, serve)
    : net.createServer(serve);
  server.on('tlsClientError', () => undefined);
  const raw = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => {
    raw.add(socket);
    socket.on('close', () => raw.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const name = net.isIPv6(host) ? `[${host}]` : host;
  return {
    origin: `${own ? 'https' : 'http'}://${name}:${port}`,
    port,
    ca: own?.cert ?? '',
    heads,
    open,
    dialled: raw,
    get connections() {
      return connections;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of raw) socket.destroy();
      }),
  };
};

/** A complete answer with Content-Length. */
export const answer = (status: number, body: string | Buffer = '{}', headers: readonly string[] = []): Buffer => {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const lines = [`HTTP/1.1 ${status} Status`, `Content-Length: ${bytes.length}`, ...headers];
  if (!headers.some((line) => /^content-type:/i.test(line))) lines.push('Content-Type: application/json');
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
};
