import type { Sender } from './ask.js';
import type { Check, PlannedCheck } from './plan.js';

/** Rounds in which one check is judged again. */
const mostRounds = 10;

/** Which checks looked at exchanges that rest on a key which may have ended before. */
export class RestedOn {
  readonly #looked = new Map<Check, Set<string>>();
  readonly #again = new Set<Check>();
  readonly #rounds = new Map<Check, number>();
  readonly #lost = new Set<PlannedCheck>();

  /** A sender for one judgement, which takes note of what it looks at. */
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

  /** These exchanges are no evidence: what looked at them is judged again. */
  forget(ids: ReadonlySet<string>): void {
    for (const [check, looked] of this.#looked) {
      if (![...looked].some((id) => ids.has(id))) continue;
      if ((this.#rounds.get(check) ?? 0) < mostRounds) this.#again.add(check);
      else this.#lost.add(check);
    }
  }

  /** Whether a check was judged so often, and its evidence forgotten each time. */
  hasLost(check: PlannedCheck): boolean {
    return this.#lost.has(check);
  }

  /**
   * Checks to judge again, each told once. Where a key ended under some that were judged again
   * before, half of them: the fewer are judged with one key, the sooner they are confirmed.
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
