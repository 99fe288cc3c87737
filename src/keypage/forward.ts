import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:tls';
import { authorityOf, type Dial, placeOf } from '../wire/connect.js';
import { type KeyPageSettings, KeyPageTrouble } from './input.js';
import { diallerOf, spkiPinOf } from './trust.js';

/** The browser's way to origins that ask for a client certificate. */
export interface Forwarded {
  readonly origins: readonly string[];
  /** For `--host-resolver-rules`: `MAP host:443 127.0.0.1:40123`. */
  readonly rules: readonly string[];
  /** SPKI pin of the certificate that the forwarder shows. */
  readonly pins: readonly string[];
  close(): void;
}

const http1 = { alpn: ['http/1.1'] } as const;

/** Every connection that the browser opens becomes one of the wire client's dialler, which verifies, resolves and tunnels as for the API. */
const listen = async (origin: string, dial: Dial, identity: { cert: string; key: string }) => {
  const open = new Set<Socket>();
  const keep = (socket: Socket): void => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  };
  const server = createServer({ ...identity, ALPNProtocols: [...http1.alpn] }, (browser) => {
    browser.on('error', () => browser.destroy());
    dial(placeOf(origin), { ...http1, onSocket: keep }).then(
      ({ socket }) => {
        socket.once('close', () => browser.destroy());
        browser.once('close', () => socket.destroy());
        browser.pipe(socket).pipe(browser);
      },
      () => browser.destroy(),
    );
  });
  server.on('connection', keep);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  return { port, close };
};

/**
 * Chromium takes client certificates from a store of the user's alone, so a forwarder on this machine shows the one in
 * CLIENT_CERT_FILE in its place. The browser knows it by its key, which is made for one walk.
 * @throws KeyPageTrouble when an origin cannot be reached
 */
export const forward = async (
  settings: KeyPageSettings,
  origins: readonly string[],
): Promise<Forwarded | undefined> => {
  const secure = origins.filter((origin) => origin.startsWith('https:'));
  if (settings.clientCert === undefined || secure.length === 0) return undefined;
  const dial = diallerOf(settings, settings.insecureTls);
  for (const origin of secure) {
    const { socket } = await dial(placeOf(origin), { ...http1, onSocket: () => {} }).catch((error: unknown) => {
      throw new KeyPageTrouble(
        `${origin} could not be reached: ${error instanceof Error ? error.message : 'no answer'}.`,
      );
    });
    socket.destroy();
  }
  const { generate } = await import('selfsigned');
  const made = await generate([{ name: 'commonName', value: 'access-conformance' }], {
    keyType: 'ec',
    algorithm: 'sha256',
  });
  const listening = await Promise.all(
    secure.map(async (origin) => ({
      ...placeOf(origin),
      to: await listen(origin, dial, { cert: made.cert, key: made.private }),
    })),
  );
  return {
    origins: secure,
    rules: listening.map(({ host, port, to }) => `MAP ${authorityOf({ host, port })} 127.0.0.1:${to.port}`),
    pins: [spkiPinOf(made.cert)],
    close: () => {
      for (const { to } of listening) to.close();
    },
  };
};
