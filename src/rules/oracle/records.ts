import { memoizePerObject } from '../../collections.js';
import type { BodyShape, ScalarShape } from '../../wire/body-shape.js';
import { type Catalogues, cataloguesIn } from './catalogues.js';
import { digestsIn, type ListOfScalars, listsOfScalarsIn, objectsIn, textIn } from './contents.js';
import { framesIn, rowsBesideEmptyList, wholeOf } from './frames.js';
import {
  addressesOf,
  allDigestsOf,
  aloneOf,
  aroundOf,
  candidatesOf,
  changingOf,
  fixedDigestsOf,
  type Keyed,
  knownOf,
  movingColumnsOf,
  ownPartsOf,
  unplacedOf,
} from './keyed.js';
import { isWithin, partsOf, rowsInPlace } from './row-parts.js';
import { isBooleanOrNull, isFormatted, isNameless, type Row, rowsIn, type View, viewIn } from './view.js';

/** Whether an answer carries data of the key's owner. */

/** Whether a digest occurs in a public answer, in one that opens nothing, or in another refusal. */
export type IsOpen = (digest: string) => boolean;

/**
 * Whether a body carries a record of the key's owner: (a) values of one row together, (b) a
 * projection of a row under its names, (c) a row without names, or most of a text.
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
    (hasOwned &&
      (sharesValues(keyed, owned, seen, catalogues, needsMute) || listsRow(keyed, known, seen, catalogues))) ||
    projectsRow(
      keyed,
      known,
      seen,
      { open: [...publicRows, ...frames], plain: rowsBesideEmptyList(keyed, seen), catalogues },
      needsMute,
    ) ||
    (!needsMute && repeatsRows(keyed, seen, [...publicRows, ...frames, ...rowsBesideEmptyList(keyed, seen)]))
  );
};

/**
 * The number of owned values that an answer carries at any place. Values outside rows count only if
 * it has more than half of them.
 */
export const ownedIn = (keyed: Keyed, seen: BodyShape, isOpen: IsOpen): number => {
  const there = digestsIn(seen);
  const values = new Set([
    ...candidatesOf(keyed).flatMap((row) => [...row.keys()]),
    ...addressesOf(keyed),
    ...unplacedOf(keyed),
  ]);
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
  { shapes: entries, digests: named }: Catalogues,
  needsMute = false,
): boolean => {
  const { rows } = keyed;
  const [fixed, alone, known] = [fixedDigestsOf(keyed), aloneOf(keyed), knownOf(keyed)];
  const view = viewIn(seen);
  const inPlace = new Set(rowsInPlace(keyed, view));
  const places: readonly ValueGroup[] = [
    ...rowsIn(view).flatMap((row) => (entries.has(row.shape) ? [] : [{ row, digests: row.digests }])),
    ...(view ? [{ digests: view.record.digests }] : []),
    ...objectsIn(seen).flatMap((row) => (entries.has(row.shape) ? [] : [{ digests: ownDigests(row) }])),
    ...tuplesIn(seen).flatMap(({ shape, items }) =>
      entries.has(shape) ? [] : [{ digests: new Set(items.map(({ digest }) => digest)) }],
    ),
    { digests: named.size > 0 ? new Set([...textIn(seen)].filter((digest) => !named.has(digest))) : textIn(seen) },
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
          ((where !== undefined && inPlace.has(where) && shared.some(({ digest }) => ownDigests(where).has(digest))) ||
            isHalf(shared.length, known[index]?.size))
        );
      // Constants of an API are in its records and in its refusals. So more than half of the record
      // has to be there; and beside members that the record lacks, all of its formatted values.
      const record = rows[0] ?? keyed.view?.record;
      const all = record?.all.filter(({ digest }) => fixed.has(digest)) ?? [...row.values()];
      if (all.some((scalar) => isFormatted(scalar) && !place.has(scalar.digest)) && saysMore(keyed, view)) return false;
      const whole = fixed.size > 0 ? fixed : new Set(row.keys());
      return [...whole].filter((digest) => place.has(digest)).length * 2 > whole.size;
    }),
  );
};

/** Rows without names, or what may be one: a list of three or more scalars. */
const tuplesIn = (seen: BodyShape): readonly ListOfScalars[] =>
  listsOfScalarsIn(seen).filter(({ items }) => items.length >= 3);

/** Less than half of a row's values may be public, such as a gym and its number. */
const isHalf = (part: number, whole = 0): boolean => part * 2 >= whole;

const isMuch = (scalars: Iterable<ScalarShape>): boolean =>
  [...scalars].filter((scalar) => !isBooleanOrNull(scalar)).length >= 3;

/** Whether a row has a member that another row lacks. */
const hasMore = (row: Row, other: Row): boolean =>
  !isNameless(row) && [...row.cells].some(([path, { type }]) => type !== 'null' && !other.cells.has(path));

/**
 * Whether the answer has a member that the keyed answer lacks outside its rows, or each of its rows
 * has one that the only keyed row lacks.
 */
const saysMore = (keyed: Keyed, seen: View | undefined): boolean => {
  const [only] = keyed.rows;
  const rows = rowsIn(seen);
  if (only && rows.length > 0 && rows.every((row) => hasMore(row, only))) return true;
  return [...(seen?.outside ?? [])].some(
    ([path, { type }]) => type !== 'null' && keyed.view?.outside.has(path) === false && !changingOf(keyed).has(path),
  );
};

/**
 * Rows of lists inside rows that belong to the row itself: it has fewer than two telling values
 * outside such lists.
 */
const groupedOf = memoizePerObject((keyed: Keyed) => ownPartsOf(keyed).flatMap(({ rows }) => rows));

