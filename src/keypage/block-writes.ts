import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { BrowserContext, Page, Request, Route } from '@playwright/test';
import { orUndefined } from '../collections.js';
import type { Door } from './gateway.js';
import { isSameSite, saysRead } from './holding.js';
import type { VisitLimits } from './input.js';
import type { PageTraffic } from './page-traffic.js';

interface WatchedPage {
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
export const blockWrites = ({ context, page, door, limits, traffic }: WatchedPage) => {
  const unanswered: Route[] = [];
  let isOn = false;
  let isRouted = false;
  let count = 0;
  /** Whether navigations of the page are suppressed, while something is pressed. */
  let stays = false;
  let origin = '';
  let blank = '';
  let stored: [string, string][][] | undefined;
  let windows: readonly Page[] = [];

  /** Whether the page may need a write to show everything. */
  const isNeeded = (request: Request): boolean =>
    isSameSite(new URL(request.url()).hostname, new URL(page.url()).hostname) &&
    /^(document|xhr|fetch)$/.test(request.resourceType());

  const take = async (route: Route): Promise<void> => {
    const request = route.request();
    if (!isOn) return route.fallback();
    if (request.url() === blank) return route.fulfill({ contentType: 'text/html', body: '' });
    // A window that is about to open has no frame yet.
    const frame = orUndefined(() => request.frame());
    const writes = !saysRead(request.method(), request.postData());
    const leaves = request.isNavigationRequest() && frame === page.mainFrame();
    if (writes && isNeeded(request)) count += 1;
    // A browser stays on the page when it gets 204.
    if (leaves && (stays || writes)) return route.fulfill({ status: 204 });
    // Other windows are cut off: a page may open one to write from it.
    if (frame?.page() !== page || (writes && request.resourceType() === 'ping')) return route.abort('blockedbyclient');
    if (!writes) return route.fallback();
    traffic.forget(request);
    unanswered.push(route);
  };

  const held = (): number => count + door.holding.count;

  /** Lets writes through. Held requests stay unanswered as long as their document is open. */
  const end = (): void => {
    [isOn, count] = [false, 0];
    door.holding.end();
  };

  return {
    get isOn(): boolean {
      return isOn;
    },
    /** Number of held writes and frames that the page may need to show everything. */
    get held(): number {
      return held();
    },
    set stays(value: boolean) {
      stays = value;
    },
    /** @param alsoFrames also holds what goes through WebSockets, or past the page's own window */
    start: async (alsoFrames: boolean): Promise<void> => {
      if (isOn) return;
      // The route is never removed: without it, the browser would send what is held.
      if (!isRouted) await context.route('**/*', take);
      [isRouted, isOn] = [true, true];
      ({ origin } = new URL(page.url()));
      door.holding.isOn = alsoFrames;
      windows = context.pages();
      stored = await page.evaluate(storedTexts).catch(() => undefined);
    },
    end,
    /**
     * @returns whether writes get through; not while something is held that a page may send again
     */
    endUnlessHeld: (): boolean => {
      if (held() === 0) end();
      return !isOn;
    },
    /**
     * Leaves the document, and restores the storage for the next one. What the document sends while
     * it closes is held too.
     */
    leave: async (): Promise<void> => {
      if (!isOn) return;
      blank = origin === 'null' ? 'about:blank' : `${origin}/${randomUUID()}`;
      await page.goto(blank, { timeout: limits.loadMs });
      const others = context.pages().filter((one) => !windows.includes(one));
      await Promise.all(others.map((one) => one.close().catch(() => {})));
      if (stored && unanswered.length + held() > 0) await page.evaluate(storeAgain, stored).catch(() => {});
      // Waits until the last requests of the document have reached the gateway.
      await pause(limits.momentMs / 4);
      for (const route of unanswered.splice(0)) await route.abort().catch(() => {});
      end();
    },
  };
};

export type WriteBlock = ReturnType<typeof blockWrites>;

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
