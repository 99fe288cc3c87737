import { createHash, X509Certificate } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import { createDialler, type Dial, placeOf } from '../wire/connect.js';
import type { KeyPageSettings } from './input.js';

type Trusted = Pick<KeyPageSettings, 'ca' | 'clientCert' | 'proxy' | 'resolve'>;

/** Opens connections to the key page as the wire client does to the API. */
export const diallerOf = ({ ca, clientCert, proxy, resolve = [] }: Trusted, insecureTls: boolean): Dial =>
  createDialler({
    insecureTls,
    timeoutMs: 10_000,
    resolve,
    ...(ca === undefined ? {} : { ca }),
    ...(clientCert === undefined ? {} : { clientCert }),
    ...(proxy === undefined ? {} : { proxy }),
  });

/** Base64 of the SHA-256 of a certificate's public key, as `--ignore-certificate-errors-spki-list` of Chromium takes it. */
export const spkiPinOf = (certificate: string | Buffer): string => {
  const spki = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(spki).digest('base64');
};

/**
 * The SPKI pin of an origin's certificate when it stands under CA_FILE, by the wire client's verification of chain, name and time;
 * `undefined` when it does not (the browser then judges it alone, by the system's store).
 */
const pinOf = async (origin: string, settings: Trusted): Promise<string | undefined> => {
  const dial = diallerOf(settings, false);
  try {
    const { socket } = await dial(placeOf(origin), { alpn: ['http/1.1'], onSocket: () => {} });
    const raw = socket instanceof TLSSocket ? socket.getPeerCertificate(true).raw : undefined;
    socket.destroy();
    return raw && spkiPinOf(raw);
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
