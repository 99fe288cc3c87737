import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { lazy, memoize } from '../collections.js';

/** Whether the certificate is valid, and if not, why. */
export type CertificateKind =
  | 'valid'
  | 'expired'
  | 'not-yet'
  | 'wrong-host'
  | 'common-name-only'
  | 'unknown-issuer'
  | 'for-clients';

/** PEM texts of a leaf certificate, its private key, and the authority to trust. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

const day = 24 * 60 * 60 * 1000;
const fromNow = (days: number): Date => new Date(Date.now() + days * day);

const authorityOf = (name: string) =>
  generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: fromNow(-400),
    notAfterDate: fromNow(400),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });

const trustedAuthority = lazy(() => authorityOf('Reference service test authority'));
const unknownAuthority = lazy(() => authorityOf('Unknown authority'));

/** Names, validity (days from now) and use of a leaf certificate. */
export interface LeafOptions {
  readonly commonName?: string;
  readonly hosts?: readonly string[];
  readonly validDays?: readonly [from: number, to: number];
  readonly issuer?: 'trusted' | 'unknown';
  readonly use?: 'serverAuth' | 'clientAuth';
}

/**
 * Creates a leaf certificate. `ca` is always the authority that the client trusts, even if another
 * one issued the leaf.
 */
export const makeCertificate = async (options: LeafOptions = {}): Promise<Certificate> => {
  const {
    commonName = 'localhost',
    hosts = ['localhost', '127.0.0.1', '::1'],
    validDays = [-1, 30],
    use = 'serverAuth',
  } = options;
  const authority = await (options.issuer === 'unknown' ? unknownAuthority() : trustedAuthority());
  const leaf = await generate([{ name: 'commonName', value: commonName }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: fromNow(validDays[0]),
    notAfterDate: fromNow(validDays[1]),
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', [use]: true },
      ...(hosts.length === 0
        ? []
        : [
            {
              name: 'subjectAltName' as const,
              altNames: hosts.map((host) =>
                /^[\d.]+$|:/.test(host) ? { type: 7 as const, ip: host } : { type: 2 as const, value: host },
              ),
            },
          ]),
    ],
  });
  return { cert: leaf.cert, key: leaf.private, ca: (await trustedAuthority()).cert };
};

const leaves: Readonly<Record<CertificateKind, LeafOptions>> = {
  valid: {},
  expired: { validDays: [-60, -1] },
  'not-yet': { validDays: [1, 60] },
  'wrong-host': { commonName: 'fitness.example', hosts: ['fitness.example', 'www.fitness.example'] },
  'common-name-only': { hosts: [] },
  'unknown-issuer': { issuer: 'unknown' },
  'for-clients': { use: 'clientAuth' },
};

/** The certificate of a kind, created once per process. */
export const certificateOf = memoize((kind: CertificateKind) => makeCertificate(leaves[kind]));

/** Writes the authority's certificate to a temporary file for `CA_FILE`. */
export const writeCaFile = async (ca: string): Promise<{ readonly caFile: string; remove(): Promise<void> }> => {
  const folder = await mkdtemp(join(tmpdir(), 'reference-service-'));
  const caFile = join(folder, 'ca.pem');
  await writeFile(caFile, ca);
  return { caFile, remove: () => rm(folder, { recursive: true, force: true }) };
};
