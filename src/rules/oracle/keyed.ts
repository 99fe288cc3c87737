import type { BodyFacts, ScalarShape } from '../../wire/facts.js';
import type { Response } from '../../wire/types.js';
import {
  digestsIn,
  fits,
  type List,
  namesOf,
  objectsIn,
  type Row,
  textIn,
  tuplesIn,
  type View,
  viewIn,
} from './view.js';

/** What the key's owner has: the rows of the keyed answer, and the values by which they are known again. */
export interface Keyed {
  readonly first: Response;
  readonly second: Response;
  readonly view: View | undefined;
  /** Rows of the outermost lists. */
  readonly rows: readonly Row[];
  /** A body without lists: one record. */
  readonly isRecord: boolean;
  /** The lists are there, and all are empty; or there is nothing to read at all. */
  readonly isHollow: boolean;
  /** Digests that may be owned, each with its scalar, row by row; of a record one row. */
  readonly candidates: readonly ReadonlyMap<string, ScalarShape>[];
  /** E-mail addresses beside the rows, the same in both reads. */
  readonly addresses: readonly string[];
  /** Digests of everything in the rows. */
  readonly digests: ReadonlySet<string>;
  /** Members that every row has, and of these the paths that are never null. */
  readonly names: ReadonlySet<string>;
  readonly filled: ReadonlySet<string>;
}

const rowsIn = (view: View | undefined): readonly Row[] =>
  [...(view?.lists.values() ?? [])].flatMap(({ rows }) => rows);

/** Digests that stand in every row tell none apart. */
const inAll = (rows: readonly Row[]): ReadonlySet<string> => {
  const [first, ...others] = rows;
  if (!first || others.length === 0) return new Set();
  return new Set([...first.digests].filter((digest) => others.every((row) => row.digests.has(digest))));
};

const intersection = (sets: readonly ReadonlySet<string>[]): ReadonlySet<string> => {
  const [first, ...others] = sets;
  return new Set([...(first ?? [])].filter((one) => others.every((set) => set.has(one))));
};

export const keyedOf = (first: Response, second: Response): Keyed => {
  const [view, again] = [viewIn(first.facts), viewIn(second.facts)];
  const rows = rowsIn(view);
  const isRecord = view !== undefined && view.lists.size === 0;
  const held = new Set(
    rows.length > 0 ? rowsIn(again).flatMap(({ digests }) => [...digests]) : (again?.record.digests ?? []),
  );
  const common = inAll(rows);
  const few = rows.length < 2;
  const candidatesIn = ({ all }: Row): ReadonlyMap<string, ScalarShape> =>
    new Map(
      all
        .filter(({ telling, digest, link }) => telling && held.has(digest) && !common.has(digest) && !(few && link))
        .map((scalar) => [scalar.digest, scalar]),
    );
  const columns = rows.map(
    ({ cells }) => new Set([...cells].filter(([, { type }]) => type !== 'null').map(([path]) => path)),
  );
  return {
    first,
    second,
    view,
    rows,
    isRecord,
    isHollow:
      first.facts.kind === 'empty' ||
      (view !== undefined && rows.length === 0 && (view.lists.size > 0 || view.outside.size === 0)),
    candidates: rows.length > 0 ? rows.map(candidatesIn) : view ? [candidatesIn(view.record)] : [],
    addresses: rows.length > 0 ? addressesIn(view, again) : [],
    digests: new Set(rows.flatMap(({ digests }) => [...digests])),
    names: intersection(rows.map(namesOf)),
    filled: intersection(columns),
  };
};

/** Envelopes repeat versions and names of servers in every answer, and persons in none but whom to ask for help. */
const addressesIn = (view: View | undefined, again: View | undefined): readonly string[] =>
  [...(view?.outside ?? [])].flatMap(([path, leaf]) =>
    leaf.type !== 'list' && leaf.form === 'email' && leaf.telling && again?.outside.get(path)?.digest === leaf.digest
      ? [leaf.digest]
      : [],
  );

/** Whether a value is in an answer that shows nothing, in a public one, or in another refusal. */
export type IsOpen = (digest: string) => boolean;

const isMute = ({ form }: ScalarShape): boolean => form !== undefined;

/**
 * Whether a body carries a record of the key's owner: (a) values of one row together, (b) a projection of a row under its
 * names, (c) a row without names, or much of an owner's text. `needsMute`: a refusal may repeat what frames the data (the
 * titles of its columns), so one owned value has to be of a form that words nothing.
 */
