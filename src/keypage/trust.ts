import { createHash, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect, rootCertificates } from 'node:tls';

/**
 * The SPKI pin of an origin's certificate when it stands under CA_FILE, by Node's own verification of chain, name and time;
 * `undefined` when it does not (the browser then judges it alone, by the system's store). Base64 of SHA-256, as Chromium takes it.
 */
const pinOf = (origin: string, ca: string): Promise<string | undefined> => {
  const { hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      ca: [...rootCertificates, ca],
      rejectUnauthorized: true,
      ...(isIP(host) ? {} : { servername: host }),
    });
    const end = (pin?: string): void => {
      socket.destroy();
      resolve(pin);
    };
    socket.setTimeout(10_000, () => end());
    socket.once('error', () => end());
    socket.once('secureConnect', () => {
      const spki = new X509Certificate(socket.getPeerCertificate(true).raw).publicKey.export({
        type: 'spki',
        format: 'der',
      });
      end(createHash('sha256').update(spki).digest('base64'));
    });
  });
};

/** Pins for the origins that CA_FILE vouches for. Chromium cannot be told a CA, so it is told what was verified under it. */
export const pinsUnder = async (ca: string | undefined, origins: readonly string[]): Promise<string[]> => {
  if (ca === undefined) return [];
  const pins = await Promise.all(
    origins.filter((origin) => origin.startsWith('https:')).map((origin) => pinOf(origin, ca)),
  );
  return [...new Set(pins.flatMap((pin) => pin ?? []))];
};
