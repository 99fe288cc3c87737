import { setTimeout as pause } from 'node:timers/promises';
import type { Page, Request, Response } from '@playwright/test';
import { rateLimitPause } from '../wire/retry.js';
import type { VisitLimits } from './input.js';

export const isWrite = ({ method }: { readonly method: string }): boolean => !/^(GET|HEAD|OPTIONS)$/.test(method);

/** Milliseconds that a window waits in all, where a server limits how often it may be asked. */
const mostLaterMs = 90_000;

/** A document or data that the page asked its own origins for. */
export interface PageRequest {
  readonly method: string;
  readonly path: string;
  status?: number;
}

/** Watches what a page sends, and how it is answered. */
export const watchTraffic = (page: Page, limits: VisitLimits, origins: readonly string[]) => {
  const requests: PageRequest[] = [];
  const sent: string[] = [];
  let document: Response | undefined;
  /** Requests under way, with the time at which they stop counting. */
  const open = new Map<Request, number>();
  const asked = new Map<Request, PageRequest>();
  /** Number of requests for data since the last document, by URL without query. */
  const reads = new Map<string, number>();
  /** Data of the page, by path, whose last answer was 429. */
  const limited = new Map<string, Response>();
  let laterMs = mostLaterMs;

  const isMainDocument = (request: Request): boolean =>
    request.isNavigationRequest() && request.frame() === page.mainFrame();

  /** Whether the page asks for the same data again and again. Such requests are not waited for. */
  const isPoll = (request: Request): boolean => {
    if (isMainDocument(request)) {
      reads.clear();
      limited.clear();
    }
    if (!/^(xhr|fetch)$/.test(request.resourceType()) || isWrite({ method: request.method() })) return false;
    const name = request.url().replace(/\?.*/, '');
    const times = (reads.get(name) ?? 0) + 1;
    reads.set(name, times);
    return times > 2;
  };

  page.on('request', (request) => {
    if (!['document', 'xhr', 'fetch', 'script'].includes(request.resourceType())) return;
    const { origin, pathname: path } = new URL(request.url());
    const one: PageRequest = { method: request.method(), path };
    if (!isPoll(request)) open.set(request, Date.now() + (isWrite(one) ? limits.writeMs : limits.readMs));
    if (!origins.includes(origin) || request.resourceType() === 'script') return;
    requests.push(one);
    asked.set(request, one);
  });
  page.context().on('request', (request) => sent.push(`${request.method()} ${request.url()}`));
  page.on('websocket', (socket) => socket.on('framesent', () => sent.push(`MESSAGE ${socket.url()}`)));
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  page.on('response', (response) => {
    const request = response.request();
    const one = asked.get(request);
    if (isMainDocument(request)) document = response;
    // A body that the page never reads never ends.
    const until = open.get(request);
    if (until !== undefined && request.resourceType() === 'fetch')
      open.set(request, Math.min(until, Date.now() + limits.momentMs));
    if (!one) return;
    one.status = response.status();
    if (one.status === 429 && !request.isNavigationRequest()) limited.set(one.path, response);
    else limited.delete(one.path);
  });

  return {
    /** Documents and data that the page asked its own origins for, in order. */
    requests: requests as readonly PageRequest[],
    /** Every request so far, as `GET https://…`, and WebSocket messages. */
    sent: sent as readonly string[],
    /** The last answer that was a document of the main frame. */
    get document(): Response | undefined {
      return document;
    },
    /** Waits no longer for a request that gets no answer. */
    forget: (request: Request): void => void open.delete(request),
    isBusy: (now: number): boolean => [...open.values()].some((until) => now < until),
    /** An answer that says to come back later, for data of the page. */
    get limited(): Response | undefined {
      return [...limited.values()][0];
    },
    /**
     * Waits as long as an answer says, or longer each time, within what is left of the waiting
     * time.
     * @returns whether it is worth another attempt
     */
    waitAfter: async (response: Response, count: number): Promise<boolean> => {
      const headers = (await response.headersArray()).map(({ name, value }) => [name, value] as const);
      const ms = rateLimitPause(headers, count);
      if (ms > laterMs) return false;
      laterMs -= ms;
      await pause(ms);
      return true;
    },
  };
};

export type PageTraffic = ReturnType<typeof watchTraffic>;
