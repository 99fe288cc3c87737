import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { orUndefined } from '../collections.js';
import { codeOf, messageOf } from '../errors.js';

/** PEM texts of CA_FILE, CLIENT_CERT_FILE and CLIENT_KEY_FILE. */
export interface Pem {
  readonly ca?: string | undefined;
  readonly clientCert?: { readonly cert: string; readonly key: string } | undefined;
}

type Report = (setting: string, problem: { readonly wrong: string; readonly hint?: string }) => void;

const holdsCertificates = (text: string): boolean => {
  const blocks =
    text.match(/-----BEGIN (?:TRUSTED )?CERTIFICATE-----[\s\S]*?-----END (?:TRUSTED )?CERTIFICATE-----/g) ?? [];
  return blocks.length > 0 && blocks.every((block) => orUndefined(() => new X509Certificate(block)));
};

const privateKeyProblem = (text: string): string | undefined => {
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(text))
    return 'the private key is encrypted.';
  return orUndefined(() => createPrivateKey(text)) ? undefined : 'the file holds no private key in PEM form.';
};

/** Why a certificate and a key do not work together. */
const pairProblem = (cert: string, key: string): { readonly wrong: string; readonly hint?: string } | undefined => {
  try {
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
      return {
        wrong: 'it is not the private key of the certificate in CLIENT_CERT_FILE.',
        hint: 'of several certificates in CLIENT_CERT_FILE the first one is the client’s own',
      };
    createSecureContext({ cert, key });
    return undefined;
  } catch (error) {
    return {
      wrong: `it cannot be used with the certificate in CLIENT_CERT_FILE (${codeOf(error) ?? messageOf(error)}).`,
    };
  }
};

/** Reads the certificate settings, whose files exist, and reports what is not PEM. */
export const readPem = (values: Readonly<Record<string, unknown>>, report: Report): Pem => {
  const textOf = (setting: string): string | undefined => {
    const path = values[setting];
    return typeof path === 'string' ? readFileSync(path, 'utf8') : undefined;
  };
  const certificateOf = (setting: string): string | undefined => {
    const text = textOf(setting);
    if (text === undefined || holdsCertificates(text)) return text;
    report(setting, {
      wrong: 'the file holds no certificate in PEM form.',
      hint: 'a DER file is turned into PEM with: openssl x509 -inform der -in FILE -out FILE.pem',
    });
    return undefined;
  };
  const ca = certificateOf('CA_FILE');
  const cert = certificateOf('CLIENT_CERT_FILE');
  const key = textOf('CLIENT_KEY_FILE');
  const wrongKey = key === undefined ? undefined : privateKeyProblem(key);
  if (wrongKey) report('CLIENT_KEY_FILE', { wrong: wrongKey });
  if (values.CLIENT_CERT_FILE !== undefined && key === undefined)
    report('CLIENT_CERT_FILE', { wrong: 'CLIENT_KEY_FILE is missing; the two go together.' });
  if (key !== undefined && values.CLIENT_CERT_FILE === undefined)
    report('CLIENT_KEY_FILE', { wrong: 'CLIENT_CERT_FILE is missing; the two go together.' });
  const apart = cert === undefined || key === undefined || wrongKey ? undefined : pairProblem(cert, key);
  if (apart) report('CLIENT_KEY_FILE', apart);
  return { ca, clientCert: cert === undefined || key === undefined ? undefined : { cert, key } };
};
