import { lazy } from '../../collections.js';
import type { BodyShape, ScalarShape } from '../../wire/body-shape.js';
import type { Response } from '../../wire/types.js';
import { digestsIn, linesIn, listsWithin } from './contents.js';
import { ownOf } from './own-values.js';
import { changeOf } from './same.js';
import { isBooleanOrNull, isNameless, namesOf, type Row, rowsIn, scalarsIn, type View, viewIn } from './view.js';

/** What the key's owner gets, and the values by which it can be recognised in other answers. */
export interface Keyed {
  readonly first: Response;
  readonly second: Response;
  readonly view: View | undefined;
  /** Rows of the outermost lists. */
  readonly rows: readonly Row[];
  /** The body has no lists, so it is one record. */
  readonly isRecord: boolean;
  /** The body is empty, or all its lists are, or it has no members. */
  readonly isEmpty: boolean;
  /**
   * Telling values by digest that may be the owner's: one map for each row, for a record, or for
   * each line of a text.
   */
  readonly candidates: readonly ReadonlyMap<string, ScalarShape>[];
  /** Those candidates that belong to the row itself, and not to an object nested in it. */
  readonly known: readonly ReadonlyMap<string, ScalarShape>[];
  /** For each row, the paths of scalars that belong to the row itself. */
  readonly ownPaths: readonly ReadonlySet<string>[];
  /** Digests of telling values that are not in the structure because a long list was cut. */
  readonly unplaced: readonly string[];
  /** Digests of e-mail addresses outside rows that are equal in both reads. */
  readonly addresses: readonly string[];
  /** Columns of rows whose values differ between the reads. */
  readonly moving: ReadonlySet<string>;
  /** Rows of lists inside rows. */
  readonly inner: readonly Row[];
  /**
   * Rows of lists inside rows that belong to the row itself: it has fewer than two telling values
   * outside such lists.
   */
  readonly grouped: readonly Row[];
  /**
   * For a record or a single row: digests of all values that are equal in both reads, except
   * booleans and nulls.
   */
  readonly fixed: ReadonlySet<string>;
  /** Digests of telling values outside rows that have a format and may be the owner's. */
  readonly around: ReadonlySet<string>;
  /** Digests of all values in rows and outside them. */
  readonly digests: ReadonlySet<string>;
  /** Digests of all values in rows. */
  readonly rowDigests: ReadonlySet<string>;
  /** Digests that occur in one row only. */
  readonly alone: ReadonlySet<string>;
  /** What all rows of a filled list have in common, by the path of the list. */
  readonly kinds: ReadonlyMap<string, Kind>;
}

/** What all rows of a list have in common. */
export interface Kind {
  /** Members that every row has. */
  readonly names: ReadonlySet<string>;
  /** Paths that are null in no row. */
  readonly filled: ReadonlySet<string>;
  /** For rows without names: the formats that occur at each index. */
  readonly places: ReadonlyMap<string, ReadonlySet<ScalarShape['form']>>;
}

const placesIn = (rows: readonly Row[]): Kind['places'] => {
  const places = new Map<string, Set<ScalarShape['form']>>();
  for (const [at, { form }] of rows.filter(isNameless).flatMap(({ cells }) => [...cells]))
    places.set(at, (places.get(at) ?? new Set()).add(form));
  return places;
};

export const kindOf = (rows: readonly Row[]): Kind => ({
  names: intersection(rows.map(namesOf)),
  filled: intersection(
    rows.map(({ cells }) => new Set([...cells].filter(([, { type }]) => type !== 'null').map(([path]) => path))),
  ),
  places: placesIn(rows),
});

/**
 * Whether a row has all members of a kind, or, in a kind without names, no member and only formats
 * that occur at their index.
 */
export const isOfKind = (row: Row, { names, places }: Kind): boolean => {
  const own = namesOf(row);
  if (names.size > 0) return [...names].every((name) => own.has(name));
  return own.size === 0 && [...row.cells].every(([at, { type, form }]) => type === 'null' || places.get(at)?.has(form));
};

/** Digests that occur in every row, so they identify none. */
export const commonDigests = (rows: readonly Row[]): ReadonlySet<string> => {
  const [first, ...others] = rows;
  if (!first || others.length === 0) return new Set();
  return new Set([...first.digests].filter((digest) => others.every((row) => row.digests.has(digest))));
};

const intersection = (sets: readonly ReadonlySet<string>[]): ReadonlySet<string> => {
  const [first, ...others] = sets;
  return new Set([...(first ?? [])].filter((one) => others.every((set) => set.has(one))));
};

/** The objects in lists inside a row. */
export const innerRows = ({ shape }: Row): readonly Row[] =>
  listsWithin(shape).flatMap(({ rows }) => rows.filter((row) => row.shape.type === 'object'));

/** For each line of a text: its telling, formatted words that the second read has too. */
const stableWordsByLine = (first: BodyShape, second: BodyShape): readonly ReadonlyMap<string, ScalarShape>[] => {
  const held = digestsIn(second);
  return linesIn(first).map(
    ({ all }) =>
      new Map(
        all
          .filter(({ telling, form, link, digest }) => telling && form && !link && held.has(digest))
          .map((word) => [word.digest, word]),
      ),
  );
};

/**
 * Telling values outside rows that have a format and are equal in both reads. Values without a
 * format may be constants of the API. A single value is not enough.
 */
