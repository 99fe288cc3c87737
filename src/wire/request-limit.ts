import type { Wire } from './types.js';

/** Counts requests, and says why no further one is sent. */
export class RequestLimit {
  #left: number;
  #over: Wire['over'];

  /** @param most number of requests, including retries */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.#left = most;
  }

  get over(): Wire['over'] {
    return this.#over;
  }

  /** Takes one request from the limit. */
  take(): Wire['over'] {
    if (this.#left <= 0)
      this.end({ why: 'max-requests', message: 'as many requests were sent as MAX_REQUESTS allows' });
    if (!this.#over) this.#left -= 1;
    return this.#over;
  }

  /** Sends no further request. The first reason stays. */
  end(why: NonNullable<Wire['over']>): void {
    this.#over ??= why;
  }
}
