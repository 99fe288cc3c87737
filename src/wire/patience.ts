import type { HeaderPair } from './types.js';

/** What a server may wait for: the rest of the request, or messages of another protocol. */
const mayWait = /^(?:upgrade|expect)$/i;

/** The names of fields for which a server may leave a request without an answer. */
export const waitingFields = (headers: readonly HeaderPair[]): readonly string[] =>
  headers.map(([name]) => name.toLowerCase()).filter((name) => mayWait.test(name));

/** How much sooner a wait ends that is known to be in vain. */
const sooner = 10;
/** It is still this many times as long as the longest answer: less would show only slowness. */
const answers = 2;

const withoutQuery = (target: string): string => target.split('?', 1)[0] ?? target;

/**
 * Milliseconds for answers. A stream of events has no end, and some servers answer no request with
 * Upgrade or Expect. Each is waited for in full once: per path, and per field.
 */
export class Patience {
  readonly #timeoutMs: number;
  readonly #endlessPaths = new Set<string>();
  readonly #unansweredFields = new Set<string>();
  #longestMs = 0;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  noteAnswered(totalMs: number): void {
    this.#longestMs = Math.max(this.#longestMs, totalMs);
  }

  noteEndless(target: string): void {
    this.#endlessPaths.add(withoutQuery(target));
  }

  noteUnanswered(headers: readonly HeaderPair[]): void {
    for (const name of waitingFields(headers)) this.#unansweredFields.add(name);
  }

  forBody(target: string): number {
    return this.#endlessPaths.has(withoutQuery(target)) ? this.#timeoutMs / sooner : this.#timeoutMs;
  }

  forHead(headers: readonly HeaderPair[]): number {
    const isVain =
      this.#unansweredFields.size > 0 && waitingFields(headers).some((name) => this.#unansweredFields.has(name));
    return isVain
      ? Math.min(this.#timeoutMs, Math.max(this.#timeoutMs / sooner, answers * this.#longestMs))
      : this.#timeoutMs;
  }
}
