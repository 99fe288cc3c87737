import { plainPathOf } from '../../contract/json-values.js';
import type { ScalarShape, Shape } from '../../wire/body-shape.js';
import type { Response } from '../../wire/types.js';
import { header } from '../oracle/answers.js';
import { changingOf, type Keyed, movingColumnsOf } from '../oracle/keyed.js';
import { rowsKnownBy } from '../oracle/records.js';
import { type UsableControls, usableFor } from '../oracle/usable-controls.js';
import { isScalar, type Leaf, type Row, rowOf, rowsIn, type View, viewIn } from '../oracle/view.js';
import type { Ask, KeyHolder, OperationSubject } from '../rule.js';
import { digitsOf, nonce, uuidOf } from '../support/nonce.js';
import { operationIn } from '../support/subjects.js';
import { identityViewOf, ownItemOf } from './identity-views.js';
import type { Trespass } from './peers.js';

/** The rows of an answer, and whose they are. Pure functions of shapes. */

/** The rows of all lists; a body without lists is one row. */
export const rowsOrRecord = ({ shape }: Response): readonly Row[] => {
  const view = viewIn(shape);
  if (!view) return [];
  return view.lists.size > 0 ? rowsIn(view) : view.outside.size > 0 ? [view.record] : [];
};

/**
 * Whether two rows or records are equal, except for links and for what changes from read to read.
 * At least one value has to be steady.
 */
const isSameOwned = (a: Row, b: Row, keyed: Keyed): boolean => {
  const moving = keyed.isRecord ? changingOf(keyed) : movingColumnsOf(keyed);
  if (a.cells.size !== b.cells.size || [...a.cells.keys()].every((path) => moving.has(path))) return false;
  return [...a.cells].every(([path, cell]) => {
    const other = b.cells.get(path);
    if (!other) return false;
    return moving.has(path) || cell.digest === other.digest || (cell.link === true && other.link === true);
  });
};

/**
 * Whether an identity gets a row that another one gets. Each may have members of its own in it, but
 * its owner is one.
 */
