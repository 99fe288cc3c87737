import { setTimeout as pause } from 'node:timers/promises';
import type { Page, Request, Response } from '@playwright/test';
import { rateLimitPause } from '../wire/retry.js';
import type { Limits } from './limits.js';

export const isWrite = ({ method }: { readonly method: string }): boolean => !/^(GET|HEAD|OPTIONS)$/.test(method);

/** Milliseconds that a window waits in all, where a server limits how often it may be asked. */
const mostLaterMs = 90_000;

/** A document or data that the page asked its own origins for. */
interface Asked {
  readonly method: string;
  readonly path: string;
  status?: number;
}

/** What a page sends, and how it is answered. */
export class PageTraffic {
  /** Documents and data that the page asked its own origins for, in order. */
  readonly requests: Asked[] = [];
  /** Every request so far, as `GET https://…`, and WebSocket messages. */
  readonly sent: string[] = [];
  /** The last answer that was a document of the main frame. */
  document: Response | undefined;
  readonly #page: Page;
  readonly #limits: Limits;
  /** Requests under way, with the time at which they stop counting. */
  readonly #open = new Map<Request, number>();
  readonly #asked = new Map<Request, Asked>();
  /** How often data was asked for since a document was: method and URL without its query. */
  readonly #reads = new Map<string, number>();
  /** Data of the page, by path, whose last answer was 429. */
  readonly #limited = new Map<string, Response>();
  #laterMs = mostLaterMs;

  /** @param origins those of the page itself */
  constructor(page: Page, limits: Limits, origins: readonly string[]) {
    this.#page = page;
    this.#limits = limits;
    page.on('request', (request) => this.#noteRequest(request, origins));
    page.context().on('request', (request) => this.sent.push(`${request.method()} ${request.url()}`));
    page.on('websocket', (socket) => socket.on('framesent', () => this.sent.push(`MESSAGE ${socket.url()}`)));
    page.on('requestfinished', (request) => this.#open.delete(request));
    page.on('requestfailed', (request) => this.#open.delete(request));
    page.on('response', (response) => this.#noteResponse(response));
  }

  #isMainDocument(request: Request): boolean {
    return request.isNavigationRequest() && request.frame() === this.#page.mainFrame();
  }

  #noteRequest(request: Request, origins: readonly string[]): void {
    if (!['document', 'xhr', 'fetch', 'script'].includes(request.resourceType())) return;
    const { origin, pathname: path } = new URL(request.url());
    const asked: Asked = { method: request.method(), path };
    const { writeMs, readMs } = this.#limits;
    if (!this.#isPoll(request)) this.#open.set(request, Date.now() + (isWrite(asked) ? writeMs : readMs));
    if (!origins.includes(origin) || request.resourceType() === 'script') return;
    this.requests.push(asked);
    this.#asked.set(request, asked);
  }

  /** Whether data is asked for again and again, which is no loading. */
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

  #noteResponse(response: Response): void {
    const request = response.request();
    const asked = this.#asked.get(request);
    if (this.#isMainDocument(request)) this.document = response;
    if (!asked) return;
    asked.status = response.status();
    if (asked.status === 429 && !request.isNavigationRequest()) this.#limited.set(asked.path, response);
    else this.#limited.delete(asked.path);
  }

  isBusy(now: number): boolean {
    return [...this.#open.values()].some((until) => now < until);
  }

  /** An answer that says to come back later, for data of the page. */
  get limited(): Response | undefined {
    return [...this.#limited.values()][0];
  }

  /**
   * Waits as long as an answer says, or longer each time, within what is left of the waiting time.
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
}
