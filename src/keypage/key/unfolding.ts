import { type Control, controlsOf, identified, tryClick } from '../controls/controls.js';
import { isAction, mayUnfold } from '../controls/find-action.js';
import type { WalkContext } from '../log-in/walk-context.js';
import { type KeyCandidate, mergeCandidates } from '../reading/key-candidates.js';
import type { Piece } from '../reading/read-page.js';
import { exploring } from '../window/block-writes.js';
import type { Visit } from '../window/visit.js';
import { candidatesOn } from './shown-key.js';

/** The page as loaded, or with one more part expanded. */
export interface PageView {
  readonly pieces: readonly Piece[];
  readonly candidates: readonly KeyCandidate[];
}

/** Maximum number of parts of a page that are expanded: an FAQ may have hundreds. */
const maxParts = 30;

export const viewOf = async (visit: Visit, { settings }: Pick<WalkContext, 'settings'>): Promise<PageView> => {
  const pieces = await visit.read();
  return { pieces, candidates: await candidatesOn(visit, pieces, settings.keySelector) };
};

export const mergeViews = (views: readonly PageView[]): PageView => ({
  pieces: views.flatMap(({ pieces }) => pieces),
  candidates: mergeCandidates(views.flatMap(({ candidates }) => candidates)),
});

/** Expands the parts of a page, each once. Never presses what may be the action. */
export const unfolding = (visit: Visit, walking: WalkContext) => {
  const views: PageView[] = [];
  const pressed = new Set<string>();
  let whole = true;

  const left = async (): Promise<(readonly [id: string, control: Control])[]> =>
    identified(await controlsOf(visit)).filter(
      ([id, control]) =>
        mayUnfold(control) &&
        !control.aside &&
        !pressed.has(id) &&
        (control.opens === 'surely' || !isAction(control, walking.settings.action)),
    );

  const expand = async (control: Control): Promise<void> => {
    if (!(await tryClick(visit, control))) return;
    views.push(await viewOf(visit, walking));
    // A dialog covers the page. It is closed unless it has more parts to expand.
    const open = (await controlsOf(visit)).some(({ inDialog, visible }) => inDialog && visible);
    if (open && !(await left()).some(([, { inDialog }]) => inDialog)) {
      await visit.page.keyboard.press('Escape');
      await visit.settle();
    }
  };

  return {
    /** What was seen, part by part. */
    views: views as readonly PageView[],
    began: (): boolean => pressed.size > 0,
    /** Whether no part is known to have stayed collapsed. */
    isWhole: (): boolean => whole && visit.writes.held === 0,
    /**
     * Expands what can be expanded now, with a view for each part.
     * @returns whether there was anything
     */
    further: async (): Promise<boolean> => {
      let [next] = await left();
      if (!next) return false;
      await exploring(visit, async () => {
        for (; next && pressed.size < maxParts; [next] = await left()) {
          const [id, control] = next;
          pressed.add(id);
          await expand(control);
        }
      });
      if (next) whole = false;
      return true;
    },
  };
};
