import { generate } from 'selfsigned';

/** PEM texts. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateOptions {
  readonly names?: readonly string[];
  readonly addresses?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  /** Signs the certificate; without it the certificate signs itself. */
  readonly issuer?: Certificate;
  readonly commonName?: string;
}

const day = 86_400_000;

const make = async (options: CertificateOptions, ca: boolean): Promise<Certificate> => {
  const { names = ['localhost'], addresses = ['127.0.0.1', '::1'], issuer } = options;
  const pems = await generate([{ name: 'commonName', value: options.commonName ?? 'self-test' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: options.notBefore ?? new Date(Date.now() - day),
    notAfterDate: options.notAfter ?? new Date(Date.now() + 30 * day),
    ...(issuer ? { ca: issuer } : {}),
    extensions: [
      { name: 'basicConstraints', cA: ca },
      {
        name: 'subjectAltName',
        altNames: [
          ...names.map((value) => ({ type: 2 as const, value })),
          ...addresses.map((ip) => ({ type: 7 as const, ip })),
        ],
      },
    ],
  });
  return { cert: `${pems.cert.trim()}\n`, key: pems.private };
};

/** A certificate for 127.0.0.1, ::1 and localhost that signs itself: give it as CA to trust it. */
export const certificate = (options: CertificateOptions = {}): Promise<Certificate> => make(options, false);

export const authority = (commonName = 'self-test authority', issuer?: Certificate): Promise<Certificate> =>
  make({ names: [], addresses: ['192.0.2.1'], commonName, ...(issuer ? { issuer } : {}) }, true);

export const expired = (issuer?: Certificate): Promise<Certificate> =>
  certificate({
    notBefore: new Date(Date.now() - 30 * day),
    notAfter: new Date(Date.now() - day),
    ...(issuer ? { issuer } : {}),
  });

export const notYetValid = (): Promise<Certificate> => certificate({ notBefore: new Date(Date.now() + day) });

export const forOtherHost = (issuer?: Certificate): Promise<Certificate> =>
  certificate({ names: ['other.example'], addresses: [], ...(issuer ? { issuer } : {}) });
