import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves plain HTTP on 127.0.0.1 while something uses its origin. */
export const withPlainServer = async <T>(
  listener: http.RequestListener,
  use: (origin: string) => Promise<T>,
): Promise<T> => {
  const server = http.createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
};
