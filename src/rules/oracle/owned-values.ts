import type { BodyShape } from '../../wire/body-shape.js';
import type { IsOpen } from './background.js';
import { digestsIn, listsOfScalarsIn } from './contents.js';
import { addressesOf, aroundOf, candidatesOf, type Keyed, unplacedOf } from './keyed.js';
import { isFormatted } from './view.js';

/** How many values an answer has that only the key's owner has. */

/**
 * Number of formatted values around the lists of the keyed answer that nothing else has, where an
 * answer has more than half of them, or two of one list of scalars, which is a column of records.
 */
export const ownedAround = (keyed: Keyed, there: ReadonlySet<string>, isOpen: IsOpen): number => {
  const around = [...aroundOf(keyed)].filter((digest) => !isOpen(digest));
  const shared = new Set(around.filter((digest) => there.has(digest)));
  const isColumn = listsOfScalarsIn(keyed.first.shape).some(
    ({ items }) => items.filter(({ digest }) => shared.has(digest)).length >= 2,
  );
  return isColumn || shared.size * 2 > around.length ? shared.size : 0;
};

/** How many owned values an answer carries. */
export const ownedIn = (keyed: Keyed, seen: BodyShape, isOpen: IsOpen): number => {
  const there = digestsIn(seen);
  const isOwned = (digest: string): boolean => there.has(digest) && !isOpen(digest);
  const candidates = new Map(candidatesOf(keyed).flatMap((row) => [...row]));
  const values = [...new Set([...candidates.keys(), ...addressesOf(keyed), ...unplacedOf(keyed)])].filter(isOwned);
  // Whoever refuses a request may name what was asked for.
  const [name, ...others] = values.map((digest) => candidates.get(digest));
  const isOnlyName = others.length === 0 && name?.names === true && !isFormatted(name);
  return (isOnlyName ? 0 : values.length) + ownedAround(keyed, there, isOpen);
};
