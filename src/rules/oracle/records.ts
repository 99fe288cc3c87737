import { memoizePerObject } from '../../collections.js';
import type { BodyShape, ScalarShape, Shape } from '../../wire/body-shape.js';
import type { IsOpen, KeyedReads, Open } from './background.js';
import { cataloguesIn } from './catalogues.js';
import { digestsIn, listsOfScalarsIn, objectsIn, textIn } from './contents.js';
import { framesIn } from './frames.js';
import {
  allDigestsOf,
  fixedDigestsOf,
  innerRowsOf,
  type Keyed,
  knownOf,
  movingColumnsOf,
  ownPartsOf,
  passingRowsOf,
  uniqueDigestsOf,
} from './keyed.js';
import { isWithin, partsOf, rowsInPlace } from './row-parts.js';
import {
  digestsOf,
  isBooleanOrNull,
  isFormatted,
  isNameless,
  type Row,
  rowOf,
  rowsIn,
  type View,
  viewIn,
} from './view.js';

/** Whether an answer carries data of the key's owner. */

/**
 * Whether a body carries a record of the key's owner: (a) values of one row together, (b) a
 * projection of a row under its names, (c) most of a text.
 *
 * `needsFormat`: one of the owned values has to have a format. A refusal may repeat values without
 * one, such as column titles.
 */
export const carriesRecord = (
  reads: KeyedReads,
  seen: BodyShape,
  { has: isOpen, rows: openRows }: Pick<Open, 'has' | 'rows'>,
  needsFormat = false,
): boolean => {
  const { keyed } = reads;
  const there = digestsIn(seen);
  if (keyed.view && ![...there].some((digest) => allDigestsOf(keyed).has(digest))) return false;
  const frames = framesIn(reads, seen);
  const isFrame = (digest: string): boolean => frames.some(({ digests }) => digests.has(digest));
  const view = viewIn(seen);
  const search: Search = {
    keyed,
    seen,
    view,
    owned: knownOf(keyed).map((row, index) => {
      const isPassing = isPassingRow(keyed, index);
      return new Map([...row].filter(([digest]) => !isPassing && !isOpen(digest) && !isFrame(digest)));
    }),
    inPlace: new Set(rowsInPlace(keyed, view).map(({ shape }) => shape)),
    catalogues: cataloguesIn(keyed, seen),
    needsFormat,
  };
  if (keyed.view === undefined) return carriesText(keyed, seen, isOpen) || sharesValues(search);
  const hasOwned = search.owned.some((row) => [...row.keys()].some((digest) => there.has(digest)));
  return (hasOwned && sharesValues(search)) || projectsRow(search, [...openRows(), ...frames]);
};

const isPassingRow = (keyed: Keyed, index: number): boolean => {
  const row = keyed.rows[index];
  return row !== undefined && passingRowsOf(keyed).has(row);
};

interface Search {
  readonly keyed: Keyed;
  readonly seen: BodyShape;
  readonly view: View | undefined;
  /** The owned values of each keyed row. */
  readonly owned: readonly ReadonlyMap<string, ScalarShape>[];
  /** Rows of `seen` in the place of the keyed rows. */
  readonly inPlace: ReadonlySet<Shape>;
  /** Structures of `seen` that the keyed rows may only refer to. */
  readonly catalogues: ReadonlySet<Shape>;
  readonly needsFormat: boolean;
}

/** Less than half of a row's values may be public, such as a gym's name and number. */
const isEnough = ({ keyed, inPlace }: Search, index: number, count: number, where: Shape | undefined): boolean =>
  (where !== undefined && inPlace.has(where)) || count * 2 >= (knownOf(keyed)[index]?.size ?? 0);

/** A calendar gives times to everybody, so times alone do not identify a row. */
const isTime = ({ form }: ScalarShape): boolean => form === 'time';

/** Lists of scalars at any depth, such as the lines of a table without names. */
const namelessRowsIn = (body: BodyShape): readonly Row[] => listsOfScalarsIn(body).map(({ shape }) => rowOf(shape));

