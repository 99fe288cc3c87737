import { groupBy } from '../../collections.js';
import type { ScalarShape } from '../../wire/body-shape.js';
import type { Response } from '../../wire/types.js';
import { digestsIn } from '../oracle/contents.js';
import { commonDigests, innerRows } from '../oracle/keyed.js';
import { isWithin } from '../oracle/row-parts.js';
import { isSameRow } from '../oracle/same.js';
import { isOfKind, type RowKind, rowKindOf } from '../oracle/tables.js';
import { fits, isBooleanLike, isFilled, namesOf, type Row, type View } from '../oracle/view.js';

/**
 * Whether lists that a client without a key gets are the resource that the key gets. Pure functions
 * of answers.
 */

/**
 * Whether a list has one of the keyed items, or items of the keyed kind, and no list is blank. A
 * public list may be another selection at each read, so it need not share an item. `others` are
 * answers that open nothing: what they have is no item.
 */
export const givesResource = (own: View, opened: View, others: readonly Response[]): boolean => {
  const isOpen = (digest: string): boolean => others.some(({ shape }) => digestsIn(shape).has(digest));
  const readings = [...own.lists].flatMap(([path, { rows }]) => {
    const there = opened.lists.get(path)?.rows ?? [];
    return (there.length > 0 ? [there] : listsOfStructure(opened, rows)).map((keyed) => readRows(rows, keyed, isOpen));
  });
  return readings.includes('resource') && !readings.includes('blank');
};

const listsOfStructure = ({ lists }: View, rows: readonly Row[]): readonly (readonly Row[])[] =>
  [...lists.values()]
    .map((list) => list.rows)
    .filter((keyed) => keyed.some((row) => rows.some(({ shape }) => fits(row.shape, shape))));

const readRows = (
  rows: readonly Row[],
  keyed: readonly Row[],
  isOpen: (digest: string) => boolean,
): 'resource' | 'blank' | 'other' => {
  const common = commonDigests(keyed);
  if (rows.some((row) => keyed.some((their) => isSameRow(row.shape, their.shape) || isPartOf(row, their, common))))
    return 'resource';
  const kind = rowKindOf(keyed);
  if (areBlank(rows, keyed, kind) || areBlankInside(rows, keyed)) return 'blank';
  const isShared = shareTellingValue(rows, keyed, (digest) => common.has(digest) || isOpen(digest));
  return isShared || areOfKind(rows, keyed, kind) ? 'resource' : 'other';
};

/** Whether all values of a row are in a keyed row, two or more of them its own. */
const isPartOf = (row: Row, their: Row, common: ReadonlySet<string>): boolean => {
  const cells = [...row.cells].filter(([, cell]) => isFilled(cell) && !cell.link && !isBooleanLike(cell));
  return cells.filter(([, { digest }]) => !common.has(digest)).length > 1 && isWithin(new Map(cells), their.cells);
};

const shareTellingValue = (
  rows: readonly Row[],
  keyed: readonly Row[],
  isOpen: (digest: string) => boolean,
): boolean => {
  const items = new Set(keyed.flatMap(({ digests }) => [...digests]));
  return rows.some(({ all }) =>
    all.some(
      ({ telling, link, passing, digest }) => telling && !link && !passing && items.has(digest) && !isOpen(digest),
    ),
  );
};

const columnOf = (rows: readonly Row[], path: string): readonly ScalarShape[] =>
  rows.flatMap(({ cells }) => cells.get(path) ?? []);

const differ = (cells: readonly ScalarShape[]): boolean => new Set(cells.map(({ digest }) => digest)).size > 1;

/**
 * Whether the values of the rows are withheld. Of the members that the keyed rows always fill, all
 * but one are null or a placeholder; that one may be an id. Booleans and constants are ignored. A
 * placeholder is the same in all rows, and is none of the keyed values, which differ.
 */
const areBlank = (rows: readonly Row[], keyed: readonly Row[], { filled }: RowKind): boolean => {
  const tell = [...filled].flatMap((path) => {
    const [column, theirs] = [columnOf(rows, path), columnOf(keyed, path)];
    const [value] = column.filter(isFilled);
    if (column.length === 0 || theirs.every(isBooleanLike)) return [];
    if (keyed.length > 1 && !differ(theirs) && value !== undefined) return [];
    const isPlaceholder =
      column.length > 1 && !differ(column) && differ(theirs) && !theirs.some(({ digest }) => digest === value?.digest);
    return [value !== undefined && !isPlaceholder];
  });
  return tell.includes(false) && tell.filter((tells) => tells).length < 2;
};

/** Whether objects in lists inside the rows are blank, grouped by their members. */
const areBlankInside = (rows: readonly Row[], keyed: readonly Row[]): boolean => {
  const membersOf = (row: Row): string => [...namesOf(row)].sort().join('\n');
  const theirs = groupBy(keyed.flatMap(innerRows), membersOf);
  return [...groupBy(rows.flatMap(innerRows), membersOf)].some(([members, inner]) => {
    const alike = theirs.get(members) ?? [];
    return areBlank(inner, alike, rowKindOf(alike));
  });
};

/**
 * Whether rows have what all keyed rows have in common: their members, values where these are never
 * null, and values that differ from row to row where theirs do.
 */
const areOfKind = (rows: readonly Row[], keyed: readonly Row[], kind: RowKind): boolean => {
  const alike = rows.filter((row) => isAlike(row, keyed, kind));
  if (alike.length === 0) return false;
  // A single keyed row says little about what other rows fill.
  if (keyed.length > 1 && ![...kind.filled].every((path) => columnOf(alike, path).some(isFilled))) return false;
  const paths = [...new Set(keyed.flatMap(({ cells }) => [...cells.keys()]))].filter((path) => {
    const theirs = columnOf(keyed, path);
    return differ(theirs) && !theirs.every(isBooleanLike);
  });
  return alike.length < 2 || paths.length === 0 || paths.some((path) => differ(columnOf(alike, path)));
};

const isAlike = (row: Row, keyed: readonly Row[], kind: RowKind): boolean => {
  if (kind.names.size > 0 || kind.formats.size > 0) return isOfKind(row, kind);
  // Rows of several kinds.
  const all = keyed.flatMap((their) => [...namesOf(their)]);
  return all.length === 0 || all.some((name) => namesOf(row).has(name));
};
