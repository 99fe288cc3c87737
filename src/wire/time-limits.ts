import type { HeaderPair } from './types.js';

/** How long answers are waited for. */

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

/** Number of timers that make up a deadline. */
const steps = 4;

/**
 * Calls `late` after `milliseconds`. The deadline is for the peer: a pause of this process counts
 * as one step, however long, and data that arrived meanwhile is read first.
 * @returns a function that cancels the deadline
 */
export const deadline = (milliseconds: number, late: () => void): (() => void) => {
  let left = steps;
  let timer: NodeJS.Timeout;
  let last: NodeJS.Immediate | undefined;
  const wait = (): void => {
    timer = setTimeout(
      () => {
        left -= 1;
        if (left > 0) wait();
        // Timers run before I/O events; `setImmediate` runs after them.
        else last = setImmediate(late);
      },
      Math.ceil(milliseconds / steps),
    );
  };
  wait();
  return () => {
    clearTimeout(timer);
    clearImmediate(last);
  };
};

/** The deadline of a request in flight. */
export interface Turn {
  /** The request was answered: its time is over, and that of later ones begins anew. */
  answered(): void;
  cancel(): void;
}

/**
 * Deadlines of the requests in flight, in the order in which they were sent. A server may answer
 * one after the other, for example while it hashes each key. So the time of a request begins anew
 * with each answer to an earlier one, and a server that answers is not left before its turn.
 */
export class Turns {
  readonly #waiting = new Set<{ hasMoved: boolean }>();

  /** Calls `late` after `milliseconds`, at most twice as many, without such an answer. */
  start(milliseconds: number, late: () => void): Turn {
    const turn = { hasMoved: false };
    let cancelDeadline: () => void;
    const wait = (): void => {
      turn.hasMoved = false;
      cancelDeadline = deadline(milliseconds, () => (turn.hasMoved ? wait() : late()));
    };
    wait();
    this.#waiting.add(turn);
    const cancel = (): void => {
      cancelDeadline();
      this.#waiting.delete(turn);
    };
    const answered = (): void => {
      let isLater = false;
      for (const each of this.#waiting) {
        each.hasMoved ||= isLater;
        isLater ||= each === turn;
      }
      cancel();
    };
    return { answered, cancel };
  }
}
