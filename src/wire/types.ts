import { hash } from 'node:crypto';
import type { BodyShape, FieldFacts } from './body-shape.js';

export type HeaderPair = readonly [name: string, value: string];

export type AddressFamily = 4 | 6;

/**
 * One request, as data. Keys are placeholders (`<API_KEY>`, `<API_KEY:first-half>`), which the
 * client replaces on the socket and restores in the response.
 */
export interface Probe {
  /** Operation id, or `service`. */
  readonly operation: string;
  /** What the request is, in plain words: `with the key`, `without a key`. */
  readonly name: string;
  readonly method: string;
  /** `https://host[:port]` or `http://host[:port]`. */
  readonly origin: string;
  /** Request target in origin or absolute form, sent byte for byte. */
  readonly target: string;
  /** Where the values of placeholders in `target` (`<ID_1>`) were read; not in the identity. */
  readonly values?: Readonly<Record<string, string>>;
  /**
   * Header fields in order, sent byte for byte. The client puts `Host`, `User-Agent`, `Accept`,
   * `Accept-Encoding` and `Connection` first, unless they are given here. A `Host`,
   * `User-Agent` or `Accept` with an empty value is left out of the request.
   */
  readonly headers: readonly HeaderPair[];
  /**
   * `shared`: any idle connection with the same history (with or without a key). `fresh`: a new
   * connection for this request only. `keyed`: a connection that has just carried the valid key;
   * the client waits for one and opens none. Over HTTP/2, it is that of the request before.
   */
  readonly connection: 'shared' | 'fresh' | 'keyed';
  /** Over HTTP/1.0, the TLS handshake names no host, where the server takes it. */
  readonly protocol: 'http/1.0' | 'http/1.1' | 'h2';
  /** Address family, on a connection of its own; when absent, the first that connects. */
  readonly family?: AddressFamily;
  /** 1; 2 for a second try of the same request. Part of the identity, so that it is sent again. */
  readonly round: number;
  /** Why the same request is sent again: `after refuses-leftovers`. Part of the identity. */
  readonly occasion?: string;
}

/** The identity of a request: everything that defines it, without its name. */
export const probeIdentity = ({
  connection,
  family,
  headers,
  method,
  occasion,
  origin,
  protocol,
  round,
  target,
}: Probe): string =>
  // In alphabetical order, since ids of recorded exchanges are digests of this text. Absent members
  // are left out.
  JSON.stringify({ connection, family, headers, method, occasion, origin, protocol, round, target });

export interface TlsFacts {
  /** `TLSv1.3` */
  readonly version: string;
  readonly authorized: boolean;
  /** Node's verification code (`CERT_HAS_EXPIRED`…), if not authorized. */
  readonly authorizationError?: string;
  readonly alpn?: string;
  /** Leaf first. Times are ISO 8601. */
  readonly chain: readonly {
    readonly subject: string;
    readonly issuer: string;
    readonly validFrom: string;
    readonly validTo: string;
    readonly altNames: readonly string[];
    readonly fingerprint256: string;
    /** Its extended key usage leaves servers out (RFC 5280, section 4.2.1.12). */
    readonly notForServers?: true;
  }[];
}

/** Milliseconds; a phase is absent if it was not reached or the connection was reused. */
export interface Timing {
  readonly connect?: number;
  readonly tls?: number;
  readonly firstByte?: number;
  readonly total: number;
  /** In a series: from the end of the previous request until this one was sent. */
  readonly sinceBefore?: number;
}

export type WireErrorCode =
  | 'refused' // connection refused
  | 'unreachable' // no route, DNS
  | 'connect-timeout'
  | 'headers-timeout'
  | 'body-timeout'
  | 'reset' // closed or reset before a full answer
  | 'tls' // handshake failed, alert
  | 'certificate' // chain not accepted
  | 'not-http' // bytes that are no HTTP
  | 'too-large' // header section over the cap
  | 'no-keyed-connection' // `connection: 'keyed'` and the server keeps none open
  | 'no-h2' // ALPN did not choose h2, or no HTTP/2 without TLS
  | 'no-address' // the host has no address of the wanted family, or none that can be reached from here
  | 'aborted'; // the run was stopped, or the request was not sent

export interface WireError {
  readonly code: WireErrorCode;
  /** One redacted line for people; no judgement depends on it. */
  readonly message: string;
  /** The proxy could not be used, so the error says nothing about the target. */
  readonly atProxy?: true;
  /** The address for which the system reports "host unreachable" (EHOSTUNREACH). */
  readonly hostUnreachable?: string;
  /**
   * Set where no connection was attempted, since all earlier attempts had failed with this code:
   * milliseconds that one of them took.
   */
  readonly earlierMs?: number;
}

/** Result of checking a body against its documented schema on arrival; the text is not stored. */
export interface BodyInspection {
  /** `unclear`: the body could not be read as a whole. */
  readonly verdict: 'fits' | 'differs' | 'unclear';
  /** JSON Pointer to the value that differs; member names that look like data are `*`. */
  readonly pointer?: string;
  /** What is wrong, as words that complete "the body …", without values of the body. */
  readonly message?: string;
  /** The value is null, and the schema demands a type. */
  readonly isNull?: true;
  /** The violated part of a schema: a `$ref` (or a digest without one), and a JSON Pointer. */
  readonly schema?: string;
  /** Other values that differ; rows of a list that differ in the same way count once. */
  readonly more?: readonly { readonly pointer: string; readonly message: string }[];
}

