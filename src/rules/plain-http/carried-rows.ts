import type { Response } from '../../wire/types.js';
import { isOfKind, keyedOf, kindsOf } from '../oracle/keyed.js';
import { isTableOfKind } from '../oracle/tables.js';
import { viewIn } from '../oracle/view.js';

/** Whether an answer has rows of the same kind, or half of the values, in any format. */
export const carriesRowsOf = (open: Response, seen: Response): boolean => {
  const there = new Set([...seen.shape.values, ...(seen.shape.parts ?? [])]);
  const carried = open.shape.values.filter((value) => there.has(value)).length;
  if (carried >= 2 && carried * 2 >= open.shape.values.length) return true;
  const lists = viewIn(seen.shape)?.lists;
  const own = keyedOf(open, open);
  if (!lists || own.rows.length === 0) return false;
  return [...lists].some(([path, { rows }]) => {
    const kind = kindsOf(own).get(path);
    // Another selection, an older copy or another language: rows with the same two or more members.
    const alike = kind && kind.names.size >= 2 ? rows.filter((row) => isOfKind(row, kind)).length : 0;
    return alike >= 2 || isTableOfKind(own, path, rows);
  });
};
