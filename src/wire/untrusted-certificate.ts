import type { TlsFacts } from './types.js';

/** Why a chain is not trusted, and what to do about it. */
export interface TrustAdvice {
  readonly says: string;
  readonly advice: string;
}

/** Errors of chains with an unknown issuer. Settings help only for these. */
const unknownIssuer = new Set([
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

export const hasUnknownIssuer = ({ authorizationError = '' }: TlsFacts): boolean =>
  unknownIssuer.has(authorizationError);

/**
 * Distinguishes a self-signed certificate, a missing intermediate, and an unknown root.
 * @param caFile whether CA_FILE is set
 */
export const trustAdvice = ({ chain, authorizationError }: TlsFacts, caFile: boolean): TrustAdvice => {
  const [leaf] = chain;
  const last = chain.at(-1);
  const code = authorizationError ?? 'unknown';
  const held = caFile ? ', and CA_FILE does not hold it' : '';
  if (!leaf || !last)
    return { says: `The issuer of the certificate is not known here (${code}${held}).`, advice: 'Set CA_FILE to it.' };
  if (leaf.subject === leaf.issuer)
    return {
      says: `The certificate signs itself (${code})${held}.`,
      advice: `${caFile ? 'Put' : 'Set CA_FILE to'} that very certificate${caFile ? ' into CA_FILE' : ''}.`,
    };
  const issuer = last.issuer || 'an issuer without a name';
  if (chain.length > 1)
    return {
      says: `The chain that the server sends ends at ${issuer}, which is not known here (${code})${held}.`,
      advice: caFile
        ? 'Put the certificate of that authority into CA_FILE, beside what it holds.'
        : 'Set CA_FILE to the certificate of that authority.',
    };
  return {
    says: `The server sends its certificate alone, and its issuer, ${issuer}, is not known here (${code})${held}.`,
    advice: caFile
      ? 'If that is an intermediate authority, have the server send its certificate too (the full chain), or add it to CA_FILE; if it is the authority itself, CA_FILE holds another one.'
      : 'If that is an intermediate authority, have the server send its certificate too (the full chain); if it is an authority of your own, set CA_FILE to its certificate.',
  };
};