/** The values of a row, without those in its lists. */
const ownDigests = memoizePerObject(({ cells }: Row) => digestsOf(cells.values()));

/** (a) Two or more owned values of one row in one object, outside the rows, or in a text. */
const sharesValues = (search: Search): boolean => {
  const { keyed, seen, view, owned, catalogues, needsFormat } = search;
  const { rows } = keyed;
  const [fixed, unique] = [fixedDigestsOf(keyed), uniqueDigestsOf(keyed)];
  const places: readonly { readonly where?: Shape; readonly held: ReadonlySet<string> }[] = [
    ...rowsIn(view).map(({ shape, digests }) => ({ where: shape, held: digests })),
    ...[...objectsIn(seen), ...namelessRowsIn(seen)].map((row) => ({ where: row.shape, held: ownDigests(row) })),
    ...(view ? [{ held: view.record.digests }] : []),
    { held: textIn(seen) },
  ];
  return owned.some((row, index) =>
    places.some(({ where, held }) => {
      if (where && catalogues.has(where)) return false;
      const shared = [...row.values()].filter(({ digest }) => held.has(digest));
      if (shared.length < 2) return false;
      if ((needsFormat || rows.length < 2) && !shared.some(isFormatted)) return false;
      // Values that several rows share may be public, such as a gym or a plan. So may a part of one
      // row.
      if (rows.length > 1)
        return (
          shared.some((scalar) => unique.has(scalar.digest) && !isTime(scalar)) &&
          isEnough(search, index, shared.length, where)
        );
      // Records and refusals of an API share constants. So more than half of the record has to be
      // there, and all of its formatted values.
      const [record] = keyed.records;
      const all = record?.all.filter(({ digest }) => fixed.has(digest)) ?? [...row.values()];
      if (all.some((scalar) => isFormatted(scalar) && !held.has(scalar.digest))) return false;
      const whole = fixed.size > 0 ? fixed : new Set(row.keys());
      return [...whole].filter((digest) => held.has(digest)).length * 2 > whole.size;
    }),
  );
};

/** A part of a keyed row that identifies its row by names and values. */
interface KnownPart {
  /** Its path in the row. */
  readonly at: string;
  readonly whole: Row['cells'];
  /** Index of the row. */
  readonly index: number;
}

const knownParts = memoizePerObject((keyed: Keyed): readonly KnownPart[] =>
  keyed.rows.flatMap((row, index) =>
    (isPassingRow(keyed, index) ? [] : partsOf(row))
      .filter(({ path, cells }) => [...cells.keys()].some((name) => ownPartsOf(keyed)[index]?.paths.has(path + name)))
      .map(({ path, cells }) => ({ at: path, whole: cells, index })),
  ),
);

/** Whether a cell of an object has another value in one of the rows. */
const tellsRowsApart = (rows: readonly Row[], cells: Row['cells'], at: string): boolean =>
  [...cells].some(([path, { digest }]) =>
    rows.some((row) => {
      const its = row.cells.get(at + path);
      return its !== undefined && its.digest !== digest;
    }),
  );

/** Whether an object has enough values to tell a row, also where they are small numbers. */
const hasMuch = (cells: Row['cells']): boolean =>
  [...cells.values()].filter((scalar) => !isBooleanOrNull(scalar)).length >= 3;

/** Whether an object is one of the rows, or a part of one. */
const isAmong = (rows: readonly Row[], cells: Row['cells']): boolean =>
  rows.some((row) => partsOf(row).some((part) => isWithin(cells, part.cells)));

/**
 * For each row of a list, the columns that have one value in all of its rows, and several in what
 * the key gets: those of a chart without data, which say nothing of any row.
 */
const blankIn = (keyed: Keyed, view: View | undefined): ReadonlyMap<Shape, ReadonlySet<string>> => {
  const blank = new Map<Shape, ReadonlySet<string>>();
  const isSame = (rows: readonly Row[], path: string): boolean =>
    new Set(rows.map(({ cells }) => cells.get(path)?.digest)).size === 1;
  for (const { rows } of view?.lists.values() ?? []) {
    const [first, ...others] = rows;
    if (first === undefined || others.length === 0) continue;
    const paths = new Set([...first.cells.keys()].filter((path) => isSame(rows, path) && !isSame(keyed.rows, path)));
    for (const { shape } of rows) blank.set(shape, paths);
  }
  return blank;
};