const formattedValuesIn = (record: Row, again: View | undefined): readonly string[] => {
  const held = again?.record.digests ?? new Set();
  const mutes = record.all.filter(({ telling, form, link, digest }) => telling && form && !link && held.has(digest));
  return mutes.length < 2 ? [] : mutes.map(({ digest }) => digest);
};

/** Scalars of JSON inside strings. For a single row or a record they count as its values. */
const embeddedIn = ({ kind, embedded = [] }: BodyShape): readonly ScalarShape[] =>
  kind === 'text' ? [] : embedded.flatMap((shape) => scalarsIn(shape));

export const keyedOf = (first: Response, second: Response): Keyed => {
  const [view, again] = [viewIn(first.shape), viewIn(second.shape)];
  const rows = rowsIn(view);
  const isRecord = view !== undefined && view.lists.size === 0;
  const held = lazy(
    () =>
      new Set(rows.length > 0 ? rowsIn(again).flatMap(({ digests }) => [...digests]) : (again?.record.digests ?? [])),
  );
  const candidatesIn = ({ all }: Row, common: ReadonlySet<string>): ReadonlyMap<string, ScalarShape> =>
    new Map(
      all
        .filter(
          ({ telling, digest, link, names }) =>
            telling && held().has(digest) && !common.has(digest) && !(rows.length < 2 && (link || names)),
        )
        .map((scalar) => [scalar.digest, scalar]),
    );
  const candidates = lazy(() => {
    const common = commonDigests(rows);
    if (rows.length > 0) return rows.map((row) => candidatesIn(row, common));
    if (!view) return stableWordsByLine(first.shape, second.shape);
    // What stands around empty lists belongs to the API.
    return isRecord ? [candidatesIn(view.record, common)] : [];
  });
  const own = lazy(() =>
    rows.map(({ shape }, index) => ownOf(shape, ({ digest }) => candidates()[index]?.has(digest) === true)),
  );
  const known = lazy(() =>
    rows.length === 0
      ? candidates()
      : own().map(({ scalars }, index) => {
          const digests = new Set(scalars.map(({ digest }) => digest));
          return new Map([...(candidates()[index] ?? [])].filter(([digest]) => digests.has(digest)));
        }),
  );
  const lists = [...(view?.lists ?? [])];
  const moving = lazy(
    () => new Set(lists.flatMap(([path, list]) => [...changeOf(list, again?.lists.get(path)).moving])),
  );
  const inner = lazy(() => rows.flatMap(innerRows));
  const fixed = lazy(() => {
    const all = isRecord ? view.record.all : rows.length === 1 ? (rows[0]?.all ?? []) : [];
    if (all.length === 0) return new Set<string>();
    const again = new Set([...held(), ...embeddedIn(second.shape).map(({ digest }) => digest)]);
    return new Set(
      [...all, ...embeddedIn(first.shape)]
        .filter((scalar) => !isBooleanOrNull(scalar) && again.has(scalar.digest))
        .map(({ digest }) => digest),
    );
  });
  const around = lazy(() => new Set(view && !isRecord ? formattedValuesIn(view.record, again) : []));
  const unplaced = lazy(() => unplacedIn(first.shape, second.shape));
  const digests = lazy(() => new Set(view ? [...rows, view.record].flatMap((row) => [...row.digests]) : []));
  const rowDigests = lazy(() => new Set(rows.flatMap((row) => [...row.digests])));
  const alone = lazy(() => {
    const often = new Set<string>();
    const once = new Set<string>();
    for (const digest of rows.flatMap((row) => [...row.digests])) (once.has(digest) ? often : once).add(digest);
    return new Set([...once].filter((digest) => !often.has(digest)));
  });
  const kinds = lazy(
    () => new Map(lists.flatMap(([path, list]) => (list.length > 0 ? [[path, kindOf(list.rows)] as const] : []))),
  );
  return {
    first,
    second,
    view,
    rows,
    isRecord,
    isEmpty:
      first.shape.kind === 'empty' ||
      (view !== undefined && rows.length === 0 && (view.lists.size > 0 || view.outside.size === 0)),
    // Getters, since most answers need none of these.
    get candidates() {
      return candidates();
    },
    get known() {
      return known();
    },
    get ownPaths() {
      return own().map(({ paths }) => paths);
    },
    get grouped() {
      return own().flatMap(({ rows: its }) => its);
    },
    get moving() {
      return moving();
    },
    get inner() {
      return inner();
    },
    get fixed() {
      return fixed();
    },
    get around() {
      return around();
    },
    get addresses() {
      return rows.length > 0 ? addressesIn(view, again) : [];
    },
    get unplaced() {
      return unplaced();
    },
    get digests() {
      return digests();
    },
    get rowDigests() {
      return rowDigests();
    },
    get alone() {
      return alone();
    },
    get kinds() {
      return kinds();
    },
  };
};

/**
 * Envelopes repeat versions and server names in every answer, so only e-mail addresses count there.
 */
const addressesIn = (view: View | undefined, again: View | undefined): readonly string[] =>
  [...(view?.outside ?? [])].flatMap(([path, leaf]) =>
    leaf.type !== 'list' && leaf.form === 'email' && leaf.telling && again?.outside.get(path)?.digest === leaf.digest
      ? [leaf.digest]
      : [],
  );

const unplacedIn = (first: BodyShape, second: BodyShape): readonly string[] => {
  if (!first.capped && !second.capped) return [];
  // With rows in changing order, each read may keep different ones.
  const [one, other] = [first, second].map((body) => viewIn(body)?.digests);
  const again = new Set(second.values);
  return first.values.filter((value) => again.has(value) && !(one?.has(value) && other?.has(value)));
};
