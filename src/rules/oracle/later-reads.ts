import type { BodyShape } from '../../wire/body-shape.js';
import type { Exchange } from '../../wire/types.js';
import { answerOf, isSuccess } from './answers.js';
import { isSame, sharedWithKeyed } from './same.js';
import { isOfOneForm, type UsableControls } from './usable-controls.js';
import { fits, type View, viewIn } from './view.js';

/**
 * What later keyed reads show: which values change by themselves, and whether the key still opens.
 */

/** The controls, with paths added to `moving` that change in later reads. */
export const withMovingPathsOf = (reads: readonly Exchange[], controls: UsableControls): UsableControls => {
  const { first, background } = controls;
  const own = viewIn(first.shape);
  const later = reads
    .filter((one) => isHealthy(one, controls))
    .flatMap((one) => viewIn((answerOf(one) ?? first).shape) ?? []);
  const moving = [...(own?.outside ?? [])].flatMap(([path, { digest }]) => {
    const isAnother = (view: View): boolean => (view.outside.get(path)?.digest ?? digest) !== digest;
    return !background.moving.has(path) && later.some(isAnother) ? [path] : [];
  });
  return moving.length === 0
    ? controls
    : { ...controls, background: { ...background, moving: new Set([...background.moving, ...moving]) } };
};

/**
 * Whether the key still opens the operation: the answer has the form of the keyed reads, has rows
 * if those had, and is not the refusal.
 */
export const isHealthy = (health: Exchange, { first, second, anonymous, background }: UsableControls): boolean => {
  const answer = answerOf(health);
  if (answer === undefined || !isSuccess(answer) || !isOfOneForm(first.shape, answer.shape)) return false;
  if (sharedWithKeyed(first.shape, second.shape, answer.shape) !== undefined) return true;
  const refused = answerOf(anonymous);
  if (refused && isSuccess(refused) && isSame(answer, refused) && !isSame(first, refused)) return false;
  const { keyed } = background;
  const view = viewIn(answer.shape);
  if (keyed.view === undefined || first.shape.kind === 'html')
    return sharesPieces(first.shape, second.shape, answer.shape);
  if (keyed.rows.length > 0) return [...(view?.lists.values() ?? [])].some(({ length }) => length > 0);
  return (
    !keyed.isRecord || (first.shape.shape && answer.shape.shape ? fits(first.shape.shape, answer.shape.shape) : false)
  );
};

/**
 * Whether a text has at least half of the pieces that both keyed reads share. True if they share
 * none.
 */
const sharesPieces = (first: BodyShape, second: BodyShape, seen: BodyShape): boolean => {
  const again = new Set(second.pieces);
  const stable = (first.pieces ?? []).filter((piece) => again.has(piece));
  const there = new Set(seen.pieces);
  return stable.filter((piece) => there.has(piece)).length * 2 >= stable.length;
};