/** (b) An object with names and values of a keyed row that is none of the open rows. */
const projectsRow = (search: Search, openRows: readonly Row[]): boolean => {
  const { keyed, seen, view, catalogues } = search;
  if (keyed.rows.length === 0) return false;
  const blank = blankIn(keyed, view);
  return objectsIn(seen)
    .filter(({ shape, cells }) => cells.size > 1 && !catalogues.has(shape) && !isAmong(openRows, filledOf(cells)))
    .some((one) => knownParts(keyed).some((part) => isProjection(search, one, part, blank.get(one.shape))));
};

/**
 * Whether an object has names and values of a part of a row alone, and identifies the row: by a
 * value that no other row has, or by several that some row does not have.
 * @param blank paths of the object's columns that say nothing of it
 */
const isProjection = (
  search: Search,
  one: Row,
  { at, whole, index }: KnownPart,
  blank: ReadonlySet<string> = new Set(),
): boolean => {
  const { keyed, owned, needsFormat } = search;
  const isOfMany = keyed.rows.length > 1;
  // Columns that change from read to read prove nothing.
  const cells = new Map([...one.cells].filter(([path]) => !movingColumnsOf(keyed).has(at + path) && !blank.has(path)));
  if (cells.size < 2 || !isWithin(cells, whole)) return false;
  const values = [...cells.values()];
  const itsOwn = values.filter(({ digest }) => knownOf(keyed)[index]?.has(digest)).length;
  if (isOfMany && !isEnough(search, index, itsOwn, one.shape)) return false;
  const isOwned = (cell: ScalarShape): boolean =>
    owned[index]?.has(cell.digest) === true &&
    uniqueDigestsOf(keyed).has(cell.digest) &&
    (!needsFormat || isFormatted(cell)) &&
    !(isOfMany && isTime(cell));
  if (values.some(isOwned) && (isOfMany || cells.size * 2 > fixedDigestsOf(keyed).size)) return true;
  const others = new Map([...cells].filter(([, cell]) => !isTime(cell)));
  return !needsFormat && hasMuch(blank.size > 0 ? others : cells) && tellsRowsApart(keyed.rows, others, at);
};

/** The values of a row in order, whatever they are called. */
const valuesInOrder = ({ cells }: Row): string => [...cells.values()].map(({ digest }) => digest).join(' ');

/** What `repeatsRow` looks for: the parts of rows, and the values of rows without names. */
const repeatableIn = memoizePerObject((rows: readonly Row[]) => ({
  parts: rows.flatMap(partsOf),
  lines: new Set(rows.filter(isNameless).map(valuesInOrder)),
}));

/**
 * Whether an object repeats three or more values of a keyed row, or of a row in it, and they tell
 * it from the others: under its names, or all of a row without names. They may be small numbers, so
 * this proves nothing.
 */
export const repeatsRow = (keyed: Keyed, seen: BodyShape, openRows: readonly Row[]): boolean =>
  [keyed.rows, innerRowsOf(keyed)].some((rows) => {
    if (rows.length < 2) return false;
    const { parts, lines } = repeatableIn(rows);
    return objectsIn(seen).some((one) => {
      const { cells } = one;
      if (!hasMuch(cells) || isAmong(openRows, cells)) return false;
      if (lines.size > 1 && lines.has(valuesInOrder(one))) return true;
      return parts.some((part) => isWithin(cells, part.cells) && tellsRowsApart(rows, cells, part.path));
    });
  });

/** Nulls are left out, since a public row may lack them. */
const filledOf = (cells: Row['cells']): Row['cells'] => new Map([...cells].filter(([, { type }]) => type !== 'null'));

/**
 * (c) Whether a text carries two or more of the owned pieces, and more than half of them. Pieces in
 * the common beginning and the common end of both texts do not count.
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
