import { intersection, memoizePerObject } from '../../collections.js';
import type { ScalarShape } from '../../wire/body-shape.js';
import { type Keyed, passingRowsOf, rowDigestsOf } from './keyed.js';
import { digestsOf, filledListsIn, fits, isFormatted, isNameless, namesOf, type Row } from './view.js';

/** Tables: rows that cannot be a list of errors. Kinds of rows: what all rows of a list have. */

/**
 * Two or more rows of one structure that have four or more formatted cells (number, time, id,
 * e-mail) in columns that differ from row to row. Error messages are not worded in such values. A
 * time near now does not count: it is that of the answer.
 */
export const isTable = (rows: readonly Row[], isKnown: (digest: string) => boolean = () => false): boolean => {
  const alike = rowsOfOneStructure(rows);
  if (alike.length < 2) return false;
  const rowsOfCells = alike.map(cellsIn);
  const paths = new Set(rowsOfCells.flatMap((cells) => [...cells.keys()]));
  let formatted = 0;
  for (const path of paths) {
    const column = rowsOfCells.flatMap((cells) => cells.get(path) ?? []);
    if (digestsOf(column).size < 2) continue;
    formatted += column.filter((cell) => isFormatted(cell) && !cell.passing && !isKnown(cell.digest)).length;
    if (formatted >= 4) return true;
  }
  return false;
};

/** The cells of a row. A row that consists of lists only (a workbook) has its scalars by index. */
const cellsIn = ({ cells, all }: Row): Row['cells'] =>
  cells.size > 0 ? cells : new Map(all.map((cell, index) => [`/${index}`, cell]));

/** The rows that fit the structure of the row with the most cells. */
const rowsOfOneStructure = (rows: readonly Row[]): readonly Row[] => {
  const [first] = [...rows].sort((a, b) => b.cells.size - a.cells.size);
  return first ? rows.filter(({ shape }) => fits(shape, first.shape)) : [];
};

/** What all rows of a list have in common. */
export interface RowKind {
  /** Members that every row has. */
  readonly names: ReadonlySet<string>;
  /** Paths that are null in no row. */
  readonly filled: ReadonlySet<string>;
  /** For rows without names: the formats that occur at each index. */
  readonly formats: ReadonlyMap<string, ReadonlySet<ScalarShape['form']>>;
}

const formatsByIndex = (rows: readonly Row[]): RowKind['formats'] => {
  const formats = new Map<string, Set<ScalarShape['form']>>();
  for (const [at, { form }] of rows.filter(isNameless).flatMap(({ cells }) => [...cells]))
    formats.set(at, (formats.get(at) ?? new Set()).add(form));
  return formats;
};

export const rowKindOf = (rows: readonly Row[]): RowKind => ({
  names: intersection(rows.map(namesOf)),
  filled: intersection(
    rows.map(({ cells }) => new Set([...cells].filter(([, { type }]) => type !== 'null').map(([path]) => path))),
  ),
  formats: formatsByIndex(rows),
});

/** The kinds of the filled lists by path. Rows that are made for each answer do not count. */
export const kindsOf = memoizePerObject(
  (keyed: Keyed): ReadonlyMap<string, RowKind> =>
    new Map(
      filledListsIn(keyed.view).map(([path, { rows }]) => [
        path,
        rowKindOf(rows.filter((row) => !passingRowsOf(keyed).has(row))),
      ]),
    ),
);

/** Whether a row has all members of a kind or, without names, only the formats of its indexes. */
export const isOfKind = (row: Row, { names, formats }: RowKind): boolean => {
  const own = namesOf(row);
  if (names.size > 0) return [...names].every((name) => own.has(name));
  return (
    own.size === 0 && [...row.cells].every(([at, { type, form }]) => type === 'null' || formats.get(at)?.has(form))
  );
};

/**
 * Whether rows are a table of a keyed list's kind, with values that the owner does not have. They
 * need every member that all keyed rows have, filled where those always are. Rows without names
 * need at each index a format that occurs there in keyed rows.
 */
export const isTableOfKind = (keyed: Keyed, path: string, rows: readonly Row[]): boolean => {
  const kind = kindsOf(keyed).get(path);
  if (!kind) return false;
  const alike = rows.filter((row) => isOfKind(row, kind));
  if ([...kind.filled].some((path) => alike.every(({ cells }) => (cells.get(path)?.type ?? 'null') === 'null')))
    return false;
  return isTable(alike, (digest) => rowDigestsOf(keyed).has(digest));
};
