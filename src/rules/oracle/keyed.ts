import { intersection, memoizePerObject } from '../../collections.js';
import type { BodyShape, ScalarShape, Shape } from '../../wire/body-shape.js';
import type { Response } from '../../wire/types.js';
import { digestsIn, linesIn, listsWithin } from './contents.js';
import { changeOf, sharedWithKeyed } from './same.js';
import {
  digestsOf,
  isBooleanOrNull,
  isKnownBy,
  isScalar,
  isTellingFormat,
  type List,
  namesOf,
  type Row,
  recordsIn,
  rowsIn,
  type View,
  viewIn,
} from './view.js';

/** What the key's owner gets, and the values by which it can be recognised in other answers. */
export interface Keyed {
  readonly first: Response;
  readonly second: Response;
  readonly view: View | undefined;
  /** The view of the second read. */
  readonly again: View | undefined;
  /** Rows of the outermost lists. */
  readonly rows: readonly Row[];
  /** The rows, or the body if it is one record. */
  readonly records: readonly Row[];
  /** The body has no lists, so it is one record. */
  readonly isRecord: boolean;
  /** The body is empty, or all its lists are, or it has no members. */
  readonly isEmpty: boolean;
}

export const keyedOf = (first: Response, second: Response): Keyed => {
  const [view, again] = [viewIn(first.shape), viewIn(second.shape)];
  const rows = rowsIn(view);
  return {
    first,
    second,
    view,
    again,
    rows,
    records: recordsIn(view),
    isRecord: view !== undefined && view.lists.size === 0,
    isEmpty:
      first.shape.kind === 'empty' ||
      (view !== undefined && rows.length === 0 && (view.lists.size > 0 || view.outside.size === 0)),
  };
};

/** A body whose lists are all empty, as the record that they belong to. */
export const asRecord = (keyed: Keyed): Keyed => {
  const [view, again] = [keyed.view, keyed.again].map((each) => each && { ...each, lists: new Map<string, List>() });
  return { ...keyed, view, again, records: recordsIn(view), isRecord: true, isEmpty: false };
};

/** Whether a body equals both keyed reads except for volatile parts. The status does not matter. */
export const isAsKeyed = ({ first, second }: Pick<Keyed, 'first' | 'second'>, { shape }: Response): boolean =>
  sharedWithKeyed(first.shape, second.shape, shape) !== undefined;

/** Whether a text has half of the pieces that both keyed reads share. */
export const sharesPieces = ({ first, second }: Keyed, seen: BodyShape): boolean => {
  const again = new Set(second.shape.pieces);
  const stable = (first.shape.pieces ?? []).filter((piece) => again.has(piece));
  const there = new Set(seen.pieces);
  return stable.filter((piece) => there.has(piece)).length * 2 >= stable.length;
};

const digestsInRows = (rows: readonly Row[]): ReadonlySet<string> =>
  new Set(rows.flatMap(({ digests }) => [...digests]));

export const rowDigestsOf = memoizePerObject(({ rows }: Keyed) => digestsInRows(rows));

/** Digests of all values in rows and outside them. */
export const allDigestsOf = memoizePerObject(({ rows, view }: Keyed) =>
  digestsInRows(view ? [...rows, view.record] : []),
);

/** Digests of the rows, or of the record, of the second read. */
const repeatedOf = memoizePerObject(({ again }: Keyed) => digestsInRows(recordsIn(again)));

/** Paths outside rows where two views differ, also if one has no value there. */
export const differencesOutside = (one: View | undefined, other: View | undefined): ReadonlySet<string> => {
  const paths = [one, other].flatMap((view) => [...(view?.outside.keys() ?? [])]);
  return new Set(paths.filter((path) => one?.outside.get(path)?.digest !== other?.outside.get(path)?.digest));
};

/** Paths outside rows that differ between the reads. */
export const changingOf = memoizePerObject(({ view, again }: Keyed) => differencesOutside(view, again));

