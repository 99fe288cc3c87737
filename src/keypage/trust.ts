import { createHash, X509Certificate } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import { createDialler, placeOf } from '../wire/connect.js';
import type { KeyPageSettings } from './input.js';

type Trusted = Pick<KeyPageSettings, 'ca' | 'proxy' | 'resolve'>;

/**
 * The SPKI pin of an origin's certificate when it stands under CA_FILE, by the wire client's verification of chain, name and time;
 * `undefined` when it does not (the browser then judges it alone, by the system's store). Base64 of SHA-256, as Chromium takes it.
 */
const pinOf = async (origin: string, { ca, proxy, resolve = [] }: Trusted): Promise<string | undefined> => {
  const dial = createDialler({
    insecureTls: false,
    timeoutMs: 10_000,
    resolve,
    ...(ca === undefined ? {} : { ca }),
    ...(proxy === undefined ? {} : { proxy }),
  });
  try {
    const { socket } = await dial(placeOf(origin), { alpn: ['http/1.1'], onSocket: () => {} });
    const raw = socket instanceof TLSSocket ? socket.getPeerCertificate(true).raw : undefined;
    socket.destroy();
    if (!raw) return undefined;
    const spki = new X509Certificate(raw).publicKey.export({ type: 'spki', format: 'der' });
    return createHash('sha256').update(spki).digest('base64');
  } catch {
    return undefined;
  }
};

/** Pins for the origins that CA_FILE vouches for. Chromium cannot be told a CA, so it is told what was verified under it. */
export const pinsUnder = async (settings: Trusted, origins: readonly string[]): Promise<string[]> => {
  if (settings.ca === undefined) return [];
  const pins = await Promise.all(
    origins.filter((origin) => origin.startsWith('https:')).map((origin) => pinOf(origin, settings)),
  );
  return [...new Set(pins.flatMap((pin) => pin ?? []))];
};
