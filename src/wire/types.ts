import type { BodyFacts } from './body-facts.js';

export type HeaderPair = readonly [name: string, value: string];

/** IPv4 or IPv6. */
export type AddressFamily = 4 | 6;

/**
 * One request, as data. Keys appear as placeholders (`<API_KEY>`, `<API_KEY:first-half>`), which
 * the wire client replaces on the socket and puts back into whatever returns.
 */
export interface Probe {
  /** Operation id, or `service`. */
  readonly operation: string;
  /** What the request stands for, in plain words: `with the key`, `without a key`. */
  readonly name: string;
  readonly method: string;
  /** `https://host[:port]` or `http://host[:port]`. */
  readonly origin: string;
  /** Request target, sent byte for byte (origin form, or absolute form). */
  readonly target: string;
  /**
   * Header fields in order, byte for byte. The client adds `Host`, `User-Agent`, `Accept`,
   * `Accept-Encoding` and `Connection` in front where the probe does not name them itself.
   */
  readonly headers: readonly HeaderPair[];
  /**
   * `shared`: any idle connection that has never carried a key, or for a keyed probe any idle
   * connection that has. `fresh`: a connection of its own. `keyed`: one that has just carried the
   * valid key (the client waits for one to be idle; opens none).
   */
  readonly connection: 'shared' | 'fresh' | 'keyed';
  readonly protocol: 'http/1.1' | 'h2';
  /**
   * Goes to an address of this family, on a connection of its own; absent: to whichever answers
   * first.
   */
  readonly family?: AddressFamily;
  /** 1; a second try of the same request is 2. Part of the identity, so that it is sent again. */
  readonly round: number;
  /**
   * Why a request that was sent before is sent once more, in plain words: `after
   * refuses-leftovers`. Part of the identity too.
   */
  readonly occasion?: string;
}

/** What makes two probes the same request: everything but its name. */
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
  // Members stand in alphabetical order: recorded exchanges are called by a digest of this text.
  // What is absent is left out.
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

/** Milliseconds; absent where the phase was not reached or the connection was reused. */
export interface Timing {
  readonly connect?: number;
  readonly tls?: number;
  readonly firstByte?: number;
  readonly total: number;
  /**
   * From the end of the request before it, in a series that goes one after the other, until this
   * one went out or could not.
   */
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
}

/** A JSON body held against what a document says of it, when it came: the text is not kept. */
export interface BodyInspection {
  /** `unclear`: it could not be read as a whole. */
  readonly verdict: 'fits' | 'differs' | 'unclear';
  /**
   * JSON Pointer of the value in the body that differs; member names that look like data are `*`.
   */
  readonly pointer?: string;
  /** What is wrong, in words that finish "the body …"; no value of the body. */
  readonly message?: string;
}

export interface Response {
  readonly status: number;
  readonly httpVersion: string;
  /** In order, redacted; Set-Cookie values replaced. */
  readonly headers: readonly HeaderPair[];
  /** What judges look at: digests and structure. Enough to judge again without the text. */
  readonly facts: BodyFacts;
  /**
   * Redacted text, at most 64 KiB of it, or `null` for binary. Removed before storage where it is
   * somebody's data.
   */
  readonly text: string | null;
  /**
   * What `WireOptions.inspect` found in the whole body, by operation id; nothing of the body's
   * data.
   */
  readonly documented?: Readonly<Record<string, BodyInspection>>;
  /**
   * What was odd about the body, in plain words: `the body is not the gzip that Content-Encoding
   * says`.
   */
  readonly note?: string;
}

/** Exactly one of `response` and `error` is set. */
export interface Attempt {
  readonly response?: Response;
  readonly error?: WireError;
  /** Beside an error: what came of an answer whose body broke off. */
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
    /** It led through a proxy, whose address `address` is. */
    readonly proxy?: true;
  };
  /** As sent, with placeholders where keys were. */
  readonly request: { readonly method: string; readonly url: string; readonly headers: readonly HeaderPair[] };
  /** At least one; the last one counts. */
  readonly attempts: readonly Attempt[];
}

/** Where a probe stands in a series that goes one after the other. */
export interface SeriesPosition {
  /** Goes out before everything that waits: what the probe before it left behind does not last. */
  readonly priority?: boolean;
  /** Keeps the connection for the `keyed` probe that names the same object in `after`. */
  readonly keepFor?: object | undefined;
  readonly after?: object | undefined;
  /** Milliseconds of `performance.now()` at which the probe before it had ended. */
  readonly since?: number | undefined;
}

/**
 * The one client. `send` resolves for every transport error (as an attempt with `error`); it
 * rejects only for a probe that must not be sent (see safety).
 */
export interface Wire {
  send(probe: Probe, place?: SeriesPosition): Promise<Exchange>;
  /** Requests put on a socket so far, retries included. */
  readonly requestsSent: number;
  close(): Promise<void>;
}
