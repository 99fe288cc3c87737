import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, BrowserContext, Dialog, Page, Request, Response } from '@playwright/test';
import { ownOrigins } from './browser.js';
import { saidOfBrowser } from './browser-errors.js';
import type { Gateway } from './gateway.js';
import { type KeyPageSettings, KeyPageTrouble } from './input.js';
import { joinGroups } from './key-candidates.js';
import type { Limits } from './limits.js';
import { type PageContent, type Piece, readPage } from './read-page.js';
import type { Secrets } from './secrets.js';
import { copiedTexts, noteCopied, notePassing, passingTexts } from './transient-texts.js';

export const isWrite = ({ method }: { readonly method: string }): boolean => !/^(GET|HEAD|OPTIONS)$/.test(method);

/** Opens closed shadow trees, which a user sees too. Runs in the page before its scripts. */
const openShadowTrees = (): void => {
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) {
    return attach.call(this, { ...options, mode: 'open' });
  };
};

export const samePage = (one: string, other: string): boolean => {
  const [a, b] = [new URL(one), new URL(other)];
  return a.origin === b.origin && a.pathname === b.pathname;
};

/** A window's access to the network, what no text of its page may hold, and its waiting times. */
interface Surroundings {
  readonly gateway: Gateway;
  readonly secrets: Pick<Secrets, 'withoutPasswords'>;
  readonly limits: Limits;
}

/** Pieces of text of a page and its frames. */
const mostPieces = 50_000;

/** Dialogs whose messages are kept. */
const mostDialogs = 100;

