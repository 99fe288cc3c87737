import type { Attempt, Wait } from './types.js';

/** Notes since when requests time out and none is answered. */
export class Silence {
  readonly #timeoutMs: number;
  #since: number | undefined;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  note({ response, error, timing }: Attempt): void {
    if (response) this.#since = undefined;
    else if (error?.code.endsWith('-timeout')) this.#since ??= performance.now() - timing.total;
  }

  get wait(): Wait | undefined {
    if (this.#since === undefined) return undefined;
    return { kind: 'no-answer', forMs: performance.now() - this.#since, timeoutMs: this.#timeoutMs };
  }
}
