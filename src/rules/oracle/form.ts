import type { BodyShape } from '../../wire/body-shape.js';
import { viewIn } from './view.js';

/** Whether bodies have one kind and media type, and the same lists, or a common member. */
export const isOfOneForm = (a: BodyShape, b: BodyShape): boolean => {
  if (a.kind !== b.kind || a.mediaType !== b.mediaType) return false;
  const [one, other] = [viewIn(a), viewIn(b)];
  if (a.kind === 'html' || (!one && !other)) return true;
  if (!one || !other) return false;
  if (one.lists.size > 0 || other.lists.size > 0)
    return one.lists.size === other.lists.size && [...one.lists.keys()].every((path) => other.lists.has(path));
  return (
    [...one.outside.keys()].some((path) => other.outside.has(path)) ||
    (one.outside.size === 0 && other.outside.size === 0)
  );
};
