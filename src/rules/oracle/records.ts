import { memoizePerObject } from '../../collections.js';
import type { BodyShape, ScalarShape } from '../../wire/body-shape.js';
import type { Keyed } from './keyed.js';
import { isTable } from './tables.js';
import {
  digestsIn,
  fits,
  isBoolean,
  isMute,
  type List,
  objectsIn,
  type Row,
  rowsIn,
  textIn,
  tuplesIn,
  viewIn,
} from './view.js';

/** Whether an answer carries what is the key owner's. */

/** Whether a value is in an answer that shows nothing, in a public one, or in another refusal. */
export type IsOpen = (digest: string) => boolean;

/**
 * Whether a body carries a record of the key's owner: (a) values of one row together, (b) a projection of a row under its
 * names, (c) a row without names, or much of an owner's text. `needsMute`: a refusal may repeat what frames the data (the
 * titles of its columns), so one owned value has to be of a form that words nothing.
 */
export const carriesRecord = (
  keyed: Keyed,
  seen: BodyShape,
  isOpen: IsOpen,
  publicRows: readonly Row[],
  needsMute = false,
): boolean => {
  const frames = framesIn(keyed, seen);
  const isFrame = (digest: string): boolean => frames.some(({ digests }) => digests.has(digest));
  const owned = keyed.candidates.map(
    (row) => new Map([...row].filter(([digest]) => !isOpen(digest) && !isFrame(digest))),
  );
  if (keyed.view === undefined) return carriesText(keyed, seen, isOpen) || sharesValues(keyed, owned, seen);
  const there = digestsIn(seen);
  const hasOwned = owned.some((row) => [...row.keys()].some((digest) => there.has(digest)));
  const known = needsMute ? owned.map((row) => new Map([...row].filter(([, scalar]) => isMute(scalar)))) : owned;
  return (
    (hasOwned && (sharesValues(keyed, owned, seen, needsMute) || listsRow(keyed, known, seen))) ||
    projectsRow(keyed, known, seen, [...publicRows, ...frames], needsMute)
  );
};

const tally = (rows: readonly Row[]): string =>
  rows
    .map(({ all }) => all.map(({ digest }) => digest).join(' '))
    .sort()
    .join(';');

/**
 * Rows of lists that an answer repeats whole and that are no table, where it has none of the other rows: such lists (links,
 * relations) may frame every answer of the service, a refusal too.
 */
const framesIn = ({ view }: Keyed, seen: BodyShape): readonly Row[] => {
  const there = viewIn(seen)?.lists;
  const filled = [...(view?.lists ?? [])].filter(([, { length }]) => length > 0);
  if (!there || filled.length < 2) return [];
  const isRepeated = ([path, { rows }]: readonly [string, List]): boolean =>
    tally(there.get(path)?.rows ?? []) === tally(rows);
  const others = filled.filter((one) => !isRepeated(one));
  if (others.length === 0 || others.some(([path]) => (there.get(path)?.length ?? 0) > 0)) return [];
  return filled.filter((one) => isRepeated(one) && !isTable(one[1].rows)).flatMap(([, { rows }]) => rows);
};

/** Values that the owner alone has and an answer carries, at any place; of those around rows more than half. */
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

/** (a) Two or more owned values of one row within one row of the answer, within its outside, or within its text. */
const sharesValues = ({ rows, fixed }: Keyed, owned: Owned, seen: BodyShape, needsMute = false): boolean => {
  const view = viewIn(seen);
  const places = [
    ...rowsIn(view).map(({ digests }) => digests),
    ...(view ? [view.record.digests] : []),
    ...objectsIn(seen).map(({ cells }) => new Set([...cells.values()].map(({ digest }) => digest))),
    ...tuplesIn(seen).map((tuple) => new Set(tuple)),
    textIn(seen),
  ];
  return owned.some((row) =>
    places.some((place) => {
      const shared = [...row.values()].filter(({ digest }) => place.has(digest));
      if (shared.length < 2) return false;
      if ((needsMute || rows.length < 2) && !shared.some(isMute)) return false;
      if (rows.length > 0) return true;
      // Constants of an API stand in its records and in its refusals: much of the whole record has to be there.
      const whole = fixed.size > 0 ? fixed : new Set(row.keys());
      return [...whole].filter((digest) => place.has(digest)).length * 2 > whole.size;
    }),
  );
};