export interface Response {
  readonly status: number;
  readonly httpVersion: string;
  /** In order, redacted; values of Set-Cookie are replaced. */
  readonly headers: readonly HeaderPair[];
  /**
   * Redacted text, at most 16,384 characters. Absent if there is none, and in stored exchanges
   * where it is somebody's data.
   */
  readonly body?: string;
  /** Bytes after decoding. */
  readonly size: number;
  readonly digest: string;
  /** `body` is not the whole text. */
  readonly truncated: boolean;
  /** Structure and digests: everything that judges need. */
  readonly shape: BodyShape;
  /** The same for header fields that may contain data; absent if there are none. */
  readonly fields?: readonly FieldFacts[];
  /** Results of `WireOptions.inspect` by operation id, without data of the body. */
  readonly documented?: Readonly<Record<string, BodyInspection>>;
  /** The response contains a whole key, although the request carried none. */
  readonly givesKey?: true;
  /** A problem with the body: `the body is not the gzip that Content-Encoding says`. */
  readonly note?: string;
}

/** Exactly one of `response` and `error` is set. */
export interface Attempt {
  readonly response?: Response;
  readonly error?: WireError;
  /** Beside an error: the part of the response that arrived. */
  readonly partial?: Response;
  readonly tls?: TlsFacts;
  readonly timing: Timing;
}

export interface Exchange {
  /** Twelve hex digits of the SHA-256 of `probeIdentity`. */
  readonly id: string;
  readonly probe: Probe;
  readonly connection: {
    readonly reused: boolean;
    readonly address?: string;
    readonly protocol: Probe['protocol'];
    /** The connection goes through a proxy; `address` is the proxy's. */
    readonly proxy?: true;
  };
  /** As sent, with placeholders for keys. */
  readonly request: { readonly method: string; readonly url: string; readonly headers: readonly HeaderPair[] };
  /** At least one; the last one counts. */
  readonly attempts: readonly Attempt[];
}

/** The position of a probe in a series of requests that are sent one after the other. */
export interface SeriesPosition {
  /** Sends it before the waiting requests without priority. */
  readonly priority?: boolean;
  /** Sends it before all waiting requests: the effect of the probe before it does not last. */
  readonly follows?: boolean;
  /** Keeps the connection for the `keyed` probe with the same object in `after`. */
  readonly keepFor?: object | undefined;
  readonly after?: object | undefined;
  /** `performance.now()` in milliseconds when the previous probe ended. */
  readonly since?: number | undefined;
  /** Set for a probe whose keys may be replaced before it is sent. */
  readonly keys?: {
    /** Called when the probe is about to be sent. Must not reject. */
    readonly ready: () => Promise<void>;
    /** Called when the placeholders were replaced by keys. */
    readonly filled: () => void;
  };
}

/** What holds requests up, and for how long already. */
export type Wait =
  | {
      /** `rate-limit-over`: the server asks for more than is left of the budget. */
      readonly kind: 'rate-limit' | 'rate-limit-over';
      readonly forMs: number;
      /** The status with which the server refuses requests. */
      readonly status: number;
      /** Spent of the budget, or what the server asks for beyond it. */
      readonly waitMs: number;
      readonly budgetMs: number;
    }
  | { readonly kind: 'no-answer'; readonly forMs: number; readonly timeoutMs: number }
  /** No connection to the target can be opened; `message` says why. */
  | { readonly kind: 'no-connection'; readonly forMs: number; readonly message: string }
  /** The server keeps no connection open, and `perSecond` new ones are opened. */
  | { readonly kind: 'new-connections'; readonly forMs: number; readonly perSecond: number }
  /** The service answers everything with this status, as while it starts. */
  | { readonly kind: 'starting'; readonly forMs: number; readonly status: number; readonly budgetMs: number };

/**
 * The client. `send` resolves for every transport error (with an `error` in the attempt). It
 * rejects only for a probe that must not be sent (see probe-safety) or whose key is missing, and
 * for a defect of this program or of a rule.
 */
export interface Wire {
  send(probe: Probe, place?: SeriesPosition): Promise<Exchange>;
  /** Number of requests sent so far, including retries. */
  readonly requestsSent: number;
  /** Why no further request is sent: `maxRequests` was reached, or the target answers nothing. */
  readonly over:
    | { readonly why: 'max-requests'; readonly message: string }
    /** `since`: when the first unanswered request began, as `performance.now()` tells it. */
    | { readonly why: 'silence'; readonly message: string; readonly since: number }
    | undefined;
  /** What holds the requests up at present. */
  readonly wait: Wait | undefined;
  /**
   * Where the last requests got no answer: asks once more, and sets `over` if the target has
   * stopped answering. For the end of a run, which may come before that is noticed.
   */
  askWhetherSilent(): Promise<void>;
  close(): Promise<void>;
}

const known = Symbol('exchange id');

// The id is stored on the probe, and not enumerable, so that no changed copy of the probe has it. A
// `WeakMap` of all probes would cost the garbage collector more than the requests themselves.

/** The id of a probe's exchange: twelve hex digits of the SHA-256 of its identity. */
export const exchangeId = (probe: Probe & { readonly [known]?: string }): string => {
  if (probe[known] !== undefined) return probe[known];
  const id = hash('sha256', probeIdentity(probe), 'hex').slice(0, 12);
  // Own rules may freeze what they make.
  if (Object.isExtensible(probe)) Object.defineProperty(probe, known, { value: id });
  return id;
};
