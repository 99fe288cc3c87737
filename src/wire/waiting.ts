/** A list of callers that wait to be woken. */
export class Waiting {
  readonly #wakers = new Set<() => void>();

  /**
   * Resolves when `wakeAll` is called, or after a time.
   * @param longest maximum time in milliseconds; unlimited when absent
   */
  wait(longest?: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#wakers.delete(wake);
        resolve();
      };
      const timer = longest === undefined ? undefined : setTimeout(wake, longest);
      this.#wakers.add(wake);
    });
  }

  wakeAll(): void {
    for (const wake of [...this.#wakers]) wake();
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
