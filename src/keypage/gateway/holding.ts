import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject, orUndefined } from '../../collections.js';

export const isWrite = ({ method }: { readonly method: string }): boolean => !/^(GET|HEAD|OPTIONS)$/.test(method);

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

/** Whether a request only reads. */
export const saysRead = (method: string, body: string | null): boolean =>
  !isWrite({ method }) || (body !== null && onlyQueries(body));

/** Compares frames without numbers, since repeated ones may contain a counter. */
const habitOf = (frame: Buffer): string => frame.toString('latin1').replace(/\d+/g, '#');

const mostHabits = 1_000;

/** Holds, at the gateway, WebSocket frames of one window and what its pages send as they close. */
export class Holding {
  /** Whether writes and frames get no answer. */
  isOn = false;
  /** Number of held writes and frames that the page may need to show everything. */
  count = 0;
  readonly #origins: readonly string[];
  readonly #unanswered: ServerResponse[] = [];

  /** @param origins the page's own: what is sent to others does not change what it shows */
  constructor(origins: readonly string[]) {
    this.#origins = origins;
  }

  /** Lets further requests through. Held requests are lost. */
  end(): void {
    this.isOn = false;
    this.count = 0;
    // A browser repeats a request whose connection is closed.
    for (const response of this.#unanswered.splice(0)) response.writeHead(204).end();
  }

  #isNeeded(origin: string): boolean {
    return this.#origins.some((own) => isSameSite(new URL(own).hostname, new URL(origin).hostname));
  }

  /** Whether a request is held. It gets no answer, since a page repeats what fails. */
  takes(request: IncomingMessage, response: ServerResponse, origin: string, body: Buffer | undefined): boolean {
    if (body && saysRead(request.method ?? '', body.toString())) return false;
    // Pages do not see answers to requests without CORS.
    if (request.headers['sec-fetch-mode'] !== 'no-cors' && this.#isNeeded(origin)) this.count += 1;
    this.#unanswered.push(response);
    return true;
  }

  /**
   * Tells for one WebSocket whether a frame is held. A frame that the page also sent before does
   * not count as needed.
   */
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
