import type { Inspect } from './answer-reader.js';
import type { Salt } from './body-shape.js';
import type { DialOptions } from './connect.js';
import type { KeyRing } from './keyring.js';
import type { ReadValues } from './read-values.js';
import type { Attempt, Probe } from './types.js';

/** Options of the client, with the names that they have in `Target`. */
export interface WireOptions extends Omit<DialOptions, 'origin' | 'hasOwnTimeout' | 'named'> {
  /** The target: `https://host[:port]`. Keys are only sent there. */
  readonly origin: string;
  /** The plain HTTP base URL, or `none`. It and `origin` are trusted endpoints. */
  readonly httpBaseUrl?: string | null;
  readonly keys: KeyRing;
  readonly salt: Salt;
  /** Settings of other identities' keys, whose session cookies are not stored. */
  readonly others?: ReadonlySet<string>;
  /** A fixed number, or `auto` for as many as the server can handle. */
  readonly concurrency: number | 'auto';
  /** Maximum number of requests, including retries; unlimited when absent. */
  readonly maxRequests?: number;
  /** Minimum number of milliseconds between two requests. */
  readonly intervalMs?: number;
  /** Maximum number of seconds to wait for rate limits, over the whole run. */
  readonly rateLimitWaitS: number;
  readonly probeKeyInUrl: boolean;
  readonly unsafeMethods?: boolean;
  readonly userAgent?: string;
  /** Maximum number of bytes of a body after decoding. Default: 4 MiB. */
  readonly bodyCap?: number;
  /** Maximum number of bytes of a header section. Default: 64 KiB. */
  readonly headerCap?: number;
  /** Aborts everything in flight, with error `aborted`. */
  readonly signal?: AbortSignal;
  /** Called when a request is written. */
  readonly onSent?: () => void;
  /** Called after each attempt. */
  readonly onAttempt?: (probe: Probe, attempt: Attempt) => void;
  /** Replaces placeholders in URLs by values that were read, and the reverse in answers. */
  readonly values?: ReadValues;
  /** Called with every complete response; its result is stored in `Response.documented`. */
  readonly inspect?: Inspect;
}
