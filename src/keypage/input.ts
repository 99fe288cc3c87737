import type { Browser } from '@playwright/test';
import type { Finding } from '../engine/results.js';
import type { Opens } from '../rules/key-page/record.js';
import type { DialOptions } from '../wire/connect.js';
import type { ProxySettings } from '../wire/proxy.js';

export interface KeyPageSettings {
  /** KEY_PAGE_URL, with a fragment where the page is routed by one. */
  readonly url: string;
  readonly loginUrl?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** An account that has no key: its page is read, and nothing that makes a key is pressed there. */
  readonly withoutKey?: { readonly username?: string | undefined; readonly password?: string | undefined } | undefined;
  /** What the settings of the account end with: `_WITHOUT_KEY` for the one without a key. */
  readonly accountSuffix?: string | undefined;
  /** KEY_PAGE_GENERATE: the action may be pressed, once. */
  readonly generate: boolean;
  /** KEY_PAGE_ACTION: accessible name or CSS selector. */
  readonly action?: string | undefined;
  readonly keySelector?: string | undefined;
  readonly emptyText?: string | undefined;
  readonly chromiumPath?: string | undefined;
  /** PEM text of CA_FILE. */
  readonly ca?: string | undefined;
  /** PEM texts of CLIENT_CERT_FILE and CLIENT_KEY_FILE. */
  readonly clientCert?: DialOptions['clientCert'];
  readonly insecureTls: boolean;
  /** HTTPS_PROXY and NO_PROXY of the environment. */
  readonly proxy?: ProxySettings | undefined;
  /** RESOLVE=host:port:address. */
  readonly resolve?: DialOptions['resolve'] | undefined;
}

export interface KeyPageInput {
  readonly settings: KeyPageSettings;
  /** Whether the protected operation really opens with a key. */
  opens(key: string): Promise<Opens>;
  /** The key that the run was given: whose life the action may end, and which no action made. */
  readonly given?:
    | {
        /** Its setting: API_KEY. */
        readonly setting: string;
        is(key: string): boolean;
        opens(): Promise<Opens>;
      }
    | undefined;
  /** Told of every secret before it can get into any text: password and keys, with what stands in their place. */
  learn(secret: string, placeholder: string): void;
  /** Takes every learnt secret out of a text. */
  redact(text: string): string;
  readonly signal?: AbortSignal | undefined;
  /** Where to keep a picture of the page, keys blacked out, when something failed or could not be judged. */
  readonly screenshotsDir?: string | undefined;
  /** A running browser to use instead of starting one; it is left open. */
  readonly browser?: Browser | undefined;
  /** Milliseconds that the whole walk may take; 300000, and more on a machine that is busy. */
  readonly deadlineMs?: number | undefined;
  /** Milliseconds to wait for something that a page may still be about to render; 6000. Times the slowness of the machine. */
  readonly patienceMs?: number | undefined;
}

export interface KeyPageObservation {
  /** Check id. */
  readonly check: string;
  readonly fact: string;
  readonly exchanges: readonly string[];
}

export interface KeyPageOutcome {
  readonly findings: readonly Finding[];
  readonly observations: readonly KeyPageObservation[];
  /** Settings whose keys opened the API before the action was pressed, and no longer do. */
  readonly ended: readonly string[];
}

/** The walk cannot go on; the message is a sentence for the report, without secrets. */
export class KeyPageTrouble extends Error {
  override readonly name = 'KeyPageTrouble';
}
