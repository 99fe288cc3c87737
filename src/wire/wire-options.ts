import type { Inspect } from './answer-reader.js';
import type { Salt } from './digest.js';
import type { KeyRing } from './keyring.js';
import type { ProxySettings } from './proxy.js';
import type { ReadValues } from './read-values.js';
import type { Attempt, Probe } from './types.js';

/** Options of the client, as they stand in `Target`. */
export interface WireOptions {
  /** The target: `https://host[:port]`. Keys are sent nowhere else. */
  readonly origin: string;
  /** The plain-HTTP side, `none`, or absent. It and `origin` are trusted endpoints. */
  readonly httpBaseUrl?: string | null;
  readonly keys: KeyRing;
  readonly salt: Salt;
  /** Settings of keys whose sessions are not kept: those of identities beside the main one. */
  readonly others?: ReadonlySet<string>;
  /** PEM text, trusted in addition to the usual roots. */
  readonly ca?: string;
  readonly clientCert?: { readonly cert: string; readonly key: string };
  readonly insecureTls: boolean;
  /** Milliseconds for connecting (with TLS), for headers and for the body, each. */
  readonly timeoutMs: number;
  /** A fixed number, or as many as the server bears. */
  readonly concurrency: number | 'auto';
  /** Requests in all, retries included; no limit when absent. */
  readonly maxRequests?: number;
  /** Milliseconds from one request to the next, at least. */
  readonly intervalMs?: number;
  /**
   * Processes that ask the same host at once: concurrency and rate are shared by them. Default: 1.
   */
  readonly processes?: number;
  /** Seconds to wait for rate limits, over the whole run. */
  readonly rateLimitWaitS: number;
  readonly probeKeyInUrl: boolean;
  readonly unsafeMethods?: boolean;
  readonly resolve: readonly { readonly host: string; readonly port: number; readonly address: string }[];
  readonly proxy?: ProxySettings;
  readonly userAgent?: string;
  /** Bytes of a body after decoding; 4 MiB. */
  readonly bodyCap?: number;
  /** Bytes of a header section; 64 KiB. */
  readonly headerCap?: number;
  /** Aborts everything in flight, with error `aborted`. */
  readonly signal?: AbortSignal;
  /** Called when a request is written. */
  readonly onSent?: () => void;
  /** Called after each attempt. */
  readonly onAttempt?: (probe: Probe, attempt: Attempt) => void;
  /** Puts values that were read from the service into URLs, and takes them out of answers. */
  readonly values?: ReadValues;
  /** Called with every complete response; its result is stored in `Response.documented`. */
  readonly inspect?: Inspect;
}
