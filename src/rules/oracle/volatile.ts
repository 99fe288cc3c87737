import type { BodyFacts, Shape } from '../../wire/facts.js';
import type { Response } from '../../wire/types.js';
import { isRedirect, sameAnswer } from './compare.js';

/**
 * Whether `other` is the answer that was read twice as `first` and `second`, but for what differed between those two: a
 * duration, a counter, a short identifier of the request, a clock. Read `second` after `other`: whatever goes by the clock has
 * then moved between the two reads as well. False where nothing stayed the same.
 */
export const sameButVolatile = (first: Response, second: Response, other: Response): boolean => {
  if (sameAnswer(first, other) || sameAnswer(second, other)) return true;
  if ([second, other].some(({ status }) => status !== first.status)) return false;
  if ([first, second, other].some(isRedirect)) return false;
  return sameFacts(first.facts, second.facts, other.facts);
};

const sameFacts = (first: BodyFacts, second: BodyFacts, other: BodyFacts): boolean => {
  if ([second, other].some(({ kind, mediaType }) => kind !== first.kind || mediaType !== first.mediaType)) return false;
  if (first.shape && second.shape && other.shape) return sameShapes(first.shape, second.shape, other.shape);
  return first.pieces !== undefined && second.pieces !== undefined && other.pieces !== undefined
    ? samePieces(first.pieces, second.pieces, other.pieces)
    : false;
};

/** Pieces in their order: what stood still in the two reads stands there again. */
const samePieces = (first: readonly string[], second: readonly string[], other: readonly string[]): boolean => {
  if (second.length !== first.length || other.length !== first.length) return false;
  const stable = first.flatMap((piece, index) => (second[index] === piece ? [index] : []));
  return stable.length > 0 && stable.every((index) => other[index] === first[index]);
};

/** Members whose scalars differ; items of one list count as one, since lists come in another order. `undefined`: the structure differs. */
const differing = (a: Shape, b: Shape): ReadonlySet<string> | undefined => {
  const found = new Set<string>();
  const walk = (left: Shape, right: Shape, path: string): boolean => {
    if (left.type === 'object') {
      if (right.type !== 'object' || left.members.length !== right.members.length) return false;
      const others = new Map(right.members);
      return left.members.every(([name, value]) => {
        const other = others.get(name);
        return other !== undefined && walk(value, other, `${path}/${name}`);
      });
    }
    if (left.type === 'array')
      return (
        right.type === 'array' &&
        left.length === right.length &&
        left.items.every((item, index) => {
          const other = right.items[index];
          return other !== undefined && walk(item, other, `${path}/*`);
        })
      );
    if (right.type === 'object' || right.type === 'array') return false;
    if (left.digest !== right.digest && !(left.passing && right.passing)) found.add(path);
    return true;
  };
  return walk(a, b, '') ? found : undefined;
};

const scalarPaths = (shape: Shape, path = ''): string[] => {
  if (shape.type === 'object') return shape.members.flatMap(([name, value]) => scalarPaths(value, `${path}/${name}`));
  if (shape.type === 'array') return shape.items.flatMap((item) => scalarPaths(item, `${path}/*`));
  return [path];
};

const sameShapes = (first: Shape, second: Shape, other: Shape): boolean => {
  const volatile = differing(first, second);
  const seen = differing(first, other);
  return (
    volatile !== undefined &&
    seen !== undefined &&
    [...seen].every((path) => volatile.has(path)) &&
    scalarPaths(first).some((path) => !volatile.has(path))
  );
};
