import type { Identity } from './identities.js';

/**
 * A base URL for commands that need no deployment; it can never be reached (RFC 2606, section 2).
 */
export const nowhere = 'https://base-url.invalid';

/** The deployment under test. Only `src/wire/` uses `keys`. */
export interface Target {
  readonly name: string;
  /** `https://host[:port]`, lower-case, no path. */
  readonly origin: string;
  /** Path of the base URL without a trailing slash: `''` or `/sub/path`. */
  readonly basePath: string;
  /**
   * Setting name (`API_KEY`, `API_KEY_<SCHEME>`, `API_KEY_OF_<IDENTITY>`) → key. Empty when none
   * was given.
   */
  readonly keys: Readonly<Record<string, string>>;
  /** Settings whose keys are fetched when a run begins. */
  readonly fetchedKeys?: readonly string[];
  /** Those of IDENTITIES; absent where none were given. */
  readonly identities?: readonly Identity[];
  /** Base URL of the plain-HTTP side without a trailing slash, `'none'`, or `null` when unknown. */
  readonly httpBaseUrl: string | null;
  /** PEM text of CA_FILE. */
  readonly ca?: string;
  readonly clientCert?: { readonly cert: string; readonly key: string };
  readonly insecureTls: boolean;
  /** Milliseconds for connect, for headers and for the body, each. */
  readonly timeoutMs: number;
  readonly concurrency: number | 'auto';
  /** Processes that judge it at once, and share concurrency and rate. Default: 1. */
  readonly processes?: number;
  readonly rateLimitWaitS: number;
  /** Values of settings that replace an assumed path: `{ EXERCISE_PATH: '/api/v2/exercise/' }`. */
  readonly paths: Readonly<Record<string, string>>;
  readonly probes: 'auto' | 'spread' | 'standard' | 'extended';
  /** Requests that a run may send; no limit when absent. */
  readonly maxRequests?: number;
  /** Milliseconds from one request to the next, at least. */
  readonly intervalMs?: number;
  readonly probeKeyInUrl: boolean;
  readonly unsafeMethods: boolean;
  readonly strict: boolean;
  readonly evidence: 'shape' | 'full';
  /** `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` of the environment. */
  readonly proxy?: { readonly url: string; readonly httpUrl?: string; readonly noProxy: string };
  /** RESOLVE=host:port:address. */
  readonly resolve: readonly { readonly host: string; readonly port: number; readonly address: string }[];
}