type TellingValues = ReadonlyMap<string, ScalarShape>;

const byDigest = (scalars: readonly ScalarShape[]): TellingValues =>
  new Map(scalars.map((scalar) => [scalar.digest, scalar]));

/** Telling values that may be the owner's: by row, for a record, or by line of a text. */
export const candidatesOf = memoizePerObject((keyed: Keyed): readonly TellingValues[] => {
  const { first, second, view, records } = keyed;
  if (!view) return stableWordsByLine(first.shape, second.shape);
  const common = commonDigests(records);
  const isCandidate = ({ telling, digest, link, names }: ScalarShape): boolean =>
    telling === true &&
    repeatedOf(keyed).has(digest) &&
    !common.has(digest) &&
    !(records.length < 2 && (link === true || names === true));
  // The only row of a list may repeat constants of the API, which stand around the list too.
  const around = new Set([...view.outside.values()].map(({ digest }) => digest));
  const only = new Set([...view.lists.values()].flatMap(({ rows }) => (rows.length === 1 ? rows : [])));
  // Values around empty lists belong to the API.
  return records.map((record) =>
    byDigest(record.all.filter((scalar) => isCandidate(scalar) && !(only.has(record) && around.has(scalar.digest)))),
  );
});

/** Whether a value tells of a record and has a format, and is in another read too. */
const isStable = (scalar: ScalarShape, held: ReadonlySet<string>): boolean =>
  isTellingFormat(scalar) && scalar.link !== true && held.has(scalar.digest);

/** For each line of a text: its telling, formatted words that the second read has too. */
const stableWordsByLine = (first: BodyShape, second: BodyShape): readonly TellingValues[] => {
  const held = digestsIn(second);
  return linesIn(first).map(({ all }) => byDigest(all.filter((scalar) => isStable(scalar, held))));
};

/** The own part of a row. An object nested in it may be public, such as a gym. */
interface OwnPart {
  readonly paths: Set<string>;
  readonly scalars: ScalarShape[];
}

/**
 * Collects the own values of a row. An object or array with two or more telling values is
 * identified by them, so what is nested in it is left out. One with fewer is treated as a wrapper,
 * and searched.
 */
const ownOf = (
  shape: Shape,
  isTelling: (scalar: ScalarShape) => boolean,
  path = '',
  own: OwnPart = { paths: new Set(), scalars: [] },
): OwnPart => {
  if (isScalar(shape)) {
    own.paths.add(path);
    own.scalars.push(shape);
  } else {
    const parts = shape.type === 'array' ? shape.items.map((item) => ['*', item] as const) : shape.members;
    const isKnown = isKnownBy(parts.flatMap(([, value]) => (isScalar(value) && isTelling(value) ? [value] : [])));
    for (const [name, value] of parts) {
      if (isKnown && !isScalar(value)) continue;
      ownOf(value, isTelling, `${path}/${name}`, own);
    }
  }
  return own;
};

/** For each row, its own part, without objects that it refers to. */
export const ownPartsOf = memoizePerObject((keyed: Keyed): readonly OwnPart[] => {
  const candidates = candidatesOf(keyed);
  return keyed.rows.map(({ shape }, index) => ownOf(shape, ({ digest }) => candidates[index]?.has(digest) === true));
});

/** The candidates of each row's own part. */
export const knownOf = memoizePerObject((keyed: Keyed): readonly TellingValues[] => {
  const candidates = candidatesOf(keyed);
  if (keyed.rows.length === 0) return candidates;
  return ownPartsOf(keyed).map(({ scalars }, index) => {
    const own = digestsOf(scalars);
    return new Map([...(candidates[index] ?? [])].filter(([digest]) => own.has(digest)));
  });
});

/** Equal for rows with the same members and values. */
const contentOf = ({ cells, all }: Row): string =>
  [...[...cells.keys()].sort(), ...all.map(({ digest }) => digest).sort()].join(' ');

const membersOf = (row: Row): string => [...namesOf(row)].sort().join(' ');

