import type { Browser } from '@playwright/test';
import type { KeyPageOpens } from '../rules/key-page/record.js';
import type { DialOptions } from '../wire/connect.js';
import type { ProxySettings } from '../wire/proxy.js';

/** Milliseconds to wait for what a page may still render, on an idle machine. */
export const usualPatienceMs = 6_000;

/** Milliseconds in which an idle machine opens a window and renders a line. */
const usualWindowMs = 150;

/** Waiting times grow at most by this factor. */
const mostSlowness = 10;

const mostForFormMs = 60_000;

/** Waiting times of a visit in milliseconds, all derived from one patience. */
export const limitsOf = (patienceMs: number) => ({
  /** For what a page does by itself shortly after a press. */
  momentMs: patienceMs / 6,
  /** Wait for a control that can be clicked with the mouse. After it, a script clicks. */
  clickMs: patienceMs / 2,
  /** For a read. A longer one is a stream or a long poll, which is not waited for. */
  readMs: patienceMs / 2,
  writeMs: patienceMs * 2.5,
  /** Until the page reads the same twice, while it asks for nothing. */
  quietMs: patienceMs,
  /** Until the page reads the same twice, while it asks for more. */
  settleMs: patienceMs * 3.5,
  loadMs: patienceMs * 3.5,
  /**
   * Until a log-in form is rendered, and until an attempt to log in is answered. On a slow machine,
   * the visit would end before it could say that there is none.
   */
  formMs: Math.min(patienceMs * 5, Math.max(patienceMs, mostForFormMs)),
  otherMs: patienceMs * 2,
});

export type VisitLimits = Readonly<ReturnType<typeof limitsOf>>;

/** How many times slower than usual the browser renders a small page, from 1 to 10. */
export const slownessOf = async (browser: Browser): Promise<number> => {
  const started = performance.now();
  const context = await browser.newContext({ offline: true });
  try {
    const page = await context.newPage();
    await page.setContent('<p>ready</p>');
    await page.evaluate(() => document.body.innerText);
    return Math.min(mostSlowness, Math.max(1, (performance.now() - started) / usualWindowMs));
  } finally {
    await context.close().catch(() => {});
  }
};

export interface KeyPageSettings {
  /** KEY_PAGE_URL, with the fragment if the page has one. */
  readonly url: string;
  readonly loginUrl?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** An account without a key. Its page is read, and nothing that makes a key is pressed. */
  readonly withoutKey?: { readonly username?: string | undefined; readonly password?: string | undefined } | undefined;
  /** Suffix of the account's settings: `_WITHOUT_KEY` for the account without a key. */
  readonly accountSuffix?: string | undefined;
  /** KEY_PAGE_GENERATE: the action may be pressed. */
  readonly generate: boolean;
  /** KEY_PAGE_ACTION: accessible name or CSS selector. */
  readonly action?: string | undefined;
  readonly keySelector?: string | undefined;
  readonly emptyText?: string | undefined;
  readonly chromiumPath?: string | undefined;
  /** PEM texts of CA_FILE, CLIENT_CERT_FILE and CLIENT_KEY_FILE. */
  readonly ca?: string | undefined;
  readonly clientCert?: DialOptions['clientCert'];
  readonly insecureTls: boolean;
  readonly proxy?: ProxySettings | undefined;
  readonly resolve?: DialOptions['resolve'] | undefined;
}

/** The origins that may get the account's name and password. */
export const ownOrigins = ({ url, loginUrl }: KeyPageSettings): string[] => [
  ...new Set([url, ...(loginUrl === undefined ? [] : [loginUrl])].map((address) => new URL(address).origin)),
];

export interface KeyPageInput {
  readonly settings: KeyPageSettings;
  opens(key: string): Promise<KeyPageOpens>;
  /** The key of the run, which the action may revoke. */
  readonly given?:
    | {
        /** Its setting: API_KEY. */
        readonly setting: string;
        is(key: string): boolean;
        opens(): Promise<KeyPageOpens>;
      }
    | undefined;
  /** Called for every password and key, with its placeholder, before it can get into any text. */
  learn(secret: string, placeholder: string): void;
  redact(text: string): string;
  readonly signal?: AbortSignal | undefined;
  /** Folder for a picture of the page, keys blacked out, unless every check passed. */
  readonly screenshotsDir?: string | undefined;
  /** A running browser to use. It stays open. */
  readonly browser?: Browser | undefined;
  /** How many times slower than usual the browser is. Default: it is measured, in a window. */
  readonly slowness?: number | undefined;
  /** Milliseconds for the whole visit. Default: 300,000. */
  readonly deadlineMs?: number | undefined;
  /** Milliseconds to wait for what a page may still render: 6,000 on an idle machine. */
  readonly patienceMs?: number | undefined;
  /** Milliseconds in which a new key may become known to the API, or appear. Default: 120,000. */
  readonly lateMs?: number | undefined;
}

/** The text that is entered into fields. Lower-case letters are allowed by most rules for names. */
export const anyText = 'conformance';

/** How far the visit is. */
export interface Progress {
  /** What it waits for now, as the end of a sentence. */
  waitsFor: string;
  /** Milliseconds that are left for pages that do not come to rest. */
  restlessMs: number;
}

/** The visit cannot go on. The message is a sentence for the report, without secrets. */
export class KeyPageTrouble extends Error {
  override readonly name = 'KeyPageTrouble';
}
