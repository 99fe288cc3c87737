import { plainPathOf } from '../../contract/json-values.js';
import type { ScalarShape, Shape } from '../../wire/body-shape.js';
import type { Response } from '../../wire/types.js';
import { header } from '../oracle/answers.js';
import { type UsableControls, usableFor } from '../oracle/usable-controls.js';
import { isScalar, type Leaf, type Row, type View, viewIn } from '../oracle/view.js';
import type { Ask, KeyHolder, OperationSubject } from '../rule.js';
import { digitsOf, nonce, uuidOf } from '../support/nonce.js';
import { operationIn } from '../support/subjects.js';
import { isAccountPlaceholder } from './account-claims.js';
import { identityViewOf, ownItemOf } from './identity-views.js';
import {
  belongsTo,
  getsRow,
  hasWhole,
  namesHolder,
  type Ownership,
  ownershipIn,
  recordAndRows,
  rowsOrRecord,
} from './owned-rows.js';
import type { Trespass } from './peers.js';

/** Compares the list from which an identity's id was read with what its peer gets there. */

/**
 * The list that an identity's own id was read from, as the owner and as a peer get it. Where the
 * request names an account, what the owner and the peer get for their own.
 */
export interface IdSource {
  readonly placeholder: string;
  /** JSON Pointer to the id in the owner's list. Absent where the id names the owner's account. */
  readonly pointer: string | undefined;
  /** JSON Pointer to the owner's name within a row. */
  readonly ownedBy: string | undefined;
  readonly belongs: Ownership;
  /** Digests of what `owns` in IDENTITIES says of both. */
  readonly names: ReadonlySet<string>;
  readonly list: UsableControls;
  readonly peersList: UsableControls | undefined;
}

export const idSourceOf = (ask: Ask, { owner, peer }: Trespass): IdSource | undefined => {
  const { operation, contract } = owner.subject;
  const account = Object.keys(operation.placeholders ?? {}).find(isAccountPlaceholder);
  const [placeholder = account, from] = Object.entries(operation.readFrom ?? {}).at(-1) ?? [];
  const list = from ? operationIn(contract, from.operation) : operation;
  if (placeholder === undefined || !list) return undefined;
  const subject = { ...owner.subject, operation: list };
  const [own, theirs] = [owner.identity, peer]
    .map((identity) => ownItemOf(subject, identity) ?? identityViewOf(subject, identity))
    .map((view) => view && usableFor(ask, view.subject));
  if (!own) return undefined;
  const ownedBy = list.owner ?? operation.owner;
  const belongs: Ownership = theirs
    ? ownershipIn(
        [
          { identity: owner.identity, controls: own },
          { identity: peer, controls: theirs },
        ],
        ownedBy,
      )
    : (row, one, other) => belongsTo(row, ownedBy, one, other);
  const names = new Set([owner.identity, peer].flatMap(({ owns }) => owns ?? []));
  return { placeholder, pointer: from?.pointer, ownedBy, belongs, names, list: own, peersList: theirs };
};

const shapeAt = (shape: Shape | undefined, path: readonly (string | number)[]): Shape | undefined => {
  const [key, ...rest] = path;
  if (shape === undefined || key === undefined) return shape;
  if (isScalar(shape)) return undefined;
  if (shape.type === 'array') return shapeAt(shape.items[Number(key)], rest);
  return shapeAt(shape.members.find(([name]) => name === key)?.[1], rest);
};

export const idIn = ({ pointer, list }: IdSource): ScalarShape | undefined => {
  if (pointer === undefined) return undefined;
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

/**
 * An id of the same format that names nothing.
 * @param owner whose account the id names, if it was not read from a list
 */
export const madeUp = (
  id: ScalarShape | undefined,
  { deployment, operation }: OperationSubject,
  owner: KeyHolder,
): string => {
  const hex = `${nonce(deployment, `id ${operation.id}`)}${nonce(deployment, `more ${operation.id}`)}`;
  if (id?.format === 'uuid') return uuidOf(`${hex}${hex}`.slice(0, 32));
  if (id ? id.form === 'number' : owner.ownsNumber) return `1${digitsOf(hex, 8)}`;
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
): 'no' | 'in-both-lists' | 'perhaps-in-both' => {
  const row = source && rowIn(source);
  const rows = rowsOrRecord(item.first);
  // Several rows are those of a list within the item.
  const records = recordAndRows(item.first).filter((one) => rows.length === 1 || !rows.includes(one));
  // Ids may be counted for each account: the item may then be the peer's, of equal content.
  const namesOneItem = source !== undefined && isOnlyOwners(source);
  // Rows may name others elsewhere: what both accounts give has to show where rows name owners.
  const ofAccount = source?.pointer === undefined && source?.peersList ? given : undefined;
  const named = [namesOneItem ? row : undefined, ...records, ofAccount].flatMap((one) => one ?? []);
  const pointer = source?.ownedBy ?? owner.subject.operation.owner;
  const belongs: Ownership = source?.belongs ?? ((one, its, other) => belongsTo(one, pointer, its, other));
  // Rows may name whoever reads them, in an item also below an envelope.
  const names = (identity: KeyHolder): boolean => given !== undefined && namesHolder(given, pointer, identity);
  if (given && belongs(given, peer, owner.identity) === true) return 'perhaps-in-both';
  if (names(peer) && !names(owner.identity)) return 'perhaps-in-both';
  if (named.some((one) => belongs(one, owner.identity, peer) === true)) return 'no';
  if (named.some((one) => belongs(one, peer, owner.identity) === true)) return 'in-both-lists';
  if (!row || !source.peersList) return 'perhaps-in-both';
  const { peersList, list } = source;
  if (getsRow(peersList, row, pointer)) return 'in-both-lists';
  return !namesOneItem || isPerhapsPage(peersList, peer, { list, row }) ? 'perhaps-in-both' : 'no';
};

/**
 * Whether a row is one that the owner gets for its account, and the peer does not for its own. It
 * has to have a value of its own: the name of the account may be repeated from the request.
 */
export const isOfAccount = ({ pointer, list, peersList, names }: IdSource, row: Row): boolean => {
  if (pointer !== undefined || !peersList || !hasWhole(list, row)) return false;
  const theirs = new Set(rowsOrRecord(peersList.first).flatMap(({ digests }) => [...digests]));
  return row.all.some(({ digest, telling }) => telling === true && !names.has(digest) && !theirs.has(digest));
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
