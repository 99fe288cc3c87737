import { plainPathOf } from '../../contract/json-values.js';
import type { ScalarShape, Shape } from '../../wire/body-shape.js';
import type { Response } from '../../wire/types.js';
import { rowsKnownBy } from '../oracle/catalogues.js';
import { changingOf, type Keyed, movingColumnsOf, uniqueDigestsOf } from '../oracle/keyed.js';
import type { UsableControls } from '../oracle/usable-controls.js';
import { isScalar, type Row, rowOf, rowsIn, viewIn } from '../oracle/view.js';
import type { KeyHolder } from '../rule.js';

/** The rows of an answer, and whose they are. Pure functions of shapes. */

/** The rows of all lists; a body without lists is one row. */
export const rowsOrRecord = ({ shape }: Response): readonly Row[] => {
  const view = viewIn(shape);
  if (!view) return [];
  return view.lists.size > 0 ? rowsIn(view) : view.outside.size > 0 ? [view.record] : [];
};

/** The body as a record, and the rows of its lists: a record may have lists of its own. */
export const recordAndRows = (answer: Response): readonly Row[] => {
  const view = viewIn(answer.shape);
  if (!view || view.lists.size === 0 || view.outside.size === 0) return rowsOrRecord(answer);
  return [view.record, ...rowsIn(view)];
};

/**
 * Whether two rows or records are equal, except for links and for what changes from read to read.
 * At least one value has to be steady; of a row, one that no other row of the list has. In another
 * order, pages of a longer list may have no steady column that tells rows apart.
 */
const isSameOwned = (a: Row, b: Row, keyed: Keyed): boolean => {
  const moving = keyed.isRecord ? changingOf(keyed) : movingColumnsOf(keyed);
  const tellsApart = ([path, { digest }]: readonly [string, ScalarShape]): boolean =>
    !moving.has(path) && (keyed.isRecord || keyed.rows.length < 2 || uniqueDigestsOf(keyed).has(digest));
  if (a.cells.size !== b.cells.size || ![...a.cells].some(tellsApart)) return false;
  return [...a.cells].every(([path, cell]) => {
    const other = b.cells.get(path);
    if (!other) return false;
    return moving.has(path) || cell.digest === other.digest || (cell.link === true && other.link === true);
  });
};

/** Whether an identity gets the very row. */
export const hasWhole = ({ background: { keyed } }: UsableControls, row: Row): boolean =>
  rowsOrRecord(keyed.first).some((own) => isSameOwned(own, row, keyed));

/**
 * Whether an identity gets a row that another one gets. Each may have members of its own in it, but
 * its owner is one.
 */
export const getsRow = (controls: UsableControls, row: Row, pointer: string | undefined): boolean => {
  const { keyed } = controls.background;
  const ofOneOwner = (own: Row): boolean => pointer === undefined || ownerAt(own, pointer) === ownerAt(row, pointer);
  return hasWhole(controls, row) || rowsKnownBy(keyed, row).some(ofOneOwner);
};

/** The objects in a body that are no rows of its lists. */
const objectsInside = ({ shape }: Response): readonly Row[] => {
  const rows = new Set(rowsIn(viewIn(shape)));
  const within = (value: Shape): readonly Row[] =>
    isScalar(value)
      ? []
      : (value.type === 'array' ? value.items : value.members.map(([, member]) => member)).flatMap((inner) =>
          inner.type === 'object' ? [rowOf(inner), ...within(inner)] : within(inner),
        );
  return (shape.shape ? within(shape.shape) : []).filter((object) => !rows.has(object));
};

/** The rows of an identity's lists that stand whole within something else in another answer. */
export const rowsInside = (answer: Response, { background: { keyed } }: UsableControls): readonly Row[] => {
  const objects = objectsInside(answer);
  return rowsIn(viewIn(keyed.first.shape)).filter((row) => objects.some((object) => isSameOwned(row, object, keyed)));
};

const cellPathOf = (pointer: string): string => `/${plainPathOf(pointer).join('/')}`;

/** Digest of the owner at a JSON Pointer; `null`: nobody; `undefined`: no such member. */
export const ownerAt = (row: Row, pointer: string): string | null | undefined => {
  const cell = row.cells.get(cellPathOf(pointer));
  if (!cell) return undefined;
  return cell.type === 'null' ? null : cell.digest;
};

