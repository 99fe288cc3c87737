import { createHash, X509Certificate } from 'node:crypto';
import { createDialler, type Dial } from '../wire/connect.js';
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
