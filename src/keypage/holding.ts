import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject, orUndefined } from '../collections.js';
import { isWrite } from './page-traffic.js';

/** Whether two hosts have the same last two labels, as an approximation of the same site. */
export const isSameSite = (one: string, other: string): boolean =>
  one === other || (/[a-z]/i.test(one) && one.split('.').slice(-2).join('.') === other.split('.').slice(-2).join('.'));

/** A GraphQL body with only queries: sent with POST, but a read. */
const onlyQueries = (body: string): boolean => {
  const asked = orUndefined(() => [JSON.parse(body) as unknown].flat()) ?? [];
  return (
    asked.length > 0 &&
    asked.every((one) => {
      const query = isObject(one) ? one.query : undefined;
      return typeof query === 'string' && !/\b(mutation|subscription)\b/.test(query);
    })
  );
};

/** Whether a request only asks for something. */
export const saysRead = (method: string, body: string | null): boolean =>
  !isWrite({ method }) || (body !== null && onlyQueries(body));

/** Frames are compared without numbers: what a page sends again and again has a counter. */
const habitOf = (frame: Buffer): string => frame.toString('latin1').replace(/\d+/g, '#');

const mostHabits = 1_000;

/** What is held of one window in the gateway: what its pages write as they are left, and frames. */
export class Holding {
  /** Whether writes and frames get no answer. */
  isOn = false;
  /** How many of those that were held the page may need to show everything. */
  count = 0;
  readonly #origins: readonly string[];
  readonly #unanswered: ServerResponse[] = [];

  /** @param origins those of the page: what is said to others shows nothing */
  constructor(origins: readonly string[]) {
    this.#origins = origins;
  }

  /** Lets out what comes from now on. What was held is lost. */
  end(): void {
    this.isOn = false;
    this.count = 0;
    // A browser sends again what finds its connection closed.
    for (const response of this.#unanswered.splice(0)) response.writeHead(204).end();
  }

  #isNeeded(origin: string): boolean {
    return this.#origins.some((own) => isSameSite(new URL(own).hostname, new URL(origin).hostname));
  }

  /** Whether a request is held. It gets no answer, since a page sends again what fails. */
  takes(request: IncomingMessage, response: ServerResponse, origin: string, body: Buffer | undefined): boolean {
    if (body && saysRead(request.method ?? '', body.toString())) return false;
    // Pages do not see answers to requests without CORS.
    if (request.headers['sec-fetch-mode'] !== 'no-cors' && this.#isNeeded(origin)) this.count += 1;
    this.#unanswered.push(response);
    return true;
  }

  /** For one WebSocket: whether a frame is held. What the page has said by itself before shows nothing. */
  framesTo(origin: string): (frame: Buffer) => boolean {
    const habits = new Set<string>();
    return (frame) => {
      const habit = habitOf(frame);
      if (!this.isOn) {
        if (habits.size < mostHabits) habits.add(habit);
        return false;
      }
      if (!habits.has(habit) && this.#isNeeded(origin)) this.count += 1;
      return true;
    };
  }
}
