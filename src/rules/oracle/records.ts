import { memoizePerObject } from '../../collections.js';
import type { BodyShape, ScalarShape } from '../../wire/body-shape.js';
import { type Catalogues, cataloguesIn } from './catalogues.js';
import { digestsIn, objectsIn, textIn } from './contents.js';
import { framesIn } from './frames.js';
import {
  allDigestsOf,
  aloneOf,
  aroundOf,
  candidatesOf,
  fixedDigestsOf,
  type Keyed,
  knownOf,
  movingColumnsOf,
  ownPartsOf,
  unplacedOf,
} from './keyed.js';
import { isWithin, partsOf, rowsInPlace } from './row-parts.js';
import { isBooleanOrNull, isFormatted, type Row, rowsIn, viewIn } from './view.js';

/** Whether an answer carries data of the key's owner. */

/** Whether a digest occurs in a public answer, in one that opens nothing, or in another refusal. */
export type IsOpen = (digest: string) => boolean;

/**
 * Whether a body carries a record of the key's owner: (a) values of one row together, (b) a
 * projection of a row under its names, (c) most of a text.
 *
 * `needsMute`: one of the owned values has to have a format. A refusal may repeat values without
 * one, such as column titles.
 */
export const carriesRecord = (
  keyed: Keyed,
  seen: BodyShape,
  isOpen: IsOpen,
  publicRows: readonly Row[],
  needsMute = false,
): boolean => {
  const there = digestsIn(seen);
  if (keyed.view && ![...there].some((digest) => allDigestsOf(keyed).has(digest))) return false;
  const frames = framesIn(keyed, seen);
  const isFrame = (digest: string): boolean => frames.some(({ digests }) => digests.has(digest));
  const owned = knownOf(keyed).map(
    (row) => new Map([...row].filter(([digest]) => !isOpen(digest) && !isFrame(digest))),
  );
  const catalogues = cataloguesIn(keyed, seen);
  if (keyed.view === undefined) return carriesText(keyed, seen, isOpen) || sharesValues(keyed, owned, seen, catalogues);
  const hasOwned = owned.some((row) => [...row.keys()].some((digest) => there.has(digest)));
  const known = needsMute ? owned.map((row) => new Map([...row].filter(([, scalar]) => isFormatted(scalar)))) : owned;
  return (
    (hasOwned && sharesValues(keyed, owned, seen, catalogues, needsMute)) ||
    projectsRow(keyed, known, seen, { open: [...publicRows, ...frames], catalogues }, needsMute)
  );
};

/**
 * The number of owned values that an answer carries at any place. Values outside rows count only if
 * it has more than half of them.
 */
export const ownedIn = (keyed: Keyed, seen: BodyShape, isOpen: IsOpen): number => {
  const there = digestsIn(seen);
  const values = new Set([...candidatesOf(keyed).flatMap((row) => [...row.keys()]), ...unplacedOf(keyed)]);
  const around = [...aroundOf(keyed)].filter((digest) => !isOpen(digest));
  const shared = around.filter((digest) => there.has(digest));
  return (
    [...values].filter((digest) => there.has(digest) && !isOpen(digest)).length +
    (shared.length * 2 > around.length ? shared.length : 0)
  );
};

type Owned = readonly ReadonlyMap<string, ScalarShape>[];

/** A place in the answer where values of one row may be found together. */
interface ValueGroup {
  readonly digests: ReadonlySet<string>;
  readonly row?: Row;
}

/** The values of a row, without those in its lists. */
const ownDigests = memoizePerObject(
  ({ cells }: Row): ReadonlySet<string> => new Set([...cells.values()].map(({ digest }) => digest)),
);

/**
 * (a) Two or more owned values of one row, within one row of the answer, outside its rows, or in
 * its text.
 */
const sharesValues = (
  keyed: Keyed,
  owned: Owned,
  seen: BodyShape,
  { shapes: entries }: Catalogues,
  needsMute = false,
): boolean => {
  const { rows } = keyed;
  const [fixed, alone, known] = [fixedDigestsOf(keyed), aloneOf(keyed), knownOf(keyed)];
  const view = viewIn(seen);
  const inPlace = new Set(rowsInPlace(keyed, view));
  const places: readonly ValueGroup[] = [
    ...rowsIn(view).flatMap((row) => (entries.has(row.shape) ? [] : [{ row, digests: row.digests }])),
    ...objectsIn(seen).flatMap((row) => (entries.has(row.shape) ? [] : [{ digests: ownDigests(row) }])),
    { digests: textIn(seen) },
  ];
  return owned.some((row, index) =>
    places.some(({ digests: place, row: where }) => {
      const shared = [...row.values()].filter(({ digest }) => place.has(digest));
      if (shared.length < 2) return false;
      if ((needsMute || rows.length < 2) && !shared.some(isFormatted)) return false;
      // What several rows share may be public, such as a gym or a plan. So may a part of one row.
      if (rows.length > 1)
        return (
          shared.some(({ digest }) => alone.has(digest)) &&
          ((where !== undefined && inPlace.has(where)) || isHalf(shared.length, known[index]?.size))
        );
      // Constants of an API are in its records and in its refusals. So more than half of the record
      // has to be there, and all of its formatted values.
      const record = rows[0] ?? keyed.view?.record;
      const all = record?.all.filter(({ digest }) => fixed.has(digest)) ?? [...row.values()];
      if (all.some((scalar) => isFormatted(scalar) && !place.has(scalar.digest))) return false;
      const whole = fixed.size > 0 ? fixed : new Set(row.keys());
      return [...whole].filter((digest) => place.has(digest)).length * 2 > whole.size;
    }),
  );
};