export const getsRow = ({ background }: UsableControls, row: Row, pointer: string | undefined): boolean => {
  const { keyed } = background;
  const ofOneOwner = (own: Row): boolean => pointer === undefined || ownerAt(own, pointer) === ownerAt(row, pointer);
  return (
    rowsOrRecord(keyed.first).some((own) => isSameOwned(own, row, keyed)) || rowsKnownBy(keyed, row).some(ofOneOwner)
  );
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

/** Digest of the owner at a JSON Pointer; `null`: nobody; `undefined`: no such member. */
export const ownerAt = (row: Row, pointer: string): string | null | undefined => {
  const path = plainPathOf(pointer).map(String);
  const cell = row.cells.get(`/${path.join('/')}`);
  if (!cell) return undefined;
  return cell.type === 'null' ? null : cell.digest;
};

/** Whether a row contains the telling value that identifies an identity. */
const hasOwnersValue = (row: Row, { owns }: KeyHolder): boolean =>
  owns !== undefined && row.all.some(({ digest, telling }) => telling === true && digest === owns);

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

/** Whether a row says that it belongs to nobody. */
export const belongsToNobody = (row: Row, pointer: string | undefined): boolean =>
  pointer !== undefined && ownerAt(row, pointer) === null;

/** Compares the list from which an identity's id was read with what its peer gets there. */

/** The list that an identity's own id was read from, as the owner and as a peer get it. */
export interface IdSource {
  readonly placeholder: string;
  /** JSON Pointer to the id in the owner's list. */
  readonly pointer: string;
  /** JSON Pointer to the owner's name within a row. */
  readonly ownedBy: string | undefined;
  readonly list: UsableControls;
  readonly peersList: UsableControls | undefined;
}

export const idSourceOf = (ask: Ask, { owner, peer }: Trespass): IdSource | undefined => {
  const { operation, contract } = owner.subject;
  const [placeholder, from] = Object.entries(operation.readFrom ?? {}).at(-1) ?? [];
  const list = from && operationIn(contract, from.operation);
  if (placeholder === undefined || !from || !list) return undefined;
  const subject = { ...owner.subject, operation: list };
  const [own, theirs] = [owner.identity, peer]
    .map((identity) => ownItemOf(subject, identity) ?? identityViewOf(subject, identity))
    .map((view) => view && usableFor(ask, view.subject));
  return (
    own && { placeholder, pointer: from.pointer, ownedBy: list.owner ?? operation.owner, list: own, peersList: theirs }
  );
};

const shapeAt = (shape: Shape | undefined, path: readonly (string | number)[]): Shape | undefined => {
  const [key, ...rest] = path;
  if (shape === undefined || key === undefined) return shape;
  if (isScalar(shape)) return undefined;
  if (shape.type === 'array') return shapeAt(shape.items[Number(key)], rest);
  return shapeAt(shape.members.find(([name]) => name === key)?.[1], rest);
};

export const idIn = ({ pointer, list }: IdSource): ScalarShape | undefined => {
  const found = shapeAt(list.first.shape.shape, plainPathOf(pointer));
  return found && isScalar(found) ? found : undefined;
};

/** The row with the id in the owner's list. */
const rowIn = (source: IdSource): Row | undefined => {
  const id = idIn(source);
  return id && rowsOrRecord(source.list.first).find(({ digests }) => digests.has(id.digest));
};

/** Whether the id of an identity was read from a row that another one's list has too. */
export const isInBothLists = (ask: Ask, trespass: Trespass): boolean => {
  const source = idSourceOf(ask, trespass);
  const row = source && rowIn(source);
  return row !== undefined && source?.peersList !== undefined && getsRow(source.peersList, row, source.ownedBy);
};

/** Whether the peer's list has a row with that id, in the same column. */
const hasSameId = (source: IdSource, row: Row): boolean => {
  const digest = idIn(source)?.digest;
  const column = [...row.cells].find(([, cell]) => cell.digest === digest)?.[0];
  return (
    source.peersList !== undefined &&
    column !== undefined &&
    rowsOrRecord(source.peersList.first).some(({ cells }) => cells.get(column)?.digest === digest)
  );
};

/** Whether the id is in the owner's list alone: a peer has no item of its own by it. */
export const isOnlyOwners = (source: IdSource): boolean => {
  const row = rowIn(source);
  return row !== undefined && !hasSameId(source, row);
};

/** Whether the peer has an item of its own by the id, such as a name that both chose. */
export const isPeersToo = (source: IdSource): boolean => {
  const row = rowIn(source);
  return row !== undefined && hasSameId(source, row);
};

/** An id of the same format that names nothing. */
export const madeUp = (id: ScalarShape | undefined, { deployment, operation }: OperationSubject): string => {
  const hex = `${nonce(deployment, `id ${operation.id}`)}${nonce(deployment, `more ${operation.id}`)}`;
  if (id?.format === 'uuid') return uuidOf(`${hex}${hex}`.slice(0, 32));
  if (id?.form === 'number') return `1${digitsOf(hex, 8)}`;
  return `x${hex.slice(0, 15)}`;
};

/**
 * Whether the id may name something that the peer has too. Then it proves nothing if it opens to
 * the peer.
 * @param item the owner's answer for the id
 * @param given the item as the peer gets it
 */
export const mayBeShared = (
  source: IdSource | undefined,
  { owner, peer }: Trespass,
  item: UsableControls,
  given: Row | undefined,
): 'no' | 'in-both' | 'perhaps' => {
  const row = source && rowIn(source);
  const [record, ...others] = rowsOrRecord(item.first);
  // Ids may be counted for each account: the item may then be the peer's, of equal content.
  const namesOneItem = source !== undefined && isOnlyOwners(source);
  const named = [namesOneItem ? row : undefined, others.length === 0 ? record : undefined].flatMap((one) => one ?? []);
  const pointer = source?.ownedBy ?? owner.subject.operation.owner;
  // Rows may name whoever reads them.
  if (given && belongsTo(given, pointer, peer, owner.identity) === true) return 'perhaps';
  if (named.some((one) => belongsTo(one, pointer, owner.identity, peer) === true)) return 'no';
  if (named.some((one) => belongsTo(one, pointer, peer, owner.identity) === true)) return 'in-both';
  if (!row || !source.peersList) return 'perhaps';
  const { peersList, list } = source;
  if (getsRow(peersList, row, pointer)) return 'in-both';
  return !namesOneItem || isPerhapsPage(peersList, peer, { list, row }) ? 'perhaps' : 'no';
};

/** Whether a list is complete. Only then does a missing row mean anything. */

/** Length of the list at a path. A missing list, or null, has no rows. */
const lengthAt = (view: View, path: string): number => view.lists.get(path)?.length ?? 0;

const nextLink = /;\s*rel\s*=\s*(?:"[^"]*\bnext\b[^"]*"|next\b)/i;

/** Partial content (RFC 9110, section 15.3.7) or a link to a next page (RFC 8288). */
const saysThereIsMore = (answer: Response): boolean =>
  answer.status === 206 || nextLink.test(header(answer, 'link') ?? '');

const isSameLeaf = (a: Leaf, b: Leaf | undefined): boolean => b !== undefined && a.digest === b.digest;

/**
 * Whether a value outside the rows may point to more of them: a link, a number larger than their
 * count, or a value that is stable and differs from the other identity's. A cursor may have any
 * name.
 */
const pointsOn = (leaf: Leaf, again: Leaf | undefined, others: Leaf | undefined, known: readonly string[]): boolean => {
  if (leaf.type === 'list') return leaf.link === true;
  if (leaf.type === 'null') return false;
  if (leaf.link === true || leaf.exceeds === true) return true;
  return isSameLeaf(leaf, again) && !isSameLeaf(leaf, others) && !known.includes(leaf.digest);
};

/**
 * Whether an identity's list may be one page of a longer one. It is complete if it is shorter than
 * the other identity's page with `row`, which shows that the page size is larger, and if nothing in
 * it points to more rows.
 */
const isPerhapsPage = (
  { first, second }: UsableControls,
  { owns }: KeyHolder,
  { list, row }: { readonly list: UsableControls; readonly row: Row },
): boolean => {
  const [view, again, other] = [first, second, list.first].map(({ shape }) => viewIn(shape));
  if (!view || !other || first.shape.capped || first.shape.truncated || saysThereIsMore(first)) return true;
  const path = [...other.lists].find(([, { rows }]) => rows.includes(row))?.[0];
  // A single record is no page.
  if (path === undefined) return view.lists.size > 0;
  if (lengthAt(view, path) >= lengthAt(other, path)) return true;
  const known = [...view.lists.values()].flatMap(({ count }) => count ?? []).concat(owns ?? []);
  return [...view.outside].some(([at, leaf]) => pointsOn(leaf, again?.outside.get(at), other.outside.get(at), known));
};
