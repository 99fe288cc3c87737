import { setTimeout as pause } from 'node:timers/promises';
import type { Page, Request, Response } from '@playwright/test';
import { rateLimitPause } from '../../wire/retry.js';
import { isWrite } from '../gateway/holding.js';
import type { VisitLimits } from '../input.js';

/** Milliseconds that a window waits in all, where a server limits how often it may be asked. */
const mostLaterMs = 90_000;

/** A document or data that the page asked its own origins for. */
export interface PageRequest {
  readonly method: string;
  readonly path: string;
  status?: number;
}

/** Watches what a page sends, and how it is answered. */
export class PageTraffic {
  readonly #page: Page;
  readonly #limits: VisitLimits;
  readonly #origins: readonly string[];
  readonly #requests: PageRequest[] = [];
  readonly #sent: string[] = [];
  #document: Response | undefined;
  /** Requests under way, with the time at which they stop counting. */
  readonly #open = new Map<Request, number>();
  readonly #asked = new Map<Request, PageRequest>();
  /** Number of requests for data since the last document, by URL without query. */
  readonly #reads = new Map<string, number>();
  /** Data of the page, by path, whose last answer was 429. */
  readonly #limited = new Map<string, Response>();
  #laterMs = mostLaterMs;

  constructor(page: Page, limits: VisitLimits, origins: readonly string[]) {
    this.#page = page;
    this.#limits = limits;
    this.#origins = origins;
    page.on('request', (request) => this.#onRequest(request));
    page.context().on('request', (request) => this.#sent.push(`${request.method()} ${request.url()}`));
    page.on('websocket', (socket) => socket.on('framesent', () => this.#sent.push(`MESSAGE ${socket.url()}`)));
    page.on('requestfinished', (request) => this.#open.delete(request));
    page.on('requestfailed', (request) => this.#open.delete(request));
    page.on('response', (response) => this.#onResponse(response));
  }

  #onRequest(request: Request): void {
    if (!['document', 'xhr', 'fetch', 'script'].includes(request.resourceType())) return;
    const { origin, pathname: path } = new URL(request.url());
    const one: PageRequest = { method: request.method(), path };
    const { writeMs, readMs } = this.#limits;
    if (!this.#isPoll(request)) this.#open.set(request, Date.now() + (isWrite(one) ? writeMs : readMs));
    if (!this.#origins.includes(origin) || request.resourceType() === 'script') return;
    this.#requests.push(one);
    this.#asked.set(request, one);
  }

  #onResponse(response: Response): void {
    const request = response.request();
    const one = this.#asked.get(request);
    if (this.#isMainDocument(request)) this.#document = response;
    // A body that the page never reads never ends.
    const until = this.#open.get(request);
    if (until !== undefined && request.resourceType() === 'fetch')
      this.#open.set(request, Math.min(until, Date.now() + this.#limits.momentMs));
    if (!one) return;
    one.status = response.status();
    if (one.status === 429 && !request.isNavigationRequest()) this.#limited.set(one.path, response);
    else this.#limited.delete(one.path);
  }

  /** Documents and data that the page asked its own origins for, in order. */
  get requests(): readonly PageRequest[] {
    return this.#requests;
  }

  /** Every request so far, as `GET https://…`, and WebSocket messages. */
  get sent(): readonly string[] {
    return this.#sent;
  }

  /** The last answer that was a document of the main frame. */
  get document(): Response | undefined {
    return this.#document;
  }

  /** Waits no longer for a request that gets no answer. */
  forget(request: Request): void {
    void this.#open.delete(request);
  }

  isBusy(now: number): boolean {
    return [...this.#open.values()].some((until) => now < until);
  }

  /** An answer that says to come back later, for data of the page. */
  get limited(): Response | undefined {
    return [...this.#limited.values()][0];
  }

  /**
   * Waits as long as an answer says, or longer each time, within what is left of the waiting
   * time.
   * @returns whether it is worth another attempt
   */
  async waitAfter(response: Response, count: number): Promise<boolean> {
    const headers = (await response.headersArray()).map(({ name, value }) => [name, value] as const);
    const ms = rateLimitPause(headers, count);
    if (ms > this.#laterMs) return false;
    this.#laterMs -= ms;
    await pause(ms);
    return true;
  }

  #isMainDocument(request: Request): boolean {
    return request.isNavigationRequest() && request.frame() === this.#page.mainFrame();
  }

  /** Whether the page asks for the same data again and again. Such requests are not waited for. */
  #isPoll(request: Request): boolean {
    if (this.#isMainDocument(request)) {
      this.#reads.clear();
      this.#limited.clear();
    }
    if (!/^(xhr|fetch)$/.test(request.resourceType()) || isWrite({ method: request.method() })) return false;
    const name = request.url().replace(/\?.*/, '');
    const times = (this.#reads.get(name) ?? 0) + 1;
    this.#reads.set(name, times);
    return times > 2;
  }
}
