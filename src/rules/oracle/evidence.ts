import { lazy } from '../../collections.js';
import type { Shape } from '../../wire/body-shape.js';
import type { Response } from '../../wire/types.js';
import { isSuccess } from './answers.js';
import { type Background, type ComparedAnswer, comparedAnswer, givenToAnybody, isInNothing } from './background.js';
import { digestsIn, objectsIn } from './contents.js';
import type { Keyed } from './keyed.js';
import { compareOutside, listStateAt } from './outside.js';
import { ownedAround } from './owned-values.js';
import { recordEvidenceOf } from './record-evidence.js';
import { rowEvidenceOf } from './row-evidence.js';
import { isSame, sharedWithKeyed } from './same.js';
import { fits, hasEmptyList, isNull, type Row, type View, viewLike } from './view.js';

/** What one answer shows beside the keyed answer and beside all others. */

export type Evidence = ReturnType<typeof evidenceOf>;

/** Evidence of one answer. Costly parts are computed on demand. */
export const evidenceOf = (seen: Response, background: Background) => {
  const answer = comparedAnswer(seen, background);
  const { view, foreign } = answer;
  const [body, own] = [seen.shape, background.keyed.first.shape];
  return {
    ...answer,
    ...recordEvidenceOf(answer),
    ...rowEvidenceOf(answer),
    ...emptinessOf(answer),
    ...equalityOf(answer),
    status: seen.status,
    success: isSuccess(seen),
    broken: body.broken === true || body.capped === true,
    /** The format is not that of the keyed answer, so values outside rows are not compared. */
    inAnotherFormat: !foreign && (body.kind !== own.kind || body.mediaType !== own.mediaType),
    outside: lazy(() => compareOutside(background, view)),
  };
};

/** How far an answer equals the keyed one, or one that opens nothing. */
const equalityOf = ({ seen, background, foreign }: ComparedAnswer) => {
  const { keyed, nothing, volatile, publics, refusals } = background;
  const { shape: body } = seen;
  const keyedShape = keyed.first.shape.shape;
  return {
    isNothing: lazy(() => nothing.some((one) => isSame(seen, one, volatile))),
    /**
     * Number of rows and values that an answer equal to the keyed one shares with it; `undefined`
     * for any other answer.
     */
    shared: lazy((): number | undefined => {
      const shared = sharedWithKeyed(keyed.first.shape, keyed.second.shape, body, background.moving);
      if (!shared) return undefined;
      // Another operation gives the same answer to anybody.
      if ([...publics, ...refusals].some((one) => isSame(seen, one, background.moving))) return 0;
      const { has: isOpen } = givenToAnybody(background).open;
      // Links repeat the requested path, so the same row has other links elsewhere.
      const isNewRow = ({ all }: Row): boolean => all.some(({ link, digest }) => !link && !isOpen(digest));
      return shared.rows.filter(isNewRow).length + shared.values.filter((digest) => !isOpen(digest)).length;
    }),
    keyedTree: (strict: boolean): boolean =>
      body.shape !== undefined && keyedShape !== undefined && !foreign && fits(body.shape, keyedShape, strict),
    /**
     * Whether an object of this structure stands in the answer, at any depth. The envelope of an
     * API stands where nothing is, too.
     */
    holdsTree: (shape: Shape): boolean =>
      objectsIn(body).some((one) => fits(one.shape, shape, true) && !isInNothing(background, one.shape, true)),
  };
};

/** Which of the lists that the key gets are empty or gone. */
const emptinessOf = ({ seen, background, view }: ComparedAnswer) => {
  const { keyed, nothing } = background;
  const { shape: body } = seen;
  return {
    holdsEmptyList: () => hasEmptyList(body),
    /**
     * Two formatted values beside the lists that nothing else has make it a record with empty
     * lists, and no page.
     */
    bothEmpty: () => {
      const { has: isOpen } = givenToAnybody(background).open;
      if (!keyed.isEmpty || ownedAround(keyed, digestsIn(body), isOpen) >= 2) return false;
      if (keyed.view === undefined) return body.kind === 'empty';
      if (!view) return false;
      const standings = [...keyed.view.lists.keys()].map((path) => listStateAt(view, path));
      return standings.length > 0 ? standings.every((one) => one === 'empty') : view.outside.size === 0;
    },
    listsEmptyOrGone: () => areListsEmptyOrGone(keyed, view),
    /** Whether there is no value at all, or only null. */
    holdsNothing: () =>
      view !== undefined && view.lists.size === 0 && [...view.outside.values()].every((leaf) => isNull(leaf)),
    isCountedEmpty: () => isCountedEmpty(background, view),
    /** An answer that opens nothing is counted empty too. */
    isNothingCountedEmpty: () =>
      nothing.some((one) => one.status === seen.status && isCountedEmpty(background, viewLike(one.shape, keyed.view))),
  };
};

/** Paths of the lists that are filled in the keyed answer, or of all if none is. */
const listPathsOf = ({ view, rows }: Keyed): readonly string[] =>
  [...(view?.lists ?? [])].flatMap(([path, { length }]) => (length > 0 || rows.length === 0 ? [path] : []));

const areListsEmptyOrGone = (keyed: Keyed, view: View | undefined): boolean =>
  view !== undefined && listPathsOf(keyed).every((path) => listStateAt(view, path) !== 'filled');

/** Whether the rows are empty or gone, a count follows them, and nothing else differs. */
const isCountedEmpty = (background: Background, view: View | undefined): boolean => {
  if (!areListsEmptyOrGone(background.keyed, view)) return false;
  const { follows, says, differs } = compareOutside(background, view);
  return follows && !says && !differs;
};
