import { createDialler, type Dial } from '../wire/connect.js';
import type { WireFailure } from '../wire/failure.js';
import { trustAdvice } from '../wire/untrusted-certificate.js';
import type { KeyPageSettings } from './input.js';

type Trusted = Pick<KeyPageSettings, 'ca' | 'clientCert' | 'proxy' | 'resolve'>;

/** Opens connections to the key page as the wire client does to the API. */
export const diallerOf = (
  { ca, clientCert, proxy, resolve = [] }: Trusted,
  insecureTls: boolean,
  timeoutMs: number,
): Dial =>
  createDialler({
    insecureTls,
    timeoutMs,
    resolve,
    ...(ca === undefined ? {} : { ca }),
    ...(clientCert === undefined ? {} : { clientCert }),
    ...(proxy === undefined ? {} : { proxy }),
  });

/** Errors of chains with an unknown issuer. Settings help only for these. */
const unknownIssuer = new Set([
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Why a connection failed, as the end of a sentence, with advice if a setting helps. */
export const whyNot = ({ code, message, tls }: WireFailure, { ca }: Trusted): string => {
  if (code !== 'certificate' || !tls || !unknownIssuer.has(tls.authorizationError ?? '')) return `(${message}).`;
  const { says, advice } = trustAdvice(tls, ca !== undefined);
  return `over TLS. ${says} ${advice}`;
};
