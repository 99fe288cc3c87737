import { Silence } from './silence.js';
import type { Attempt, Probe, Wait } from './types.js';

interface SilenceCheckOptions {
  readonly timeoutMs: number;
  /** Sends a probe before all others, and gives its last attempt; none once the run is over. */
  readonly ask: (probe: Probe) => Promise<Attempt | undefined>;
  /** Called if the probe gets no answer either. */
  readonly onSilent: (message: string, since: number) => void;
}

/**
 * A service that ends or hangs during a run would hold up thousands of requests. So what it has
 * answered before is asked once more, and if that gets no answer either, the run is over.
 */
export class SilenceCheck {
  readonly #silence: Silence;
  readonly #options: SilenceCheckOptions;
  /** A request that the service has answered. */
  #heard: Probe | undefined;
  #isAsking = false;

  constructor(options: SilenceCheckOptions) {
    this.#silence = new Silence(options.timeoutMs);
    this.#options = options;
  }

  /** What holds requests up, if none is answered. */
  get wait(): Wait | undefined {
    return this.#silence.wait;
  }

  /**
   * @param isOpen whether there was a connection
   * @param canRepeat whether the probe may be sent again, to ask
   */
  note(probe: Probe, attempt: Attempt, isOpen: boolean, canRepeat: boolean): void {
    this.#silence.note(attempt, isOpen);
    if (attempt.response && canRepeat) this.#heard = probe;
    if (this.#silence.isLong) void this.ask();
  }

  async ask(): Promise<void> {
    if (!this.#heard || this.#isAsking) return;
    this.#isAsking = true;
    const { since } = this.#silence;
    const { error } = (await this.#options.ask(this.#heard)) ?? {};
    if (error && error.code !== 'aborted') this.#options.onSilent(error.message, since);
    this.#isAsking = false;
  }
}