export const carriesRecord = (
  keyed: Keyed,
  seen: BodyFacts,
  isOpen: IsOpen,
  publicRows: readonly Row[],
  needsMute = false,
): boolean => {
  const frames = framesIn(keyed, seen);
  const isFrame = (digest: string): boolean => frames.some(({ digests }) => digests.has(digest));
  const owned = keyed.candidates.map(
    (row) => new Map([...row].filter(([digest]) => !isOpen(digest) && !isFrame(digest))),
  );
  if (owned.every(({ size }) => size === 0)) return keyed.view === undefined && carriesText(keyed, seen, isOpen);
  const there = digestsIn(seen);
  if (!owned.some((row) => [...row.keys()].some((digest) => there.has(digest)))) return false;
  const known = needsMute ? owned.map((row) => new Map([...row].filter(([, scalar]) => isMute(scalar)))) : owned;
  return (
    sharesValues(keyed, owned, seen, needsMute) ||
    projectsRow(keyed, known, seen, [...publicRows, ...frames], needsMute) ||
    listsRow(keyed, known, seen)
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
const framesIn = ({ view }: Keyed, seen: BodyFacts): readonly Row[] => {
  const there = viewIn(seen)?.lists;
  const filled = [...(view?.lists ?? [])].filter(([, { length }]) => length > 0);
  if (!there || filled.length < 2) return [];
  const isRepeated = ([path, { rows }]: readonly [string, List]): boolean =>
    tally(there.get(path)?.rows ?? []) === tally(rows);
  const others = filled.filter((one) => !isRepeated(one));
  if (others.length === 0 || others.some(([path]) => (there.get(path)?.length ?? 0) > 0)) return [];
  return filled.filter((one) => isRepeated(one) && !isTable(one[1].rows)).flatMap(([, { rows }]) => rows);
};

/** Values that the owner alone has and an answer carries, at any place. */
export const ownedIn = (keyed: Keyed, seen: BodyFacts, isOpen: IsOpen): number => {
  const there = digestsIn(seen);
  const values = new Set([...keyed.candidates.flatMap((row) => [...row.keys()]), ...keyed.addresses]);
  return [...values].filter((digest) => there.has(digest) && !isOpen(digest)).length;
};

type Owned = readonly ReadonlyMap<string, ScalarShape>[];

/** (a) Two or more owned values of one row within one row of the answer, within its outside, or within its text. */
const sharesValues = ({ rows }: Keyed, owned: Owned, seen: BodyFacts, needsMute: boolean): boolean => {
  const view = viewIn(seen);
  const places = [
    ...rowsIn(view).map(({ digests }) => digests),
    ...(view ? [view.record.digests] : []),
    ...objectsIn(seen).map(({ cells }) => new Set([...cells.values()].map(({ digest }) => digest))),
    textIn(seen),
  ];
  return owned.some((row) =>
    places.some((place) => {
      const shared = [...row.values()].filter(({ digest }) => place.has(digest));
      if (shared.length < 2) return false;
      if ((needsMute || rows.length < 2) && !shared.some(isMute)) return false;
      return rows.length > 0 || shared.length * 2 > row.size;
    }),
  );
};

const isBoolean = ({ type }: ScalarShape): boolean => type === 'boolean' || type === 'null';

/** (b) An object with the names and values of a row, that is no row of public answers. */
const projectsRow = (
  { rows }: Keyed,
  owned: Owned,
  seen: BodyFacts,
  publicRows: readonly Row[],
  needsOwned: boolean,
): boolean => {
  if (rows.length === 0) return false;
  const isPublic = (cells: Row['cells']): boolean => publicRows.some((row) => isWithin(cells, row.cells));
  return objectsIn(seen).some(({ cells }) => {
    if (cells.size < 2 || isPublic(cells)) return false;
    return rows.some((row, index) => {
      if (!isWithin(cells, row.cells)) return false;
      const values = [...cells.values()];
      if (values.some(({ digest }) => owned[index]?.has(digest))) return true;
      if (needsOwned) return false;
      const tells = ([path, { digest }]: readonly [string, ScalarShape]): boolean =>
        rows.some((other) => other.cells.get(path)?.digest !== digest);
      return (
        (values.filter((value) => !isBoolean(value)).length >= 3 && [...cells].some(tells)) ||
        (cells.size === row.cells.size && [...cells].some(tells))
      );
    });
  });
};

const isWithin = (part: Row['cells'], whole: Row['cells']): boolean =>
  [...part].every(([path, { digest }]) => whole.get(path)?.digest === digest);

/** (c) A row without names: three or more values in the order of a keyed row, one of them owned. */
const listsRow = ({ rows }: Keyed, owned: Owned, seen: BodyFacts): boolean =>
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
const carriesText = ({ first, second }: Keyed, seen: BodyFacts, isOpen: IsOpen): boolean => {
  const [a, b, c] = [first.facts.pieces, second.facts.pieces, seen.pieces];
  if (!a || !b) return false;
  const stable = new Set(b);
  const telling = new Set(first.facts.values);
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

/** Two or more rows of one structure with four or more cells that cannot word a refusal and differ from row to row. */
export const isTable = (rows: readonly Row[], isKnown: (digest: string) => boolean = () => false): boolean => {
  const alike = ofOneTree(rows);
  if (alike.length < 2) return false;
  const paths = new Set(alike.flatMap(({ cells }) => [...cells.keys()]));
  let mute = 0;
  for (const path of paths) {
    const column = alike.flatMap(({ cells }) => cells.get(path) ?? []);
    if (new Set(column.map(({ digest }) => digest)).size < 2) continue;
    mute += column.filter((cell) => isMute(cell) && !isKnown(cell.digest)).length;
    if (mute >= 4) return true;
  }
  return false;
};

/** The rows that have the structure of the one with the most members. */
const ofOneTree = (rows: readonly Row[]): readonly Row[] => {
  const [first] = [...rows].sort((a, b) => b.cells.size - a.cells.size);
  return first ? rows.filter(({ shape }) => fits(shape, first.shape)) : [];
};

/** Rows of the keyed kind that are not the owner's: every member that all keyed rows have, and filled where theirs are. */
export const isTableOfKind = ({ names, filled, digests }: Keyed, { rows }: Pick<List, 'rows'>): boolean => {
  const alike = rows.filter((row) => {
    const own = namesOf(row);
    return names.size > 0 ? [...names].every((name) => own.has(name)) : own.size === 0;
  });
  if ([...filled].some((path) => alike.every(({ cells }) => (cells.get(path)?.type ?? 'null') === 'null')))
    return false;
  return isTable(alike, (digest) => digests.has(digest));
};
