import { memoizePerObject } from '../../collections.js';
import type { ScalarShape } from '../../wire/body-shape.js';
import { changingOf, innerRowsOf, type Keyed, ownPartsOf } from './keyed.js';
import { fits, isTellingFormat, type Row, type View } from './view.js';

/** Rows, the objects in them, and comparisons with them. */

interface RowPart {
  readonly path: string;
  readonly cells: Row['cells'];
}

/** A row and the objects in it: `{"type": …, "attributes": {…}}`. */
export const partsOf = memoizePerObject((row: Row): readonly RowPart[] => {
  const paths = new Set<string>();
  for (const path of row.cells.keys())
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) paths.add(path.slice(0, at));
  const inner = [...paths].map((path): RowPart => {
    const cells = [...row.cells].flatMap(([name, cell]) =>
      name.startsWith(`${path}/`) ? [[name.slice(path.length), cell] as const] : [],
    );
    return { path, cells: new Map(cells) };
  });
  return [{ path: '', cells: row.cells }, ...inner.filter(({ cells }) => cells.size > 1)];
});

/** Whether every cell of `part` is in `whole` with an equal value. Links count as equal. */
export const isWithin = (part: Row['cells'], whole: Row['cells']): boolean => {
  for (const [path, { digest, link }] of part) {
    const its = whole.get(path);
    if (its === undefined || (its.digest !== digest && !(link === true && its.link === true))) return false;
  }
  return true;
};

/** Whether a row has the structure of a keyed one, or of a part, and a formatted value. */
export const fitsKeyed = ({ rows, records }: Keyed, { shape, cells }: Row): boolean =>
  rows.some((row) => fits(row.shape, shape)) ||
  (cells.size > 1 &&
    [...cells.values()].some(isTellingFormat) &&
    records.some((row) => partsOf(row).some((part) => part.path !== '' && hasCellsOf(cells, part.cells))));

const hasCellsOf = (cells: Row['cells'], others: Row['cells']): boolean =>
  cells.size === others.size &&
  [...cells].every(([path, cell]) => {
    const other = others.get(path);
    return other !== undefined && fits(cell, other);
  });

/** A telling value with a format that is not open. */
const tells =
  (isOpen: (digest: string) => boolean) =>
  (cell: ScalarShape): boolean =>
    isTellingFormat(cell) && !isOpen(cell.digest);

/** Whether an object has only members of another, each with the format it has there. */
const isLike = (cells: Row['cells'], whole: Row['cells']): boolean =>
  [...cells].every(([path, cell]) => {
    const own = whole.get(path);
    return own !== undefined && fits(own, cell) && (cell.type === 'null' || own.form === cell.form);
  });

/**
 * Whether an object has only members of a keyed row, or of an object outside the rows, each with
 * the format it has there. One has to be a telling value with a format that is not open.
 */
export const resemblesRow = (keyed: Keyed, { cells }: Row, isOpen: (digest: string) => boolean): boolean => {
  if (cells.size < 2 || ![...cells.values()].some(tells(isOpen))) return false;
  // Errors too have a few members of a record, such as an id and a status, and values that change
  // from read to read. So three other members have to be there, and more than half of the object.
  const isLikeRecord = ({ path, cells: whole }: RowPart): boolean => {
    const steady = [...cells].flatMap(([name, cell]) => (changingOf(keyed).has(path + name) ? [] : [cell]));
    return steady.length > 2 && steady.length * 2 > whole.size && steady.some(tells(isOpen)) && isLike(cells, whole);
  };
  return (
    (keyed.view !== undefined && partsOf(keyed.view.record).some(isLikeRecord)) ||
    // A wrapper of an inner row has few other cells, such as a cursor.
    innerRowsOf(keyed).some((row) =>
      partsOf(row).some((part) => part.cells.size * 2 > row.cells.size && isLike(cells, part.cells)),
    ) ||
    keyed.rows.some((row, index) =>
      partsOf(row).some(
        (part) =>
          isLike(cells, part.cells) &&
          [...cells.keys()].some((path) => ownPartsOf(keyed)[index]?.paths.has(part.path + path)),
      ),
    )
  );
};

/**
 * Whether rows of a list have only members of the keyed record: they may be others like it. A
 * single one may be an error with an id.
 */
export const resembleRecord = (keyed: Keyed, rows: readonly Row[], isOpen: (digest: string) => boolean): boolean =>
  rows.length > 1 &&
  keyed.isRecord &&
  rows.every(
    ({ cells }) =>
      cells.size > 1 &&
      [...cells.values()].some(tells(isOpen)) &&
      keyed.records.some((record) => partsOf(record).some((part) => isLike(cells, part.cells))),
  );

/**
 * The answer's rows at the paths of the keyed lists. There, a part of a keyed row is a row itself,
 * and not an object that the row refers to.
 */
export const rowsInPlace = (keyed: Keyed, seen: View | undefined): readonly Row[] =>
  [...(keyed.view?.lists.keys() ?? [])].flatMap((path) => seen?.lists.get(path)?.rows ?? []);
