import { readFileSync } from 'node:fs';
import { isIP, isIPv6 } from 'node:net';
import tls from 'node:tls';
import { orUndefined, wordsIn } from '../collections.js';
import type { TlsFacts } from './types.js';

const maxChain = 10;

const distinguishedName = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([name, part]) => `${name}=${Array.isArray(part) ? part.join(`, ${name}=`) : String(part)}`)
    .join(', ');
};

/** Converts a time to ISO 8601; an invalid time is returned as it is. */
const isoTime = (value: string): string => {
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? String(value) : time.toISOString();
};

const altNamesOf = (value: string | undefined): string[] => (value ? value.split(', ') : []);

/** OIDs of the extended key usages serverAuth and anyExtendedKeyUsage. */
const usagesOfServers: ReadonlySet<string> = new Set(['1.3.6.1.5.5.7.3.1', '2.5.29.37.0']);

/** A certificate without extended key usages may be used for everything. */
const isForServers = ({ ext_key_usage: usages }: tls.PeerCertificate): boolean =>
  usages === undefined || usages.some((usage) => usagesOfServers.has(usage));

const chainOf = (leaf: tls.DetailedPeerCertificate): TlsFacts['chain'] => {
  const chain: TlsFacts['chain'][number][] = [];
  const seen = new Set<string>();
  let certificate: tls.DetailedPeerCertificate | undefined = leaf;
  while (certificate?.fingerprint256 && !seen.has(certificate.fingerprint256) && chain.length < maxChain) {
    seen.add(certificate.fingerprint256);
    chain.push({
      subject: distinguishedName(certificate.subject),
      issuer: distinguishedName(certificate.issuer),
      validFrom: isoTime(certificate.valid_from),
      validTo: isoTime(certificate.valid_to),
      altNames: altNamesOf(certificate.subjectaltname),
      fingerprint256: certificate.fingerprint256,
      ...(isForServers(certificate) ? {} : { notForServers: true }),
    });
    certificate = certificate.issuerCertificate;
  }
  return chain;
};

/** Canonical text of an address (RFC 5952, section 4). */
const canonicalAddress = (address: string): string =>
  isIPv6(address) ? new URL(`http://[${address}]/`).hostname : address;

/**
 * Whether the certificate names this address. Node 22.23 compares IPv6 addresses as text, so that
 * `::1` does not match `0:0:0:0:0:0:0:1`. Quoted names, which may contain commas, are left to Node.
 */
const namesAddress = (host: string, altNames: string | undefined): boolean =>
  isIP(host) !== 0 &&
  altNames !== undefined &&
  !altNames.includes('"') &&
  altNamesOf(altNames).some(
    (name) =>
      name.startsWith('IP Address:') && canonicalAddress(name.slice('IP Address:'.length)) === canonicalAddress(host),
  );

const identityError = (host: string, certificate: tls.PeerCertificate): string | undefined => {
  if (namesAddress(host, certificate.subjectaltname)) return undefined;
  try {
    const error = tls.checkServerIdentity(host, certificate);
    if (!error) return undefined;
    return 'code' in error && typeof error.code === 'string' ? error.code : 'ERR_TLS_CERT_ALTNAME_INVALID';
  } catch {
    // Names that Node cannot parse do not match.
    return 'ERR_TLS_CERT_ALTNAME_FORMAT';
  }
};

/**
 * Creates a function that reads the TLS facts of a connection. Connections with the same leaf share
 * a chain.
 * @param checked the certificate that Node has read for `checkServerIdentity`; absent if the chain
 * is not valid
 */
export const createTlsReader = () => {
  const chains = new Map<string, { chain: TlsFacts['chain']; identity: string | undefined }>();
  return (socket: tls.TLSSocket, host: string, checked?: tls.PeerCertificate): TlsFacts => {
    // Not getPeerX509Certificate, after which Node 20 returns no chain.
    const key = `${host} ${(checked ?? socket.getPeerCertificate(false))?.fingerprint256 ?? ''}`;
    let known = chains.get(key);
    if (!known) {
      const detailed = socket.getPeerCertificate(true);
      known = { chain: chainOf(detailed), identity: identityError(host, detailed) };
      chains.set(key, known);
    }
    // Typed as Error, but its value is the code.
    const chainError: unknown = socket.authorizationError;
    const authorizationError = socket.authorized ? known.identity : chainError ? String(chainError) : known.identity;
    return {
      version: socket.getProtocol() ?? '',
      authorized: authorizationError === undefined,
      ...(authorizationError === undefined ? {} : { authorizationError }),
      ...(socket.alpnProtocol ? { alpn: socket.alpnProtocol } : {}),
      chain: known.chain,
    };
  };
};

const extraRoots = (): string[] => {
  const file = process.env.NODE_EXTRA_CA_CERTS;
  const roots = file ? orUndefined(() => readFileSync(file, 'utf8')) : undefined;
  return roots === undefined ? [] : [roots];
};

export interface TlsIdentity {
  /** PEM text of CA_FILE. */
  readonly ca?: string | undefined;
  readonly clientCert?: { readonly cert: string; readonly key: string } | undefined;
}

/**
 * Node's internal store of roots. Adding one certificate is cheap; parsing all roots takes a tenth
 * of a second.
 */
interface NativeContext {
  readonly context?: { addCACert?: (pem: string) => void };
}

const contextByCa = new Map<string, tls.SecureContext>();

/** The secure context for all connections. CA_FILE is trusted in addition to the usual roots. */
export const secureContextFor = (identity: TlsIdentity): tls.SecureContext => {
  // Contexts with a client's private key are not cached.
  if (identity.clientCert) return newContext(identity);
  const known = contextByCa.get(identity.ca ?? '') ?? newContext(identity);
  contextByCa.set(identity.ca ?? '', known);
  return known;
};

const newContext = ({ ca, clientCert }: TlsIdentity): tls.SecureContext => {
  const identity = clientCert ? { cert: clientCert.cert, key: clientCert.key } : {};
  const usual = tls.createSecureContext(identity);
  if (ca === undefined) return usual;
  const native: NativeContext = usual;
  if (typeof native.context?.addCACert === 'function') {
    // Adding a certificate drops NODE_EXTRA_CA_CERTS from the store.
    for (const pem of [...extraRoots(), ca]) native.context.addCACert(pem);
    return usual;
  }
  return tls.createSecureContext({ ...identity, ca: [...tls.rootCertificates, ...extraRoots(), ca] });
};

export const certificateMessage = (facts: TlsFacts, host: string): string => {
  const [leaf] = facts.chain;
  const code = facts.authorizationError ?? 'unknown';
  const about = leaf
    ? ` (subject ${leaf.subject || 'empty'}; issuer ${leaf.issuer || 'empty'}; valid ${leaf.validFrom} to ${leaf.validTo}; names ${leaf.altNames.join(', ') || 'none'})`
    : '';
  return `the certificate is not accepted for ${host}: ${code}${about}`;
};

/** Why a chain is not trusted, and what to do about it. */
interface TrustAdvice {
  readonly says: string;
  readonly advice: string;
}

/** Errors of chains with an unknown issuer. Settings help only for these. */
const unknownIssuer = new Set(
  wordsIn(`
  CERT_UNTRUSTED DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY UNABLE_TO_VERIFY_LEAF_SIGNATURE
`),
);

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