/** The parts of keyed rows that identify their row by names and values. */
const knownParts = memoizePerObject((keyed: Keyed) =>
  keyed.rows.flatMap((row, index) => {
    const nameless = isNameless(row);
    return partsOf(row)
      .filter(
        ({ path, cells }) =>
          nameless || [...cells.keys()].some((name) => ownPartsOf(keyed)[index]?.paths.has(path + name)),
      )
      .map(({ path, cells }) => ({ at: path, whole: cells, index, nameless }));
  }),
);

/**
 * (b) An object with names and values of a keyed row that is no row of public answers. `open` rows
 * never count; `plain` rows count only by an owned value.
 */
const projectsRow = (
  keyed: Keyed,
  owned: Owned,
  seen: BodyShape,
  {
    open,
    plain,
    catalogues,
  }: { readonly open: readonly Row[]; readonly plain: readonly Row[]; readonly catalogues: Catalogues },
  needsOwned: boolean,
): boolean => {
  const { rows } = keyed;
  if (rows.length === 0) return false;
  const [known, moving, fixed, alone] = [knownOf(keyed), movingColumnsOf(keyed), fixedDigestsOf(keyed), aloneOf(keyed)];
  const grouped = groupedOf(keyed);
  const inPlace = new Set(rowsInPlace(keyed, viewIn(seen)).map(({ shape }) => shape));
  const isOneOf = (all: readonly Row[], cells: Row['cells']): boolean => {
    if (all.length === 0) return false;
    const filled = filledOf(cells);
    return all.some((row) => partsOf(row).some((part) => isWithin(filled, part.cells)));
  };
  const tellsIn = (all: readonly Row[], cells: Row['cells'], at: string): boolean =>
    [...cells].some(([path, { digest }]) =>
      all.some((row) => {
        const its = row.cells.get(at + path);
        return its !== undefined && its.digest !== digest;
      }),
    );
  return objectsIn(seen).some(({ shape, cells: all }) => {
    if (all.size < 2 || catalogues.shapes.has(shape) || isOneOf(open, all)) return false;
    const needsValue = needsOwned || isOneOf(plain, all);
    const isOfRow = knownParts(keyed).some(({ at, whole, index, nameless }) => {
      const named = nameless ? byPlace(all) : all;
      if (nameless && named.size !== whole.size) return false;
      // Columns that change from read to read prove nothing.
      const cells = new Map([...named].filter(([path]) => !moving.has(at + path)));
      if (cells.size < 2 || !isWithin(cells, whole)) return false;
      const isOwned = [...cells.values()].some(({ digest }) => owned[index]?.has(digest) && alone.has(digest));
      const itsOwn = [...cells.values()].filter(({ digest }) => known[index]?.has(digest)).length;
      const isPart = rows.length > 1 && !inPlace.has(shape) && !isHalf(itsOwn, known[index]?.size);
      if (isOwned && (rows.length > 1 ? !isPart : cells.size * 2 > fixed.size)) return true;
      if (needsValue || isPart) return false;
      return (isMuch(cells.values()) || (at === '' && all.size === whole.size)) && tellsIn(rows, cells, at);
    });
    if (isOfRow || needsValue) return isOfRow;
    return isMuch(all.values()) && grouped.some(({ cells }) => isWithin(all, cells) && tellsIn(grouped, all, ''));
  });
};

/** Nulls are left out: a public row may have them or not. */
const filledOf = (cells: Row['cells']): Row['cells'] => new Map([...cells].filter(([, { type }]) => type !== 'null'));

/** The cells keyed by index, as those of a row without names are. */
const byPlace = (cells: Row['cells']): Row['cells'] =>
  new Map([...cells.values()].map((cell, index) => [`/${index}`, cell]));

/** (c) A row without names: three or more values in the order of a keyed row, one of them owned. */
const listsRow = ({ rows }: Keyed, owned: Owned, seen: BodyShape, { shapes: entries }: Catalogues): boolean =>
  rows.some((row, index) => {
    const values = row.all.map(({ digest }) => digest);
    return tuplesIn(seen).some(({ shape, items: tuple }) => {
      if (entries.has(shape) || !tuple.some(({ digest }) => owned[index]?.has(digest))) return false;
      let at = 0;
      let shared = 0;
      for (const { digest } of tuple) {
        const found = values.indexOf(digest, at);
        if (found < 0) continue;
        at = found + 1;
        shared += 1;
      }
      return shared >= 3;
    });
  });

/**
 * (c) Two different rows without names, whole except for moving columns. One row of small numbers
 * may match by chance.
 */
const repeatsRows = (keyed: Keyed, seen: BodyShape, publicRows: readonly Row[]): boolean => {
  const moving = movingColumnsOf(keyed);
  const tuples = tuplesIn(seen);
  if (tuples.length < 2) return false;
  const valuesOf = ({ cells, all }: Row): readonly (ScalarShape | undefined)[] =>
    cells.size === 0 ? all : [...cells].map(([path, cell]) => (moving.has(path) ? undefined : cell));
  const isRepeated = (values: readonly (ScalarShape | undefined)[]): boolean =>
    tuples.some(
      ({ items }) =>
        items.length === values.length &&
        values.every((value, at) => value === undefined || value.digest === items[at]?.digest),
    );
  const open = new Set(publicRows.map(wholeOf));
  const repeated = keyed.rows
    .filter((row) => !open.has(wholeOf(row)))
    .map(valuesOf)
    .filter((values) => isMuch(values.filter((value) => value !== undefined)) && isRepeated(values));
  return new Set(repeated.map((values) => values.map((value) => value?.digest).join(' '))).size >= 2;
};

/**
 * Whether a text carries two or more of the owned pieces, and more than half of them. Pieces in the
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
