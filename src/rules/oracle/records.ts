import { memoizePerObject } from '../../collections.js';
import type { BodyShape, ScalarShape } from '../../wire/body-shape.js';
import { digestsIn, objectsIn, textIn, tuplesIn } from './contents.js';
import { besideNone, framesIn, wholeOf } from './frames.js';
import type { Keyed } from './keyed.js';
import { isWithin, partsOf } from './row-parts.js';
import { isBoolean, isMute, isNameless, type Row, rowsIn, type View, viewIn } from './view.js';

/** Whether an answer carries what is the key owner's. */

/** Whether a value is in an answer that shows nothing, in a public one, or in another refusal. */
export type IsOpen = (digest: string) => boolean;

/**
 * Whether a body carries a record of the key's owner: (a) values of one row together, (b) a
 * projection of a row under its names, (c) a row without names, or much of an owner's text.
 * `needsMute`: a refusal may repeat what frames the data (the titles of its columns), so one owned
 * value has to be of a form that words nothing.
 */
export const carriesRecord = (
  keyed: Keyed,
  seen: BodyShape,
  isOpen: IsOpen,
  publicRows: readonly Row[],
  needsMute = false,
): boolean => {
  const there = digestsIn(seen);
  if (keyed.view && ![...there].some((digest) => keyed.digests.has(digest))) return false;
  const frames = framesIn(keyed, seen);
  const isFrame = (digest: string): boolean => frames.some(({ digests }) => digests.has(digest));
  const owned = keyed.known.map((row) => new Map([...row].filter(([digest]) => !isOpen(digest) && !isFrame(digest))));
  if (keyed.view === undefined) return carriesText(keyed, seen, isOpen) || sharesValues(keyed, owned, seen);
  const hasOwned = owned.some((row) => [...row.keys()].some((digest) => there.has(digest)));
  const known = needsMute ? owned.map((row) => new Map([...row].filter(([, scalar]) => isMute(scalar)))) : owned;
  return (
    (hasOwned && (sharesValues(keyed, owned, seen, needsMute) || listsRow(keyed, known, seen))) ||
    projectsRow(keyed, known, seen, { open: [...publicRows, ...frames], plain: besideNone(keyed, seen) }, needsMute) ||
    (!needsMute && repeatsRows(keyed, seen, [...publicRows, ...frames, ...besideNone(keyed, seen)]))
  );
};

/**
 * Values that the owner alone has and an answer carries, at any place; of those around rows more
 * than half.
 */
export const ownedIn = (keyed: Keyed, seen: BodyShape, isOpen: IsOpen): number => {
  const there = digestsIn(seen);
  const values = new Set([
    ...keyed.candidates.flatMap((row) => [...row.keys()]),
    ...keyed.addresses,
    ...keyed.unplaced,
  ]);
  const around = [...keyed.around].filter((digest) => !isOpen(digest));
  const shared = around.filter((digest) => there.has(digest));
  return (
    [...values].filter((digest) => there.has(digest) && !isOpen(digest)).length +
    (shared.length * 2 > around.length ? shared.length : 0)
  );
};

type Owned = readonly ReadonlyMap<string, ScalarShape>[];

/** Where values of one row may stand together. */
interface ValueGroup {
  readonly digests: ReadonlySet<string>;
  readonly row?: Row;
}

/** Of a row without what stands in its lists. */
const ownDigests = memoizePerObject(
  ({ cells }: Row): ReadonlySet<string> => new Set([...cells.values()].map(({ digest }) => digest)),
);

/**
 * (a) Two or more owned values of one row within one row of the answer, within its outside, or
 * within its text.
 */
const sharesValues = (keyed: Keyed, owned: Owned, seen: BodyShape, needsMute = false): boolean => {
  const { rows, fixed, alone } = keyed;
  const view = viewIn(seen);
  const inPlace = new Set(rowsInPlace(keyed, view));
  const places: readonly ValueGroup[] = [
    ...rowsIn(view).map((row) => ({ row, digests: row.digests })),
    ...(view ? [{ digests: view.record.digests }] : []),
    ...objectsIn(seen).map((row) => ({ digests: ownDigests(row) })),
    ...tuplesIn(seen).map((tuple) => ({ digests: new Set(tuple) })),
    { digests: textIn(seen) },
  ];
  return owned.some((row, index) =>
    places.some(({ digests: place, row: where }) => {
      const shared = [...row.values()].filter(({ digest }) => place.has(digest));
      if (shared.length < 2) return false;
      if ((needsMute || rows.length < 2) && !shared.some(isMute)) return false;
      // What several rows share may be everybody's: a gym, a plan. So may a part of one row.
      if (rows.length > 1)
        return (
          shared.some(({ digest }) => alone.has(digest)) &&
          ((where !== undefined && inPlace.has(where) && shared.some(({ digest }) => ownDigests(where).has(digest))) ||
            isHalf(shared.length, keyed.known[index]?.size))
        );
      // Constants of an API stand in its records, in its only row and in its refusals: much of the
      // whole record has to be there, and beside something else all of it that can word nothing.
      const record = rows[0] ?? keyed.view?.record;
      const all = record?.all.filter(({ digest }) => fixed.has(digest)) ?? [...row.values()];
      if (all.some((scalar) => isMute(scalar) && !place.has(scalar.digest)) && saysMore(keyed, view)) return false;
      const whole = fixed.size > 0 ? fixed : new Set(row.keys());
      return [...whole].filter((digest) => place.has(digest)).length * 2 > whole.size;
    }),
  );
};

