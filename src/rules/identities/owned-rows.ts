import { plainPathOf } from '../../contract/json-values.js';
import type { Response } from '../../wire/types.js';
import { type Keyed, movingColumnsOf } from '../oracle/keyed.js';
import { type Row, rowsIn, viewIn } from '../oracle/view.js';
import type { KeyHolder } from '../rule.js';

/** The rows of an answer, and whose they are. Pure functions of shapes. */

/** The rows of all lists; a body without lists is one row. */
export const rowsOf = ({ shape }: Response): readonly Row[] => {
  const view = viewIn(shape);
  if (!view) return [];
  return view.lists.size > 0 ? rowsIn(view) : view.outside.size > 0 ? [view.record] : [];
};

/** Whether two rows are equal, except for links and for columns that change from read to read. */
export const isSameOwned = (a: Row, b: Row, keyed: Keyed): boolean => {
  const moving = movingColumnsOf(keyed);
  if (a.cells.size !== b.cells.size || a.cells.size === 0) return false;
  return [...a.cells].every(([path, cell]) => {
    const other = b.cells.get(path);
    if (!other) return false;
    return moving.has(path) || cell.digest === other.digest || (cell.link === true && other.link === true);
  });
};

/**
 * The digest of the owner that a row names at a JSON Pointer. `null` if it names nobody,
 * `undefined` if there is no such member.
 */
export const ownerAt = (row: Row, pointer: string): string | null | undefined => {
  const path = plainPathOf(pointer).map(String);
  const cell = row.cells.get(`/${path.join('/')}`);
  if (!cell) return undefined;
  return cell.type === 'null' ? null : cell.digest;
};

/** Whether a row contains the (telling) value that identifies an identity. */
const shows = (row: Row, { owns }: KeyHolder): boolean =>
  owns !== undefined && row.all.some(({ digest, telling }) => telling === true && digest === owns);

/**
 * Whether a row belongs to `owner` and not to `other`, by `x-access-owner` or by the values that
 * identify both. `undefined` if it cannot be decided.
 */
export const isOf = (
  row: Row,
  pointer: string | undefined,
  owner: KeyHolder,
  other: KeyHolder,
): boolean | undefined => {
  if (pointer !== undefined) {
    const named = ownerAt(row, pointer);
    if (named === undefined) return undefined;
    if (named === null) return false;
    if (owner.owns !== undefined && named === owner.owns) return true;
    if (other.owns !== undefined && named === other.owns) return false;
    return undefined;
  }
  if (owner.owns === undefined || other.owns === undefined) return undefined;
  if (shows(row, owner) === shows(row, other)) return undefined;
  return shows(row, owner);
};

/** Whether a row says that it belongs to nobody. */
export const isNobodys = (row: Row, pointer: string | undefined): boolean =>
  pointer !== undefined && ownerAt(row, pointer) === null;
