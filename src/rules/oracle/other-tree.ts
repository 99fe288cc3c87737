import type { BodyShape } from '../../wire/body-shape.js';
import type { Keyed } from './keyed.js';
import { fits, rowsIn, viewIn } from './view.js';

/**
 * Whether a body has another structure than the keyed answer. For texts: whether it has fewer than
 * half of the pieces that both keyed reads share.
 */
export const isOfAnotherTree = ({ first: { shape: a }, second }: Keyed, b: BodyShape): boolean => {
  if (a.kind !== b.kind) return true;
  if (a.shape && b.shape && a.kind !== 'html')
    return (!fits(a.shape, b.shape) && !hasSameOutside(a, b)) || haveOtherRows(a, b);
  const there = new Set(b.pieces ?? []);
  const again = new Set(second.shape.pieces ?? []);
  const own = (a.pieces ?? []).filter((piece) => again.has(piece));
  return own.length > 0 && own.filter((piece) => there.has(piece)).length * 2 < own.length;
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
