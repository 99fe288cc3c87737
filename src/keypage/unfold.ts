import { withoutWrites } from './block-writes.js';
import { click } from './click.js';
import { type Control, controlsOf, identified } from './controls.js';
import { isAction } from './find-action.js';
import { type Candidate, mergeCandidates } from './key-candidates.js';
import type { Piece } from './read-page.js';
import { candidatesOn } from './shown-key.js';
import type { Visit } from './visit.js';
import type { WalkContext } from './walk-context.js';

/** The page as loaded, or with one more part expanded. */
export interface View {
  readonly pieces: readonly Piece[];
  readonly candidates: readonly Candidate[];
}

/** Parts of a page that are expanded: an FAQ may have hundreds. */
const maxParts = 30;

export const viewOf = async (visit: Visit, { settings }: Pick<WalkContext, 'settings'>): Promise<View> => {
  const pieces = await visit.read();
  return { pieces, candidates: await candidatesOn(visit, pieces, settings.keySelector) };
};

export const mergeViews = (views: readonly View[]): View => ({
  pieces: views.flatMap(({ pieces }) => pieces),
  candidates: mergeCandidates(views.flatMap(({ candidates }) => candidates)),
});

/** Expands the parts of a page, each once. Never presses what may be the action. */
export class Unfolding {
  readonly views: View[] = [];
  /** No part is known to have stayed collapsed. */
  whole = true;
  readonly #visit: Visit;
  readonly #walking: WalkContext;
  readonly #pressed = new Set<string>();

  constructor(visit: Visit, walking: WalkContext) {
    this.#visit = visit;
    this.#walking = walking;
  }

  get began(): boolean {
    return this.#pressed.size > 0;
  }

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

  /**
   * Expands what can be expanded now, with a view for each part.
   * @returns whether there was anything
   */
  async further(): Promise<boolean> {
    let [next] = await this.#left();
    if (!next) return false;
    const { held } = await withoutWrites(this.#visit, async () => {
      for (; next && this.#pressed.size < maxParts; [next] = await this.#left()) {
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
      return; // It is gone, since another part was expanded.
    }
    await this.#visit.settle();
    this.views.push(await viewOf(this.#visit, this.#walking));
    // A dialog covers the page. It is closed unless it has more parts to expand.
    const open = (await controlsOf(this.#visit)).some(({ inDialog, visible }) => inDialog && visible);
    if (open && !(await this.#left()).some(([, { inDialog }]) => inDialog)) {
      await this.#visit.page.keyboard.press('Escape');
      await this.#visit.settle();
    }
  }
}
