import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { BrowserContext, Page, Request, Route } from '@playwright/test';
import { orUndefined } from '../../collections.js';
import type { Door } from '../gateway/gateway.js';
import { isSameSite, saysRead } from '../gateway/holding.js';
import type { VisitLimits } from '../input.js';
import type { PageTraffic } from './page-traffic.js';

export interface WatchedPage {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly door: Door;
  readonly limits: VisitLimits;
  readonly traffic: Pick<PageTraffic, 'forget'>;
}

/**
 * The page's local and session storage, where it may keep writes for later. Runs inside the page.
 */
const storedTexts = (): [string, string][][] => [localStorage, sessionStorage].map((store) => Object.entries(store));

/** Restores that storage. Runs inside a page of the same origin. */
const storeAgain = (texts: readonly (readonly [string, string][])[]): void => {
  for (const [at, store] of [localStorage, sessionStorage].entries()) {
    store.clear();
    for (const [name, text] of texts[at] ?? []) store.setItem(name, text);
  }
};

/**
 * Holds the page's writes, from the first press that only explores until the document is left,
 * since a timer may write later. Held requests get no answer, because a page repeats what fails.
 */
export class WriteBlock {
  readonly #watched: WatchedPage;
  readonly #unanswered: Route[] = [];
  #isOn = false;
  #isRouted = false;
  #count = 0;
  /** Whether navigations of the page are suppressed, while something is pressed. */
  #stays = false;
  #origin = '';
  #blank = '';
  #stored: [string, string][][] | undefined;
  #windows: readonly Page[] = [];

  constructor(watched: WatchedPage) {
    this.#watched = watched;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** Number of held writes and frames that the page may need to show everything. */
  get held(): number {
    return this.#count + this.#watched.door.holding.count;
  }

  set stays(value: boolean) {
    this.#stays = value;
  }

  /** @param alsoFrames also holds what goes through WebSockets, or past the page's own window */
  async start(alsoFrames: boolean): Promise<void> {
    if (this.#isOn) return;
    const { context, page, door } = this.#watched;
    // The route is never removed: without it, the browser would send what is held.
    if (!this.#isRouted) await context.route('**/*', (route) => this.#take(route));
    [this.#isRouted, this.#isOn] = [true, true];
    this.#origin = new URL(page.url()).origin;
    door.holding.isOn = alsoFrames;
    this.#windows = context.pages();
    this.#stored = await page.evaluate(storedTexts).catch(() => undefined);
  }

  /** Lets writes through. Held requests stay unanswered as long as their document is open. */
  end(): void {
    [this.#isOn, this.#count] = [false, 0];
    this.#watched.door.holding.end();
  }

  /**
   * @returns whether writes get through; not while something is held that a page may send again
   */
  endUnlessHeld(): boolean {
    if (this.held === 0) this.end();
    return !this.#isOn;
  }

  /**
   * Leaves the document, and restores the storage for the next one. What the document sends while
   * it closes is held too.
   */
  async leave(): Promise<void> {
    if (!this.#isOn) return;
    const { context, page, limits } = this.#watched;
    this.#blank = this.#origin === 'null' ? 'about:blank' : `${this.#origin}/${randomUUID()}`;
    await page.goto(this.#blank, { timeout: limits.loadMs });
    const others = context.pages().filter((one) => !this.#windows.includes(one));
    await Promise.all(others.map((one) => one.close().catch(() => {})));
    if (this.#stored && this.#unanswered.length + this.held > 0)
      await page.evaluate(storeAgain, this.#stored).catch(() => {});
    // Waits until the last requests of the document have reached the gateway.
    await pause(limits.momentMs / 4);
    for (const route of this.#unanswered.splice(0)) await route.abort().catch(() => {});
    this.end();
  }

  async #take(route: Route): Promise<void> {
    const request = route.request();
    const { page, traffic } = this.#watched;
    if (!this.#isOn) return route.fallback();
    if (request.url() === this.#blank) return route.fulfill({ contentType: 'text/html', body: '' });
    // A window that is about to open has no frame yet.
    const frame = orUndefined(() => request.frame());
    const writes = !saysRead(request.method(), request.postData());
    const leaves = request.isNavigationRequest() && frame === page.mainFrame();
    if (writes && this.#isNeeded(request)) this.#count += 1;
    // A browser stays on the page when it gets 204.
    if (leaves && (this.#stays || writes)) return route.fulfill({ status: 204 });
    // Other windows are cut off: a page may open one to write from it.
    if (frame?.page() !== page || (writes && request.resourceType() === 'ping')) return route.abort('blockedbyclient');
    if (!writes) return route.fallback();
    traffic.forget(request);
    this.#unanswered.push(route);
  }

  /** Whether the page may need a write to show everything. */
  #isNeeded(request: Request): boolean {
    return (
      isSameSite(new URL(request.url()).hostname, new URL(this.#watched.page.url()).hostname) &&
      /^(document|xhr|fetch)$/.test(request.resourceType())
    );
  }
}

interface ExploringVisit {
  explores: boolean;
  readonly writes: WriteBlock;
}

const stayingHere = async (visit: ExploringVisit, part: () => Promise<void>, mayLeave = false): Promise<void> => {
  [visit.explores, visit.writes.stays] = [true, !mayLeave];
  try {
    await part();
  } finally {
    [visit.explores, visit.writes.stays] = [false, false];
  }
};

/**
 * Presses what may show more, with writes held until the page is loaded anew.
 * @returns `held`: the number of held writes and frames that the page may need to show everything
 */
export const exploring = async (
  visit: ExploringVisit,
  part: () => Promise<void>,
): Promise<{ readonly held: number }> => {
  await visit.writes.start(true);
  const before = visit.writes.held;
  await stayingHere(visit, part);
  return { held: visit.writes.held - before };
};

/**
 * Runs a part of the visit with writes held. The page is used further without loading it again.
 * @param mayLeave the page may navigate, and its WebSockets are free: nobody is logged in
 */
export const withoutWrites = async (
  visit: ExploringVisit,
  part: () => Promise<void>,
  { mayLeave = false } = {},
): Promise<{ readonly held: number }> => {
  const wasOn = visit.writes.isOn;
  await visit.writes.start(!mayLeave);
  const before = visit.writes.held;
  try {
    await stayingHere(visit, part, mayLeave);
    return { held: visit.writes.held - before };
  } finally {
    if (!wasOn) visit.writes.end();
  }
};