/** The places in a row that end like one of these: a record may stand in an envelope of its own. */
const placesEndingIn = ({ cells }: Row, ends: readonly string[]): readonly string[] =>
  [...cells.keys()].filter((path) => ends.some((end) => path.endsWith(end)));

/** Whether a row contains the telling value that identifies an identity. */
const hasOwnersValue = (row: Row, { owns }: KeyHolder): boolean =>
  owns !== undefined && row.all.some(({ digest, telling }) => telling === true && digest === owns);

/**
 * Whether a row or item names an identity: where rows name their owner, also below an envelope, or
 * by a telling value anywhere.
 */
export const namesHolder = (row: Row, pointer: string | undefined, holder: KeyHolder): boolean => {
  if (hasOwnersValue(row, holder)) return true;
  if (pointer === undefined || holder.owns === undefined) return false;
  return placesEndingIn(row, [cellPathOf(pointer)]).some((path) => row.cells.get(path)?.digest === holder.owns);
};

/**
 * Whether a row belongs to `owner` and not to `other`, by `x-access-owner` or by the values that
 * identify both. `undefined` if it cannot be decided.
 */
export const belongsTo = (
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
  if (hasOwnersValue(row, owner) === hasOwnersValue(row, other)) return undefined;
  return hasOwnersValue(row, owner);
};

/** An identity and what it gets of a list. */
export interface ListHolder {
  readonly identity: KeyHolder;
  readonly controls: UsableControls;
}

/**
 * Where the rows of two lists name their owner: where every row that only one of them has names
 * that one, or where there is none, where some rows name the one and some the other. Elsewhere rows
 * may name others, such as an assignee.
 */
const placesOfOwner = (pair: readonly [ListHolder, ListHolder]): readonly string[] => {
  const isNamed = (row: Row, place: string, { owns }: KeyHolder): boolean => {
    const cell = row.cells.get(place);
    return cell?.telling === true && cell.digest === owns;
  };
  const sides = bothWays(pair).map(([{ identity, controls }, other]) => {
    const all = rowsOrRecord(controls.first);
    return { identity, all, own: all.filter((row) => !getsRow(other.controls, row, undefined)) };
  });
  const places = new Set(sides.flatMap(({ all }) => all.flatMap(({ cells }) => [...cells.keys()])));
  const isShared = sides.every((side) => side.own.length === 0);
  return [...places].filter((place) =>
    sides.every(({ identity, all, own: rows }) =>
      isShared ? all.some((row) => isNamed(row, place, identity)) : rows.every((row) => isNamed(row, place, identity)),
    ),
  );
};

/** Whether a row belongs to `owner`, and not to `other`; `undefined` if it cannot be decided. */
export type Ownership = (row: Row, owner: KeyHolder, other: KeyHolder) => boolean | undefined;

/**
 * How the rows of two lists, and records of them, name their owner.
 * @param pointer x-access-owner; otherwise the lists show where it is
 */
export const ownershipIn = (pair: readonly [ListHolder, ListHolder], pointer: string | undefined): Ownership => {
  if (pointer !== undefined) return (row, owner, other) => belongsTo(row, pointer, owner, other);
  const places = placesOfOwner(pair);
  const namesOne = (row: Row): boolean => pair.some(({ identity }) => hasOwnersValue(row, identity));
  // Lists may leave out what single items say.
  if (!pair.some(({ controls }) => rowsOrRecord(controls.first).some(namesOne)))
    return (row, owner, other) => belongsTo(row, undefined, owner, other);
  return (row, owner, other) => {
    const named = placesEndingIn(row, places).map((path) => belongsTo(row, path, owner, other));
    const decided = new Set(named.filter((one) => one !== undefined));
    return decided.size === 1 ? [...decided][0] : undefined;
  };
};

/** Both directions in which one of two peers may get what belongs to the other. */
export const bothWays = <Side>([a, b]: readonly [Side, Side]): readonly (readonly [from: Side, of: Side])[] => [
  [a, b],
  [b, a],
];

export const belongsToNobody = (row: Row, pointer: string | undefined): boolean =>
  pointer !== undefined && ownerAt(row, pointer) === null;
