import { isAction } from './action.js';
import type { Candidate } from './candidates.js';
import { type Control, controlsOf, identified } from './controls.js';
import { withoutWrites } from './holding.js';
import { click } from './login.js';
import type { Piece } from './read-page.js';
import { keysOn } from './shown-key.js';
import type { Visit } from './visit.js';
import type { Walking } from './walking.js';

/** The page at one moment: as it was loaded, or with one more part unfolded. */
export interface View {
  readonly pieces: readonly Piece[];
  readonly candidates: readonly Candidate[];
}

/** At most so many parts of a page are unfolded: a list of questions and answers may have hundreds. */
const mostParts = 30;

export const viewOf = async (visit: Visit, { settings }: Pick<Walking, 'settings'>): Promise<View> => {
  const pieces = await visit.read();
  return { pieces, candidates: await keysOn(visit, pieces, settings.keySelector) };
};

/** Several views as one: what was to be seen in any of them. */
export const together = (views: readonly View[]): View => {
  const best = new Map<string, Candidate>();
  for (const { value, visible, score } of views.flatMap(({ candidates }) => candidates)) {
    const known = best.get(value);
    best.set(value, {
      value,
      visible: visible || (known?.visible ?? false),
      score: Math.max(score, known?.score ?? Number.NEGATIVE_INFINITY),
    });
  }
  return {
    pieces: views.flatMap(({ pieces }) => pieces),
    candidates: [...best.values()].sort((one, other) => other.score - one.score),
  };
};

/** Unfolds the parts of a page, each once, and remembers which. Presses nothing that may be the action. */
export class Unfolding {
  readonly views: View[] = [];
  /** What was folded away could be seen, as far as it is known. */
  whole = true;
  readonly #visit: Visit;
  readonly #walking: Walking;
  readonly #pressed = new Set<string>();

  constructor(visit: Visit, walking: Walking) {
    this.#visit = visit;
    this.#walking = walking;
  }

  /** Something was pressed, so that the page is no longer as it was loaded. */
  get began(): boolean {
    return this.#pressed.size > 0;
  }

  /** Controls that were not pressed yet. */
  async #left(): Promise<(readonly [id: string, control: Control])[]> {
    const { action } = this.#walking.settings;
    return identified(await controlsOf(this.#visit)).filter(([id, control]) => {
      const folds =
        control.opens === 'surely' ||
        (control.opens === 'likely' && control.by === 'script' && !isAction(control, action));
      const usable = control.visible && control.enabled && !control.selected && !control.aside;
      return folds && usable && !this.#pressed.has(id);
    });
  }

  /** Unfolds what is there to unfold by now, and adds a view of the page for each part. Returns whether there was anything. */
  async further(): Promise<boolean> {
    let [next] = await this.#left();
    if (!next) return false;
    const { held } = await withoutWrites(this.#visit, async () => {
      for (; next && this.#pressed.size < mostParts; [next] = await this.#left()) {
        const [id, control] = next;
        this.#pressed.add(id);
        await this.#press(control);
      }
    });
    if (held > 0 || next) this.whole = false;
    return true;
  }

  async #press(control: Control): Promise<void> {
    try {
      await click(this.#visit, await control.element());
    } catch {
      return; // Gone since it was listed: another one was unfolded.
    }
    await this.#visit.settle();
    this.views.push(await viewOf(this.#visit, this.#walking));
    // A dialog lies before everything else; one in which there is more to unfold stays open for that.
    const open = (await controlsOf(this.#visit)).some(({ inDialog, visible }) => inDialog && visible);
    if (open && !(await this.#left()).some(([, { inDialog }]) => inDialog)) {
      await this.#visit.page.keyboard.press('Escape');
      await this.#visit.settle();
    }
  }
}
