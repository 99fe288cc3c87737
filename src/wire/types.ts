import type { BodyShape, FieldFacts } from './body-shape.js';

export type HeaderPair = readonly [name: string, value: string];

/** IPv4 or IPv6. */
export type AddressFamily = 4 | 6;

/**
 * One request, as data. Keys are placeholders (`<API_KEY>`, `<API_KEY:first-half>`), which the
 * client replaces on the socket and restores in whatever comes back.
 */
export interface Probe {
  /** Operation id, or `service`. */
  readonly operation: string;
  /** What the request is, in plain words: `with the key`, `without a key`. */
  readonly name: string;
  readonly method: string;
  /** `https://host[:port]` or `http://host[:port]`. */
  readonly origin: string;
  /** Request target, sent byte for byte (origin form, or absolute form). */
  readonly target: string;
  /**
   * Where values were read that placeholders in `target` stand for (`<ID_1>`); not part of the
   * identity.
   */
  readonly values?: Readonly<Record<string, string>>;
  /**
   * Header fields in order, byte for byte. The client adds `Host`, `User-Agent`, `Accept`,
   * `Accept-Encoding` and `Connection` in front unless they are named here.
   */
  readonly headers: readonly HeaderPair[];
  /**
   * `shared`: any idle connection with the same history (with or without a key). `fresh`: a
   * connection of its own. `keyed`: one that has just carried the valid key; the client waits for
   * one and opens none.
   */
  readonly connection: 'shared' | 'fresh' | 'keyed';
  readonly protocol: 'http/1.1' | 'h2';
  /** Address family, on a connection of its own; absent: whichever connects first. */
  readonly family?: AddressFamily;
  /** 1; a second try of the same request is 2. Part of the identity, so that it is sent. */
  readonly round: number;
  /** Why the same request is sent again: `after refuses-leftovers`. Part of the identity. */
  readonly occasion?: string;
}

/** The identity of a request: everything but its name. */
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
  // In alphabetical order: ids of recorded exchanges are a digest of this text. Absent members are
  // left out.
  JSON.stringify({ connection, family, headers, method, occasion, origin, protocol, round, target });

export interface TlsFacts {
  /** `TLSv1.3` */
  readonly version: string;
  readonly authorized: boolean;
  /**
   * Node's verification code (`CERT_HAS_EXPIRED`, `ERR_TLS_CERT_ALTNAME_INVALID`…) where not
   * authorized.
   */
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
  }[];
}

/** Milliseconds; absent where a phase was not reached or the connection was reused. */
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
  | 'no-h2' // ALPN did not choose h2
  | 'no-address' // the host has no address of the wanted family, or none that can be reached from here
  | 'aborted'; // the run was stopped

export interface WireError {
  readonly code: WireErrorCode;
  /** One line, redacted. For people: nothing decides by it. */
  readonly message: string;
  /** The proxy did not lead to the target. */
  readonly atProxy?: true;
  /** The address of which the system says "host unreachable" (EHOSTUNREACH). */
  readonly hostUnreachable?: string;
}

/** A body checked against its documented schema on arrival: the text is not kept. */
export interface BodyInspection {
  /** `unclear`: it could not be read as a whole. */
  readonly verdict: 'fits' | 'differs' | 'unclear';
  /**
   * JSON Pointer of the value in the body that differs; member names that look like data are `*`.
   */
  readonly pointer?: string;
  /** What is wrong, in words that finish "the body …", without values of the body. */
  readonly message?: string;
  /**
   * Where the document has the shared schema that the value differs from: a `$ref` and a JSON
   * Pointer into it.
   */
  readonly schema?: string;
}

export interface Response {
  readonly status: number;
  readonly httpVersion: string;
  /** In order, redacted; Set-Cookie values replaced. */
  readonly headers: readonly HeaderPair[];
  /**
   * Redacted text, at most 16,384 characters; absent where there is none, and in what is stored
   * where it is somebody's data.
   */
  readonly body?: string;
  /** Bytes after decoding. */
  readonly size: number;
  readonly digest: string;
  /** `body` is not the whole text. */
  readonly truncated: boolean;
  /** Structure and digests: all that judges need. */
  readonly shape: BodyShape;
  /** The same of header fields in which data may stand; absent where there are none. */
  readonly fields?: readonly FieldFacts[];
  /** Results of `WireOptions.inspect` by operation id, without data of the body. */
  readonly documented?: Readonly<Record<string, BodyInspection>>;
  /** A whole key stands in it, and nothing of a key was sent. */
  readonly givesKey?: true;
  /** What was odd about the body: `the body is not the gzip that Content-Encoding says`. */
  readonly note?: string;
}

/** Exactly one of `response` and `error` is set. */
export interface Attempt {
  readonly response?: Response;
  readonly error?: WireError;
  /** Beside an error: the response so far. */
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
    readonly protocol: 'http/1.1' | 'h2';
    /** It went through a proxy; `address` is the proxy's. */
    readonly proxy?: true;
  };
  /** As sent, with placeholders for keys. */
  readonly request: { readonly method: string; readonly url: string; readonly headers: readonly HeaderPair[] };
  /** At least one; the last one counts. */
  readonly attempts: readonly Attempt[];
}

/** The position of a probe in a series, whose requests are sent one after the other. */
export interface SeriesPosition {
  /** It is sent before all waiting requests. */
  readonly priority?: boolean;
  /** It follows another one, whose effect does not last. */
  readonly follows?: boolean;
  /** Keeps the connection for the `keyed` probe with the same object in `after`. */
  readonly keepFor?: object | undefined;
  readonly after?: object | undefined;
  /** `performance.now()` in milliseconds when the previous probe ended. */
  readonly since?: number | undefined;
  /** Set for a probe whose keys may be replaced before it is sent. */
  readonly keys?: {
    /** Called when its turn has come. It must not reject. */
    readonly ready: () => Promise<void>;
    /** Called when the keys were put in. */
    readonly filled: () => void;
  };
}

/**
 * The client. `send` resolves for every transport error (as an attempt with `error`), and rejects
 * only for a probe that must not be sent (see probe-safety).
 */
export interface Wire {
  send(probe: Probe, place?: SeriesPosition): Promise<Exchange>;
  /** Requests sent so far, retries included. */
  readonly requestsSent: number;
  /** Whether a request was not sent, since `maxRequests` had been. */
  readonly isExhausted: boolean;
  close(): Promise<void>;
}
