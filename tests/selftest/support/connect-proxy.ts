import http from 'node:http';
import net from 'node:net';

export interface ConnectProxy {
  readonly port: number;
  /** `CONNECT host:port` or the absolute target of each request, with Proxy-Authorization. */
  readonly seen: readonly { readonly target: string; readonly authorization: string | undefined }[];
  close(): Promise<void>;
}

/**
 * A forward proxy; `tunnel` is the status with which it refuses every tunnel, `forward` the one of
 * its answers to plain requests.
 */
export const connectProxy = async ({
  tunnel: status,
  forward = 200,
}: {
  readonly tunnel?: number;
  readonly forward?: number;
} = {}): Promise<ConnectProxy> => {
  const seen: { target: string; authorization: string | undefined }[] = [];
  const sockets = new Set<net.Socket>();
  const server = http.createServer((request, response) => {
    seen.push({ target: request.url ?? '', authorization: request.headers['proxy-authorization'] });
    response.writeHead(forward).end('"by proxy"');
  });
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  server.on('connect', (request, socket: net.Socket) => {
    const target = request.url ?? '';
    seen.push({ target: `CONNECT ${target}`, authorization: request.headers['proxy-authorization'] });
    if (status) {
      socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(`http://${target}`);
    const upstream = net.connect(Number(port), hostname.replace(/^\[|\]$/g, ''), () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    sockets.add(upstream);
    upstream.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
};
