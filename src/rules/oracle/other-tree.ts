import type { BodyShape } from '../../wire/body-shape.js';
import { type Keyed, sharesPieces } from './keyed.js';
import { fits, rowsIn, viewIn } from './view.js';

/**
 * Whether a body has another structure than the keyed answer. For texts: whether it has fewer than
 * half of the pieces that both keyed reads share.
 */
export const isOfAnotherTree = (keyed: Keyed, b: BodyShape): boolean => {
  const a = keyed.first.shape;
  if (a.kind !== b.kind) return true;
  if (a.shape && b.shape && a.kind !== 'html')
    return (!fits(a.shape, b.shape) && !hasSameOutside(a, b)) || haveOtherRows(a, b);
  return !sharesPieces(keyed, b);
};

/** Both have rows, and no row of one fits a row of the other. */
const haveOtherRows = (a: BodyShape, b: BodyShape): boolean => {
  const [own, others] = [a, b].map((body) => rowsIn(viewIn(body)));
  if (!own?.length || !others?.length) return false;
  return own.every(({ shape }) => others.every((other) => !fits(shape, other.shape)));
};

/** A filled list and an empty one are the same structure. */
const hasSameOutside = (a: BodyShape, b: BodyShape): boolean => {
  const [one, other] = [viewIn(a), viewIn(b)];
  if (!one || !other) return false;
  const paths = (view: typeof one): string => [...view.outside.keys(), ...view.lists.keys()].sort().join('\n');
  return paths(one) === paths(other);
};
