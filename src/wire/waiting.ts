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
