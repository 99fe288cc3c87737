import type { Exchange } from '../../wire/types.js';
import type { Ask, OperationSubject } from '../rule.js';
import { answerOf, isSuccess } from './answers.js';
import { laterReads } from './control-requests.js';
import { differencesOutside, isAsKeyed, sharesPieces } from './keyed.js';
import { isChanging } from './outside.js';
import { isOfOneForm, isSame } from './same.js';
import { chosenBetween } from './steady-lists.js';
import type { UsableControls } from './usable-controls.js';
import { filledListsIn, fits, viewIn } from './view.js';

/** Uses later keyed reads to find what changes by itself, and whether the key still opens. */

/** The controls, with paths added to `moving` that change in later reads. */
export const withMovingPathsOf = (reads: readonly Exchange[], controls: UsableControls): UsableControls => {
  const { first, background } = controls;
  const own = viewIn(first.shape);
  const moving = reads
    .filter((one) => keyStillOpens(one, controls))
    .flatMap((one) => {
      const again = viewIn((answerOf(one) ?? first).shape);
      return [...differencesOutside(own, again), ...chosenBetween({ view: own, again })];
    })
    .filter((path) => !isChanging(background, path));
  return moving.length === 0
    ? controls
    : { ...controls, background: { ...background, moving: new Set([...background.moving, ...moving]) } };
};

/** The controls, after more keyed reads have shown what changes by itself. */
export const afterMoreReads = (ask: Ask, subject: OperationSubject, controls: UsableControls): UsableControls =>
  withMovingPathsOf(ask.all(laterReads(subject)), controls);

/**
 * Whether the key still opens the operation: the answer has the form of the keyed reads, has rows
 * if those had, and is not the refusal.
 */
export const keyStillOpens = (health: Exchange, { first, anonymous, background }: UsableControls): boolean => {
  const { keyed } = background;
  const answer = answerOf(health);
  if (!isSuccess(answer) || !isOfOneForm(first.shape, answer.shape)) return false;
  if (isAsKeyed(keyed, answer)) return true;
  const refused = answerOf(anonymous);
  if (isSuccess(refused) && isSame(answer, refused) && !isSame(first, refused)) return false;
  if (keyed.view === undefined || first.shape.kind === 'html') return sharesPieces(keyed, answer.shape);
  if (keyed.rows.length > 0) return filledListsIn(viewIn(answer.shape)).length > 0;
  return (
    !keyed.isRecord || (first.shape.shape && answer.shape.shape ? fits(first.shape.shape, answer.shape.shape) : false)
  );
};