/**
 * Rows that are made for each answer, such as an advertisement or a heartbeat among orders: both
 * reads share no row with their members, and do share rows with others. They tell nothing of the
 * account.
 */
export const passingRowsOf = memoizePerObject(({ view, again }: Keyed): ReadonlySet<Row> => {
  const passing = new Set<Row>();
  for (const [path, { rows }] of view?.lists ?? []) {
    const repeated = new Set(again?.lists.get(path)?.rows.map(contentOf));
    const lasting = new Set(rows.filter((row) => repeated.has(contentOf(row))).map(membersOf));
    if (lasting.size > 0) for (const row of rows) if (!lasting.has(membersOf(row))) passing.add(row);
  }
  return passing;
});

/** Columns of rows whose values differ between the reads. */
export const movingColumnsOf = memoizePerObject(
  ({ view, again }: Keyed): ReadonlySet<string> =>
    new Set([...(view?.lists ?? [])].flatMap(([path, list]) => [...changeOf(list, again?.lists.get(path)).moving])),
);

/** The objects in lists inside a row. */
export const innerRows = ({ shape }: Row): readonly Row[] =>
  listsWithin(shape).flatMap(({ rows }) => rows.filter((row) => row.shape.type === 'object'));

/** Rows of lists inside rows. */
export const innerRowsOf = memoizePerObject(({ rows }: Keyed) => rows.flatMap(innerRows));

/** For a single record: digests that are in both reads, except booleans and nulls. */
export const fixedDigestsOf = memoizePerObject((keyed: Keyed): ReadonlySet<string> => {
  const [only, ...others] = keyed.records;
  const all = others.length === 0 ? (only?.all ?? []) : [];
  return digestsOf(all.filter((scalar) => !isBooleanOrNull(scalar) && repeatedOf(keyed).has(scalar.digest)));
});

/** Digests that occur in one row only. */
export const uniqueDigestsOf = memoizePerObject(({ rows }: Keyed): ReadonlySet<string> => {
  const often = new Set<string>();
  const once = new Set<string>();
  for (const digest of rows.flatMap((row) => [...row.digests])) (once.has(digest) ? often : once).add(digest);
  return new Set([...once].filter((digest) => !often.has(digest)));
});

/**
 * Telling values outside rows that have a format and are equal in both reads. Values without a
 * format may be constants of the API. A single value is not enough.
 */
export const aroundOf = memoizePerObject(({ view, again, isRecord }: Keyed): ReadonlySet<string> => {
  if (!view || isRecord) return new Set();
  const held = again?.record.digests ?? new Set();
  const formatted = view.record.all.filter((scalar) => isStable(scalar, held));
  return digestsOf(formatted.length < 2 ? [] : formatted);
});

/** Digests of e-mail addresses beside rows that are equal in both reads. One may be the owner's. */
export const addressesOf = memoizePerObject((keyed: Keyed): readonly string[] =>
  keyed.rows.length === 0
    ? []
    : [...(keyed.view?.outside ?? [])].flatMap(([path, { form, telling, digest }]) =>
        form === 'email' && telling && !changingOf(keyed).has(path) ? [digest] : [],
      ),
);

/**
 * Digests of telling values outside the structure: those of binary data, and those in the part of a
 * long list that was cut off.
 */
export const unplacedOf = memoizePerObject(({ first, second, view, again }: Keyed): readonly string[] => {
  if (first.shape.kind !== 'binary' && !first.shape.capped && !second.shape.capped) return [];
  // If the order of rows changes, each read may have kept different rows.
  const held = new Set(second.shape.values);
  return first.shape.values.filter(
    (value) => held.has(value) && !(view?.digests.has(value) && again?.digests.has(value)),
  );
});

/** Digests that occur in every row, so they identify none. */
export const commonDigests = (rows: readonly Row[]): ReadonlySet<string> =>
  rows.length < 2 ? new Set() : intersection(rows.map(({ digests }) => digests));