/** (b) An object with the names and values of a row, that is no row of public answers. */
const projectsRow = (
  { rows, inner, moving }: Keyed,
  owned: Owned,
  seen: BodyShape,
  publicRows: readonly Row[],
  needsOwned: boolean,
): boolean => {
  if (rows.length === 0) return false;
  const isMuch = (cells: Row['cells']): boolean => [...cells.values()].filter((cell) => !isBoolean(cell)).length >= 3;
  const tellsIn = (all: readonly Row[], cells: Row['cells'], at: string): boolean =>
    [...cells].some(([path, { digest }]) =>
      all.some((row) => {
        const its = row.cells.get(at + path);
        return its !== undefined && its.digest !== digest;
      }),
    );
  return objectsIn(seen).some(({ cells: all }) => {
    if (all.size < 2 || publicRows.some((row) => isWithin(all, row.cells))) return false;
    const isOfRow = rows.some((row, index) =>
      partsOf(row).some(({ path: at, cells: whole }) => {
        // What changes from read to read tells nothing.
        const named = row.shape.type === 'array' ? byPlace(all) : all;
        const cells = new Map([...named].filter(([path]) => !moving.has(at + path)));
        if (row.shape.type === 'array' && named.size !== whole.size) return false;
        if (cells.size < 2 || !isWithin(cells, whole)) return false;
        if ([...cells.values()].some(({ digest }) => owned[index]?.has(digest))) return true;
        if (needsOwned) return false;
        return (isMuch(cells) || (at === '' && all.size === whole.size)) && tellsIn(rows, cells, at);
      }),
    );
    if (isOfRow || needsOwned) return isOfRow;
    return isMuch(all) && inner.some((row) => isWithin(all, row.cells)) && tellsIn(inner, all, '');
  });
};

/** As a row without names has them. */
const byPlace = (cells: Row['cells']): Row['cells'] =>
  new Map([...cells.values()].map((cell, index) => [`/${index}`, cell]));

interface Part {
  readonly path: string;
  readonly cells: Row['cells'];
}

/** A row, and the objects in it: many formats put what makes a row into one of its members. */
const partsOf = memoizePerObject((row: Row): readonly Part[] => {
  const paths = new Set<string>();
  for (const path of row.cells.keys())
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) paths.add(path.slice(0, at));
  const inner = [...paths].map((path): Part => {
    const cells = [...row.cells].flatMap(([name, cell]) =>
      name.startsWith(`${path}/`) ? [[name.slice(path.length), cell] as const] : [],
    );
    return { path, cells: new Map(cells) };
  });
  return [{ path: '', cells: row.cells }, ...inner.filter(({ cells }) => cells.size > 1)];
});

/** A row of the structure of a keyed one; or of an object in one, with a value that can word nothing. */
export const fitsKeyed = ({ rows, inner }: Keyed, { shape, cells }: Row): boolean =>
  rows.some((row) => fits(row.shape, shape)) ||
  (cells.size > 1 &&
    [...cells.values()].some((cell) => isMute(cell) && cell.telling) &&
    (inner.some((row) => fits(row.shape, shape)) ||
      rows.some((row) => partsOf(row).some((part) => part.path !== '' && hasCellsOf(cells, part.cells)))));

const hasCellsOf = (cells: Row['cells'], others: Row['cells']): boolean =>
  cells.size === others.size &&
  [...cells].every(([path, cell]) => {
    const other = others.get(path);
    return other !== undefined && fits(cell, other);
  });

/** What repeats the path that was asked for reads in another way where another path was: links count as equal. */
const isWithin = (part: Row['cells'], whole: Row['cells']): boolean =>
  [...part].every(([path, { digest, link }]) => {
    const its = whole.get(path);
    return its !== undefined && (its.digest === digest || (link === true && its.link === true));
  });

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

/** Of a text: two or more of its owned pieces, and more than half, between what it begins and ends with in common. */
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