/** Less than half of a row's values may be public, such as a gym and its number. */
const isHalf = (part: number, whole = 0): boolean => part * 2 >= whole;

const isMuch = (scalars: Iterable<ScalarShape>): boolean =>
  [...scalars].filter((scalar) => !isBooleanOrNull(scalar)).length >= 3;

/** The parts of keyed rows that identify their row by names and values. */
const knownParts = memoizePerObject((keyed: Keyed) =>
  keyed.rows.flatMap((row, index) =>
    partsOf(row)
      .filter(({ path, cells }) => [...cells.keys()].some((name) => ownPartsOf(keyed)[index]?.paths.has(path + name)))
      .map(({ path, cells }) => ({ at: path, whole: cells, index })),
  ),
);

/** (b) An object with names and values of a keyed row that is none of the open rows. */
const projectsRow = (
  keyed: Keyed,
  owned: Owned,
  seen: BodyShape,
  { open, catalogues }: { readonly open: readonly Row[]; readonly catalogues: Catalogues },
  needsOwned: boolean,
): boolean => {
  const { rows } = keyed;
  if (rows.length === 0) return false;
  const [known, moving, fixed, alone] = [knownOf(keyed), movingColumnsOf(keyed), fixedDigestsOf(keyed), aloneOf(keyed)];
  const inPlace = new Set(rowsInPlace(keyed, viewIn(seen)).map(({ shape }) => shape));
  const isOpenRow = (cells: Row['cells']): boolean => {
    if (open.length === 0) return false;
    const filled = filledOf(cells);
    return open.some((row) => partsOf(row).some((part) => isWithin(filled, part.cells)));
  };
  const tellRowsApart = (cells: Row['cells'], at: string): boolean =>
    [...cells].some(([path, { digest }]) =>
      rows.some((row) => {
        const its = row.cells.get(at + path);
        return its !== undefined && its.digest !== digest;
      }),
    );
  return objectsIn(seen).some(({ shape, cells: all }) => {
    if (all.size < 2 || catalogues.shapes.has(shape) || isOpenRow(all)) return false;
    return knownParts(keyed).some(({ at, whole, index }) => {
      // Columns that change from read to read prove nothing.
      const cells = new Map([...all].filter(([path]) => !moving.has(at + path)));
      if (cells.size < 2 || !isWithin(cells, whole)) return false;
      const isOwned = [...cells.values()].some(({ digest }) => owned[index]?.has(digest) && alone.has(digest));
      const itsOwn = [...cells.values()].filter(({ digest }) => known[index]?.has(digest)).length;
      const isPart = rows.length > 1 && !inPlace.has(shape) && !isHalf(itsOwn, known[index]?.size);
      if (isOwned && (rows.length > 1 ? !isPart : cells.size * 2 > fixed.size)) return true;
      return !needsOwned && !isPart && isMuch(cells.values()) && tellRowsApart(cells, at);
    });
  });
};

/** Nulls are left out: a public row may have them or not. */
const filledOf = (cells: Row['cells']): Row['cells'] => new Map([...cells].filter(([, { type }]) => type !== 'null'));

/**
 * (c) Whether a text carries two or more of the owned pieces, and more than half of them. Pieces in the
 * common beginning and the common end of both texts do not count.
 */
const carriesText = ({ first, second }: Keyed, seen: BodyShape, isOpen: IsOpen): boolean => {
  const [a, b, c] = [first.shape.pieces, second.shape.pieces, seen.pieces];
  if (!a || !b) return false;
  const stable = new Set(b);
  const telling = new Set(first.shape.values);
  const isOwned = (piece: string): boolean => stable.has(piece) && telling.has(piece) && !isOpen(piece);
  const owned = new Set(a.filter(isOwned));
  if (owned.size < 2) return false;
  const others = c ?? [...digestsIn(seen)];
  let begin = 0;
  while (c && begin < a.length && begin < c.length && a[begin] === c[begin]) begin += 1;
  let end = 0;
  while (c && end < a.length - begin && end < c.length - begin && a.at(-1 - end) === c.at(-1 - end)) end += 1;
  const between = new Set(c ? others.slice(begin, others.length - end) : others);
  const carried = [...owned].filter((piece) => between.has(piece)).length;
  return carried >= 2 && carried * 2 > owned.size;
};
