import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, BrowserContext, Dialog, Page, Response } from '@playwright/test';
import type { Gateway } from '../gateway/gateway.js';
import type { Secrets } from '../gateway/secrets.js';
import {
  anyText,
  type KeyPageSettings,
  KeyPageTrouble,
  ownOrigins,
  type Progress,
  type VisitLimits,
} from '../input.js';
import type { Piece } from '../reading/read-page.js';
import { type WatchedPage, WriteBlock } from './block-writes.js';
import { saidOfBrowser } from './browser.js';
import { copiedTexts, noteCopied, notePassing, pageReader, passingTexts, within } from './page-reader.js';
import { PageTraffic } from './page-traffic.js';

/** Opens closed shadow trees, which a user sees too. Runs in the page before its scripts. */
const openShadowTrees = (): void => {
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) {
    return attach.call(this, { ...options, mode: 'open' });
  };
  for (const { prototype } of [Element, ShadowRoot]) {
    const set = prototype.setHTMLUnsafe;
    prototype.setHTMLUnsafe = function (html) {
      // A policy may ask for an object in place of a text.
      const isText = typeof html === 'string';
      set.call(this, isText ? html.replace(/(shadowrootmode\s*=\s*["']?)closed/gi, '$1open') : html);
    };
  }
};

export const samePage = (one: string, other: string): boolean => {
  const [a, b] = [new URL(one), new URL(other)];
  return a.origin === b.origin && a.pathname === b.pathname;
};

type VisitSecrets = Pick<Secrets, 'withoutPasswords' | 'markTyped'>;

/** A window's access to the network, what no text of its page may hold, and its waiting times. */
interface Surroundings {
  readonly gateway: Gateway;
  readonly secrets: VisitSecrets;
  readonly limits: VisitLimits;
  readonly progress: Progress;
}

/** Dialogs whose messages are kept. */
const mostDialogs = 100;

/** A browser window with its own cookies and nothing on disk, logged out at first. */
export class Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Messages of browser dialogs so far. If a page opens them endlessly, only the first ones. */
  readonly dialogs: string[] = [];
  /** What dialogs say without a question, and that a file came. Files are not read. */
  readonly notices: string[] = [];
  readonly traffic: PageTraffic;
  /** The document that was scrolled through. */
  #scrolled: Response | undefined;
  readonly gateway: Gateway;
  readonly secrets: VisitSecrets;
  readonly writes: WriteBlock;
  readonly limits: VisitLimits;
  readonly #reader: ReturnType<typeof pageReader>;
  readonly #progress: Progress;
  /** Writes are held while something is pressed. */
  readsOnly = false;
  /** Name of a control whose request was blocked, since it may show something else than the key. */
  blockedReveal: string | undefined;
  /** Whether a log-in was sent. */
  loggedIn = false;
  /**
   * Accept `confirm` and `prompt` dialogs after the press of the action, but none that the page
   * opened by itself.
   */
  agrees = false;
  /** Something is pressed with writes held. Dialogs of the page are about that press. */
  explores = false;
  /** A dialog that asked for a text was given one. */
  hasEntered = false;
  readonly #asked = new Set<string>();
  /** Number of dialogs before the page was loaded. */
  #dialogsBefore = 0;

  private constructor(
    { gateway, limits, secrets, progress }: Surroundings,
    { context, page, door }: Pick<WatchedPage, 'context' | 'page' | 'door'>,
    origins: readonly string[],
  ) {
    this.context = context;
    this.#reader = pageReader(page, secrets, limits);
    this.#progress = progress;
    this.gateway = gateway;
    this.secrets = secrets;
    this.limits = limits;
    this.page = page;
    page.on('dialog', (dialog) => void this.#answer(dialog));
    page.on('download', () => this.notices.push('(a file to download)'));
    this.traffic = new PageTraffic(page, limits, origins);
    this.writes = new WriteBlock({ context, page, door, limits, traffic: this.traffic });
  }

  /** The last answer that was a document of the main frame. */
  get document(): Response | undefined {
    return this.traffic.document;
  }

  static async open(browser: Browser, settings: KeyPageSettings, surroundings: Surroundings): Promise<Visit> {
    const { gateway, limits } = surroundings;
    const origins = ownOrigins(settings);
    const { username, password } = settings;
    const door = await gateway.openDoor();
    const context = await browser.newContext({
      // The gateway ends the browser's TLS and verifies the servers.
      ignoreHTTPSErrors: true,
      proxy: { server: door.server, bypass: '<-loopback>' },
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
    return new Visit(surroundings, { context, page: await context.newPage(), door }, origins);
  }

  async #answer(dialog: Dialog): Promise<void> {
    const message = dialog.message();
    // A default value may be a key to copy.
    const text = `${message} ${dialog.defaultValue()}`.trim();
    const isNotice = dialog.type() === 'alert' || dialog.defaultValue() !== '';
    if (isNotice && this.dialogs.length < mostDialogs) this.notices.push(text);
    if (this.dialogs.length < mostDialogs) this.dialogs.push(text);
    const question = message.replace(/\d+/g, '#');
    if (!this.agrees && !this.explores) this.#asked.add(question);
    const isAbout = this.agrees && !this.#asked.has(question);
    const agreed = isAbout || dialog.type() === 'alert' || dialog.type() === 'beforeunload';
    if (agreed && dialog.type() === 'prompt') this.hasEntered = true;
    await (agreed ? dialog.accept(dialog.type() === 'prompt' ? anyText : undefined) : dialog.dismiss()).catch(() => {});
  }

  /**
   * Loads a URL anew, even if only its fragment differs from the current one. Where the server
   * limits how often it may be asked, the page is loaded again later.
   * @throws KeyPageTrouble if nothing answers, or only a limit or a gateway does
   */
  async load(url: string): Promise<void> {
    for (let count = 1; ; count += 1) {
      await this.#loadOnce(url);
      const page = [429, 502, 503, 504].includes(this.document?.status() ?? 0) ? this.document : undefined;
      const later = page ?? this.traffic.limited;
      if (later === undefined) return;
      if (await this.traffic.waitAfter(later, count)) continue;
      if (page === undefined) return;
      const { origin, pathname } = new URL(url);
      const said = page.status() === 429 ? 'it limits how often it may be asked' : 'it does not work at the moment';
      throw new KeyPageTrouble(`${origin}${pathname} answers ${page.status()}: ${said}. Run this again later.`);
    }
  }

  /**
   * Moves the mouse off the page. Some browsers tell the next document what it stands over, which
   * may show a key there, and only by chance.
   */
  moveMouseOff(): Promise<void> {
    return within(this.limits.momentMs, this.page.mouse.move(-1, -1)).catch(() => {});
  }

  async #loadOnce(url: string): Promise<void> {
    this.#dialogsBefore = this.dialogs.length;
    try {
      await this.writes.leave();
      await this.moveMouseOff();
      // For another fragment of the same document, a browser would only scroll.
      if (url.includes('#') && this.page.url() !== 'about:blank') await this.page.goto('about:blank');
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

  /**
   * Scrolls down and up again, as a person does: some parts are loaded only then.
   * @returns whether there is more than a window shows at once
   */
  async #scrollThrough(): Promise<boolean> {
    const scroll = this.page.evaluate(async () => {
      const { scrollHeight } = document.documentElement;
      if (scrollHeight <= innerHeight) return false;
      for (let top = 0; top < scrollHeight; top += innerHeight) {
        scrollTo({ top, behavior: 'instant' });
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      scrollTo({ top: 0, behavior: 'instant' });
      return true;
    });
    // An endless or busy page is read as far as it was loaded.
    return within(this.limits.momentMs * 2, scroll).catch(() => false);
  }

  /** Waits until the page is at rest. A new document is scrolled through. */
  async settle(): Promise<void> {
    await this.#rest();
    if (this.document === this.#scrolled) return;
    this.#scrolled = this.document;
    if (await this.#scrollThrough()) await this.#rest();
  }

  /**
   * Waits until the page sends no more requests and reads the same twice, except for numbers. A
   * visit has one budget for pages that keep changing.
   */
  async #rest(): Promise<void> {
    const { momentMs, quietMs, settleMs } = this.limits;
    const started = Date.now();
    const end = started + Math.max(momentMs, Math.min(settleMs, this.#progress.restlessMs));
    let quietSince = started;
    let before: string | undefined;
    for (let now = started; now < Math.min(end, quietSince + quietMs); now = Date.now()) {
      await pause(40);
      if (this.traffic.isBusy(now)) {
        quietSince = now;
        before = undefined;
        continue;
      }
      let unreadable = false;
      const reading = await within(end - now, this.#reader.content()).catch((error: unknown) => {
        unreadable = error instanceof KeyPageTrouble;
        return undefined;
      });
      // The next read throws the error.
      if (unreadable) return;
      const seen = reading && !reading.loading ? JSON.stringify(reading.pieces).replace(/\d+/g, '#') : undefined;
      if (seen !== undefined && seen === before) return;
      before = seen;
    }
    this.#progress.restlessMs -= Date.now() - started;
  }

  /**
   * The texts of the page, of its frames of the same origin, and of dialogs since it was loaded.
   */
  read(): Promise<Piece[]> {
    return this.#reader.read(this.dialogs.slice(this.#dialogsBefore));
  }

  async close(): Promise<void> {
    await this.context.close().catch(() => {});
  }
}
