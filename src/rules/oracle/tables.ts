import type { Keyed } from './keyed.js';
import { fits, isMute, type List, namesOf, type Row } from './view.js';

/** Rows that can word no refusal. */

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
