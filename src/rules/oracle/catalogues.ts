import { memoizePerObject } from '../../collections.js';
import type { BodyShape, Shape } from '../../wire/body-shape.js';
import { partsIn, rowsByList } from './contents.js';
import { allDigestsOf, type Keyed, knownOf, movingColumnsOf, ownPartsOf, uniqueDigestsOf } from './keyed.js';
import { rowsInPlace } from './row-parts.js';
import { fits, isBooleanOrNull, isFormatted, isTellingFormat, type Row, viewIn } from './view.js';

/** Lists whose items the keyed rows refer to, such as the classes that bookings name. */

/** A keyed row: its own values, and those by which it is told from every other row. */
interface KnownRow {
  readonly own: readonly string[];
  /** Its numbers, times, e-mail addresses and ids, or all values if it has none. */
  readonly identifying: readonly string[];
  /** All of its own values that do not change from read to read. */
  readonly whole: readonly string[];
}

const knownRows = memoizePerObject((keyed: Keyed): readonly KnownRow[] =>
  knownOf(keyed).map((values, index) => {
    const unique = [...values.values()].filter(
      ({ digest }) => keyed.rows.length < 2 || uniqueDigestsOf(keyed).has(digest),
    );
    const formatted = unique.filter(isFormatted);
    const identifying = (formatted.length > 0 ? formatted : unique).map(({ digest }) => digest);
    return { own: [...values.keys()], identifying, whole: steadyValuesOf(keyed, index) };
  }),
);

const steadyValuesOf = (keyed: Keyed, index: number): readonly string[] => {
  const isOwn = (path: string): boolean => keyed.isRecord || ownPartsOf(keyed)[index]?.paths.has(path) === true;
  return [...(keyed.records[index]?.cells ?? [])].flatMap(([path, cell]) =>
    isBooleanOrNull(cell) || movingColumnsOf(keyed).has(path) || !isOwn(path) ? [] : [cell.digest],
  );
};

/** The keyed rows of which a row has two values that tell them from the others, or all of these. */
export const rowsKnownBy = (keyed: Keyed, { digests }: Row): readonly Row[] => {
  const known = knownRows(keyed);
  return keyed.records.filter((_, index) => {
    const { identifying = [] } = known[index] ?? {};
    const shared = identifying.filter((digest) => digests.has(digest)).length;
    return shared >= 2 || (shared > 0 && shared === identifying.length);
  });
};

const refersTo = ({ own }: KnownRow, { digests }: Row): boolean =>
  own.filter((digest) => digests.has(digest)).length >= 2;

const hasAll = (values: readonly string[], { digests }: Row): boolean => values.every((digest) => digests.has(digest));

/**
 * Whether items share values with keyed rows, but none has all values that identify such a row. Or
 * none is a whole row, and others of the same structure refer to no row of the owner. Then nothing
 * shows whether they are what the rows refer to, or the rows with fewer columns.
 */
const isCatalogue = (keyed: Keyed, items: readonly Row[]): boolean => {
  const rows = knownRows(keyed);
  const referring = items.filter((item) => rows.some((row) => refersTo(row, item)));
  if (items.length < 2 || referring.length === 0) return false;
  const isKnown = (item: Row): boolean =>
    rows.some(({ identifying }) => identifying.length > 0 && hasAll(identifying, item));
  if (!items.some(isKnown)) return true;
  const isOfOthers = (item: Row): boolean =>
    !referring.includes(item) &&
    referring.some(({ shape }) => fits(item.shape, shape, true)) &&
    [...item.cells.values()].some((cell) => isTellingFormat(cell) && !allDigestsOf(keyed).has(cell.digest));
  return items.some(isOfOthers) && !referring.some((item) => rows.some(({ whole }) => hasAll(whole, item)));
};

/**
 * The structures of an answer that belong to such lists. A list at the place of the keyed rows is
 * not one of them: fewer columns of rows stand there too.
 */
export const cataloguesIn = (keyed: Keyed, seen: BodyShape): ReadonlySet<Shape> => {
  // A path of JSON is another place in HTML or XML.
  const view = seen.kind === keyed.first.shape.kind ? viewIn(seen) : undefined;
  const inPlace = new Set(rowsInPlace(keyed, view).map(({ shape }) => shape));
  const lists = rowsByList(seen).filter(
    (list) => !list.some(({ shape }) => inPlace.has(shape)) && isCatalogue(keyed, list),
  );
  return new Set(lists.flat().flatMap(({ shape }) => partsIn(shape)));
};