/** A browser window with its own cookies and nothing on disk, logged out at first. */
export class Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Messages of browser dialogs so far; of a page that opens them for ever, the first. */
  readonly dialogs: string[] = [];
  /** Documents and data that the page asked its own origins for, in order. */
  readonly requests: { readonly method: string; readonly path: string; status?: number }[] = [];
  readonly gateway: Gateway;
  readonly limits: Limits;
  readonly #secrets: Surroundings['secrets'];
  /** The last answer that was a document of the main frame. */
  document: Response | undefined;
  /** Writes are blocked while something is pressed. */
  readsOnly = false;
  /** Name of a control whose request was blocked, since it may show something else than the key. */
  blockedReveal: string | undefined;
  /** Whether a log-in was sent. */
  loggedIn = false;
  /** Every request so far, as `GET https://…`, and WebSocket messages. */
  readonly sent: string[] = [];
  /** Accept `confirm` and `prompt` dialogs, while the action is pressed. */
  agrees = false;
  /** Requests under way, with the time at which they stop counting. */
  readonly #open = new Map<Request, number>();
  readonly #asked = new Map<Request, { status?: number }>();

  private constructor(
    context: BrowserContext,
    page: Page,
    { gateway, limits, secrets }: Surroundings,
    origins: readonly string[],
  ) {
    this.context = context;
    this.#secrets = secrets;
    this.gateway = gateway;
    this.limits = limits;
    this.page = page;
    page.on('dialog', (dialog) => void this.#answer(dialog));
    page.on('request', (request) => {
      if (!['document', 'xhr', 'fetch', 'script'].includes(request.resourceType())) return;
      const asked: Visit['requests'][number] = { method: request.method(), path: new URL(request.url()).pathname };
      this.#open.set(request, Date.now() + (isWrite(asked) ? limits.writeMs : limits.readMs));
      if (!origins.includes(new URL(request.url()).origin) || request.resourceType() === 'script') return;
      this.requests.push(asked);
      this.#asked.set(request, asked);
    });
    context.on('request', (request) => this.sent.push(`${request.method()} ${request.url()}`));
    page.on('websocket', (socket) => socket.on('framesent', () => this.sent.push(`MESSAGE ${socket.url()}`)));
    page.on('requestfinished', (request) => this.#open.delete(request));
    page.on('requestfailed', (request) => this.#open.delete(request));
    page.on('response', (response) => {
      const request = response.request();
      const asked = this.#asked.get(request);
      if (asked) asked.status = response.status();
      if (request.isNavigationRequest() && request.frame() === page.mainFrame()) this.document = response;
    });
  }

  static async open(browser: Browser, settings: KeyPageSettings, surroundings: Surroundings): Promise<Visit> {
    const { gateway, limits } = surroundings;
    const origins = ownOrigins(settings);
    const { username, password } = settings;
    const context = await browser.newContext({
      // The gateway ends the browser's TLS and verifies the servers.
      ignoreHTTPSErrors: true,
      proxy: { server: gateway.server, bypass: '<-loopback>' },
      acceptDownloads: false,
      serviceWorkers: 'block',
      locale: 'en-US',
      viewport: { width: 1280, height: 1000 },
      ...(username && password && settings.url.startsWith('https:')
        ? { httpCredentials: { username, password, origin: new URL(settings.url).origin } }
        : {}),
    });
    context.setDefaultTimeout(limits.otherMs);
    // These bypass proxies. The browser that the suite starts blocks them too.
    await context.addInitScript(() => {
      for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport'])
        Reflect.deleteProperty(globalThis, name);
    });
    await context.addInitScript(openShadowTrees);
    await context.addInitScript(notePassing, passingTexts);
    await context.addInitScript(noteCopied, copiedTexts);
    return new Visit(context, await context.newPage(), surroundings, origins);
  }

  async #answer(dialog: Dialog): Promise<void> {
    if (this.dialogs.length < mostDialogs) this.dialogs.push(dialog.message());
    const agreed = this.agrees || dialog.type() === 'alert' || dialog.type() === 'beforeunload';
    await (agreed
      ? dialog.accept(dialog.type() === 'prompt' ? 'access-conformance' : undefined)
      : dialog.dismiss()
    ).catch(() => {});
  }

  /**
   * Loads a URL anew, even if only its fragment differs from the current one.
   * @throws KeyPageTrouble if nothing answers
   */
  async load(url: string): Promise<void> {
    // For another fragment of the same document, a browser would only scroll.
    if (url.includes('#') && this.page.url() !== 'about:blank') await this.page.goto('about:blank');
    try {
      await this.page.goto(url, { waitUntil: 'domcontentloaded', timeout: this.limits.loadMs });
    } catch (error) {
      const { origin, pathname } = new URL(url);
      const text = String(error);
      const said = /Download is starting/.test(text)
        ? 'it is a file to download, not a page'
        : (/net::(\w+)/.exec(text)?.[1] ?? saidOfBrowser(error));
      const why = this.gateway.whyNotAt(origin) ?? `(${said}). Open it in a browser and see whether it comes to rest.`;
      throw new KeyPageTrouble(`${origin}${pathname} could not be loaded ${why}`);
    }
    await this.settle();
  }

  /** Waits until the page sends no more requests and reads the same twice. */
  async settle(): Promise<void> {
    const end = Date.now() + this.limits.settleMs;
    let before: string | undefined;
    let unreadable = false;
    while (Date.now() < end) {
      await pause(40);
      const now = Date.now();
      const busy = [...this.#open.values()].some((until) => now < until);
      const reading = busy
        ? undefined
        : await this.#within(end - now, this.#reading()).catch((error: unknown) => {
            unreadable = error instanceof KeyPageTrouble;
            return undefined;
          });
      // Whoever reads it next is told why.
      if (unreadable) return;
      const seen = reading && !reading.loading ? JSON.stringify(reading.pieces) : undefined;
      if (seen !== undefined && seen === before) return;
      before = seen;
    }
  }

  /**
   * The texts of the page and of its frames of the same origin. Passwords are replaced here: where
   * digits are normalised later, none would be recognised any more.
   */
  async read(): Promise<Piece[]> {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const reading = await this.#within(this.limits.otherMs, this.#reading()).catch((error: unknown) => {
        if (error instanceof KeyPageTrouble) throw error;
      });
      if (reading)
        return joinGroups([...reading.pieces, ...(await this.#passing())]).map((piece) => ({
          ...piece,
          text: this.#secrets.withoutPasswords(piece.text),
        }));
      await pause(200);
    }
    throw new KeyPageTrouble('The page could not be read: it keeps navigating.');
  }

  /**
   * The browser itself sets no limit to what is asked of a page.
   * @throws KeyPageTrouble when the page does not answer in time
   */
  async #within<T>(ms: number, work: Promise<T>): Promise<T> {
    const timer = new AbortController();
    const late = pause(ms, undefined, { signal: timer.signal }).then(() => {
      throw new KeyPageTrouble(
        `The page did not react for ${Math.round(ms / 1000)} s: a script of it keeps it busy. Open it in a browser and see whether it comes to rest.`,
      );
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      late.catch(() => {});
      timer.abort();
    }
  }

  /** Texts that buttons copied, and that the page showed before: placeholders may be among them. */
  async #passing(): Promise<Piece[]> {
    const noted = (kept: string): Promise<string[]> =>
      this.page
        .evaluate((name) => {
          const texts: unknown = Reflect.get(window, Symbol.for(name));
          return texts instanceof Set ? [...texts].map(String) : [];
        }, kept)
        .catch(() => []);
    const unseen = { visible: false, aside: false } as const;
    return [
      ...(await noted(passingTexts)).map((text) => ({ ...unseen, text, role: 'heading', passing: true }) as const),
      ...(await noted(copiedTexts)).map((text) => ({ ...unseen, text, role: 'attribute' }) as const),
    ];
  }

  async #reading(): Promise<PageContent> {
    const { loading, pieces, isCut } = await this.page.evaluate(readPage, mostPieces);
    let tooLong = isCut;
    const { origin } = new URL(this.page.url());
    for (const frame of this.page.frames()) {
      if (frame === this.page.mainFrame() || new URL(frame.url(), this.page.url()).origin !== origin) continue;
      const inner = await frame.evaluate(readPage, mostPieces);
      tooLong ||= inner.isCut || pieces.length + inner.pieces.length > mostPieces;
      if (tooLong) break;
      for (const piece of inner.pieces) pieces.push(piece);
    }
    if (tooLong)
      throw new KeyPageTrouble(
        'The page holds more text than a person reads, or writes more and more. Open it in a browser and see whether it comes to rest.',
      );
    return { loading, pieces, isCut };
  }

  async close(): Promise<void> {
    await this.context.close().catch(() => {});
  }
}
