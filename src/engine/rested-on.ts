import type { Sender } from './ask.js';
import type { Check, PlannedCheck } from './plan.js';

/** Maximum number of times that a check is judged again. */
const mostRounds = 10;

/** Tracks which checks looked at exchanges whose key may have ended before the answer. */
export class RestedOn {
  readonly #looked = new Map<Check, Set<string>>();
  readonly #again = new Set<Check>();
  readonly #rounds = new Map<Check, number>();
  readonly #lost = new Set<PlannedCheck>();

  /**
   * Wraps the sender of one judgement, and records which unconfirmed exchanges it looks up.
   * @param isOpen whether the key of an exchange is unconfirmed
   */
  noting(check: Check, sender: Sender, isOpen: (id: string) => boolean): Sender {
    const looked = new Set<string>();
    this.#looked.set(check, looked);
    return {
      get: (id) => {
        if (isOpen(id)) looked.add(id);
        return sender.get(id);
      },
      send: (series, ahead) => sender.send(series, ahead),
    };
  }

  /** Schedules the checks that looked up any of these exchanges to be judged again. */
  forget(ids: ReadonlySet<string>): void {
    for (const [check, looked] of this.#looked) {
      if (![...looked].some((id) => ids.has(id))) continue;
      if ((this.#rounds.get(check) ?? 0) < mostRounds) this.#again.add(check);
      else this.#lost.add(check);
    }
  }

  /** Whether the evidence of a check was discarded in each of the allowed rounds. */
  hasLost(check: PlannedCheck): boolean {
    return this.#lost.has(check);
  }

  /**
   * Removes and returns the checks to judge again. If some were judged again before, returns only
   * half: with fewer checks per key, the key is more likely to last until they are confirmed.
   */
  take(): readonly Check[] {
    const all = [...this.#again];
    const isInVain = all.some((check) => this.#rounds.has(check));
    const again = isInVain ? all.slice(0, Math.ceil(all.length / 2)) : all;
    for (const check of again) {
      this.#again.delete(check);
      this.#rounds.set(check, (this.#rounds.get(check) ?? 0) + 1);
    }
    return again;
  }
}
