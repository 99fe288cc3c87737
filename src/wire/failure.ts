import { codeOf, messageOf } from '../errors.js';
import type { TlsFacts, WireErrorCode } from './types.js';

/** A failure on the wire. The message is not redacted yet. */
export class WireFailure extends Error {
  override readonly name = 'WireFailure';
  readonly code: WireErrorCode;
  readonly tls: TlsFacts | undefined;
  /** The address for which the system reports "host unreachable". */
  readonly hostUnreachable: string | undefined;
  constructor(code: WireErrorCode, message: string, tls?: TlsFacts, hostUnreachable?: string) {
    super(message);
    this.code = code;
    this.tls = tls;
    this.hostUnreachable = hostUnreachable;
  }
}

/** The proxy could not be used, which says nothing about the target. */
export class ProxyFailure extends WireFailure {
  constructor(message: string) {
    super('unreachable', message);
  }
}

/** No connection was attempted, since all earlier attempts had failed like this one. */
export class EarlierFailure extends WireFailure {
  /** Milliseconds that it took. */
  readonly earlierMs: number;
  constructor({ code, message, tls, hostUnreachable }: WireFailure, earlierMs: number) {
    const how = code === 'connect-timeout' ? `timed out, after ${earlierMs} ms each` : `failed: ${message}`;
    super(code, `no connection attempted: all earlier ones ${how}`, tls, hostUnreachable);
    this.earlierMs = earlierMs;
  }
}

export type Phase = 'connect' | 'tls' | 'answer';

const resets = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE']);
const alpnRefusals = new Set(['ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL', 'ERR_SSL_NO_APPLICATION_PROTOCOL']);

/** The address in Node's EHOSTUNREACH error of `connect`. */
const hostUnreachableIn = (error: unknown): string | undefined =>
  codeOf(error) === 'EHOSTUNREACH' && error instanceof Error && 'address' in error && typeof error.address === 'string'
    ? error.address
    : undefined;

const closedEarly = 'the connection was closed before a full answer';

export const brokenOff = (): WireFailure => new WireFailure('reset', closedEarly);

const descriptions: Readonly<Partial<Record<WireErrorCode, string>>> = {
  refused: 'the connection was refused',
  unreachable: 'the host could not be reached',
  'connect-timeout': 'no connection in time',
  reset: closedEarly,
  tls: 'the TLS handshake failed',
  'not-http': 'the answer is not HTTP',
  'too-large': 'the header section is over the cap',
  'no-h2': 'the server does not choose h2 by ALPN',
};

/** A time limit with the setting that extends it. */
export const withinTimeout = (timeoutMs: number): string => `within ${timeoutMs} ms, which TIMEOUT_MS extends`;

export const timedOut = (code: WireErrorCode, what: string, timeoutMs: number): WireFailure =>
  new WireFailure(code, `no full ${what} ${withinTimeout(timeoutMs)}`);

/** OpenSSL's codes for a peer that does not speak TLS. */
const notTls = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_HTTP_REQUEST', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);

const classify = (code: string, phase: Phase): WireErrorCode => {
  if (code === 'ECONNREFUSED') return 'refused';
  if (resets.has(code)) return 'reset';
  // Node's HTTP parser reads the proxy's response to CONNECT.
  if (code.startsWith('HPE_')) return 'not-http';
  if (alpnRefusals.has(code)) return 'no-h2';
  if (code === 'EPROTO' || code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS')) return 'tls';
  if (phase === 'connect') return code === 'ETIMEDOUT' ? 'connect-timeout' : 'unreachable';
  return phase === 'tls' ? 'tls' : 'reset';
};

/** TLS alerts of servers that require a client certificate, or another one. */
const ofClientCertificate =
  /ALERT_(?:CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN|UNKNOWN_CA|ACCESS_DENIED)$/;

/**
 * The reason in OpenSSL's `80CC…:error:0A00010B:SSL routines:ssl3_get_record:wrong version
 * number:…c:350:`: the sixth field.
 */
const opensslReason = (message: string): string =>
  /^[0-9A-F]+:error:[^:]*:[^:]*:[^:]*:([^:]+):/i.exec(message)?.[1] ?? message;

/**
 * Whether an error is a defect of this program: errors of sockets, TLS and name resolution have a
 * code, or are no error of the language.
 */
export const isDefect = (error: unknown): boolean =>
  codeOf(error) === undefined && languageErrors.some((kind) => error instanceof kind);

const languageErrors = [TypeError, RangeError, ReferenceError, SyntaxError, URIError] as const;

/**
 * Converts an error of a socket, or of a request by Node, into a `WireFailure` with a code and one
 * line.
 */
export const failureOf = (error: unknown, phase: Phase): WireFailure => {
  if (error instanceof WireFailure) return error;
  const code = codeOf(error) ?? '';
  const kind = classify(code, phase);
  const detail = opensslReason(messageOf(error).split('\n', 1)[0]?.trim() ?? '');
  // Some messages of Node contain the code already: connect ECONNREFUSED 127.0.0.1:9.
  const extra = [detail.includes(code) ? '' : code, detail].filter((part) => part).join(': ');
  const advice = ofClientCertificate.test(code)
    ? '; the server may want a client certificate: see CLIENT_CERT_FILE'
    : '';
  return new WireFailure(
    kind,
    `${notTls.has(code) ? 'what answers there does not speak TLS' : (descriptions[kind] ?? kind)}${extra ? ` (${extra})` : ''}${advice}`,
    undefined,
    hostUnreachableIn(error),
  );
};