/**
 * Rows where the keyed answer has its own: a part of a row there is no thing that it only names.
 */
const rowsInPlace = (keyed: Keyed, seen: View | undefined): readonly Row[] =>
  [...(keyed.view?.lists.keys() ?? [])].flatMap((path) => seen?.lists.get(path)?.rows ?? []);

/** A gym and its number may be everybody's, also where one row alone names that gym. */
const isHalf = (part: number, whole = 0): boolean => part * 2 >= whole;

const isMuch = (scalars: Iterable<ScalarShape>): boolean =>
  [...scalars].filter((scalar) => !isBoolean(scalar)).length >= 3;

/** Whether a row has a member that another one lacks. */
const hasMore = (row: Row, other: Row): boolean =>
  !isNameless(row) && [...row.cells].some(([path, { type }]) => type !== 'null' && !other.cells.has(path));

/**
 * Whether an answer has a member that a keyed record lacks, or each of its rows one that the only
 * keyed row lacks.
 */
const saysMore = ({ rows: [only], view: own, second }: Keyed, seen: View | undefined): boolean => {
  const again = viewIn(second.shape);
  const rows = rowsIn(seen);
  if (only && rows.length > 0 && rows.every((row) => hasMore(row, only))) return true;
  return [...(seen?.outside ?? [])].some(
    ([path, { type }]) => type !== 'null' && own?.outside.has(path) === false && again?.outside.has(path) !== true,
  );
};

/** Parts of keyed rows by whose names and values such a row is known again. */
const knownParts = memoizePerObject(({ rows, ownPaths }: Keyed) =>
  rows.flatMap((row, index) => {
    const nameless = isNameless(row);
    return partsOf(row)
      .filter(({ path, cells }) => nameless || [...cells.keys()].some((name) => ownPaths[index]?.has(path + name)))
      .map(({ path, cells }) => ({ at: path, whole: cells, index, nameless }));
  }),
);

/**
 * (b) An object with the names and values of a row, that is no row of public answers. Rows that are
 * `plain` tell something by an owned value alone.
 */
const projectsRow = (
  keyed: Keyed,
  owned: Owned,
  seen: BodyShape,
  { open, plain }: { readonly open: readonly Row[]; readonly plain: readonly Row[] },
  needsOwned: boolean,
): boolean => {
  const { rows, grouped, known, moving, fixed, alone } = keyed;
  if (rows.length === 0) return false;
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
    if (all.size < 2 || isOneOf(open, all)) return false;
    const needsValue = needsOwned || isOneOf(plain, all);
    const isOfRow = knownParts(keyed).some(({ at, whole, index, nameless }) => {
      const named = nameless ? byPlace(all) : all;
      if (nameless && named.size !== whole.size) return false;
      // What changes from read to read tells nothing.
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

/** Null tells nothing: a public row is public with it too. */
const filledOf = (cells: Row['cells']): Row['cells'] => new Map([...cells].filter(([, { type }]) => type !== 'null'));

/** As a row without names has them. */
const byPlace = (cells: Row['cells']): Row['cells'] =>
  new Map([...cells.values()].map((cell, index) => [`/${index}`, cell]));

/** (c) A row without names: three or more values in the order of a keyed row, one of them owned. */
const listsRow = ({ rows }: Keyed, owned: Owned, seen: BodyShape): boolean =>
  rows.some((row, index) => {
    const values = row.all.map(({ digest }) => digest);
    return tuplesIn(seen).some((tuple) => {
      if (!tuple.some((digest) => owned[index]?.has(digest))) return false;
      let at = 0;
      let shared = 0;
      for (const digest of tuple) {
        const found = values.indexOf(digest, at);
        if (found < 0) continue;
        at = found + 1;
        shared += 1;
      }
      return shared >= 3;
    });
  });

/**
 * (c) Two different rows, whole but for what moves, without names: one row of small numbers may be
 * there by chance.
 */
const repeatsRows = ({ rows, moving }: Keyed, seen: BodyShape, publicRows: readonly Row[]): boolean => {
  const tuples = tuplesIn(seen);
  if (tuples.length < 2) return false;
  const valuesOf = ({ cells, all }: Row): readonly (ScalarShape | undefined)[] =>
    cells.size === 0 ? all : [...cells].map(([path, cell]) => (moving.has(path) ? undefined : cell));
  const isRepeated = (values: readonly (ScalarShape | undefined)[]): boolean =>
    tuples.some(
      (tuple) =>
        tuple.length === values.length &&
        values.every((value, at) => value === undefined || value.digest === tuple[at]),
    );
  const open = new Set(publicRows.map(wholeOf));
  const repeated = rows
    .filter((row) => !open.has(wholeOf(row)))
    .map(valuesOf)
    .filter((values) => isMuch(values.filter((value) => value !== undefined)) && isRepeated(values));
  return new Set(repeated.map((values) => values.map((value) => value?.digest).join(' '))).size >= 2;
};

/**
 * Of a text: two or more of its owned pieces, and more than half, between what it begins and ends
 * with in common.
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
