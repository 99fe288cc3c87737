import type { Exchange } from '../../wire/types.js';
import { counted } from '../../words.js';
import { usableFor } from '../oracle/usable-controls.js';
import { type Row, viewIn } from '../oracle/view.js';
import type { Ask, Judgement, KeyHolder, OperationSubject } from '../rule.js';
import { because, failed, listed } from '../support/judgement.js';
import { type IdentityView, ownItemOf } from './identity-views.js';
import {
  belongsTo,
  belongsToNobody,
  bothWays,
  getsRow,
  hasWhole,
  type ListHolder,
  type Ownership,
  ownerAt,
  ownershipIn,
  rowsInside,
  rowsOrRecord,
} from './owned-rows.js';
import { asksForAccount, type PeerPair, peersOf } from './peers.js';

/** Whether two peers get rows of each other. */

/** What one of two peers gets. */
export interface PeerSide extends ListHolder {
  readonly subject: OperationSubject;
  readonly rows: readonly Row[];
}

const sideOf = (ask: Ask, { identity, subject }: IdentityView): PeerSide | undefined => {
  const controls = usableFor(ask, subject);
  return controls && { identity, subject, controls, rows: rowsOrRecord(controls.first) };
};

/**
 * Rows that `from` gets and that belong to `of`. What stands inside a row may be a comment of
 * theirs, so it has to be a whole row of their own list.
 */
const leaked = (from: PeerSide, of: PeerSide, isOf: Ownership): readonly Row[] => {
  const isTheirs = (row: Row): boolean => isOf(row, of.identity, from.identity) === true;
  const rows = from.rows.filter(isTheirs);
  return rows.length > 0 ? rows : rowsInside(from.controls.first, of.controls).filter(isTheirs);
};

/** Rows that both get. */
const shared = (a: PeerSide, b: PeerSide, owner: string | undefined): readonly Row[] =>
  b.rows.filter((row) => getsRow(a.controls, row, owner));

/** The comparison of two peers' lists. */
export type PairComparison = { readonly kind: 'closed'; readonly view: IdentityView } | PairFound;

export interface PairFound {
  readonly kind: 'empty' | 'apart' | 'shared' | 'leaked';
  readonly sides: readonly [PeerSide, PeerSide];
  readonly words: string;
  /** Names of those who get rows of another account. */
  readonly takers?: readonly string[];
  /** What rows that both get may be, and what would tell. */
  readonly whose?: string;
  /** What shows it, if not the documented requests of both. */
  readonly shown?: readonly Exchange[];
}

const seesMany = (rows: number): string => (rows === 1 ? 'a row' : `${rows} rows`);

const namesWhom = 'nothing shows that they name their owner there. x-access-owner in the document says where they do';

/** @param owners how many owners the rows name: none or one */
const whoseAre = (owners: number, peers: readonly KeyHolder[]): string => {
  const isToldWhoOwns = peers.every(({ owns }) => owns !== undefined);
  if (owners === 0)
    return `a catalogue for everybody, or rows of an account. ${isToldWhoOwns ? 'What owns in IDENTITIES says is not seen to name an owner here: x-access-owner in the document says where rows do' : 'x-access-owner in the document, or owns in IDENTITIES, says whose they are'}`;
  return isToldWhoOwns
    ? 'they name an owner that is neither of these: a team or a catalogue, or another account'
    : 'they name one owner, which may be one of these. owns in IDENTITIES says who that is';
};

/** Whether a list may have rows that were not kept: nothing of a withheld body is. */
const isUnread = ({ controls }: PeerSide): boolean =>
  controls.first.shape.capped === true && viewIn(controls.first.shape) === undefined;

export const compareLists = (ask: Ask, [one, other]: PeerPair, owner: string | undefined): PairComparison => {
  const [a, b] = [sideOf(ask, one), sideOf(ask, other)];
  if (!a) return { kind: 'closed', view: one };
  if (!b) return { kind: 'closed', view: other };
  const found = (kind: PairFound['kind'], words: string): PairFound => ({ kind, sides: [a, b], words });
  const names = [a.identity.name, b.identity.name] as const;
  const isOf = ownershipIn([a, b], owner);
  const leaks = bothWays([a, b]).flatMap(([from, of]) => {
    const rows = leaked(from, of, isOf).length;
    const taker = from.identity.name;
    return rows === 0 ? [] : [{ taker, words: `${taker} gets ${seesMany(rows)} of ${of.identity.name}` }];
  });
  if (leaks.length > 0)
    return { ...found('leaked', listed(leaks.map(({ words }) => words))), takers: leaks.map(({ taker }) => taker) };
  const unread = [a, b].filter(isUnread).map(({ identity }) => identity.name);
  if (unread.length > 0)
    return {
      ...found('shared', `what ${listed(unread)} gets was not kept, for its length or for a secret in it`),
      whose: 'rows of the other may stand in it',
    };
  // By any place that names it: the place that the lists show may name whoever reads them.
  const isTheirs = (row: Row): boolean => belongsTo(row, owner, other.identity, one.identity) === true;
  const both = shared(a, b, owner).filter((row) => !belongsToNobody(row, owner) && !isTheirs(row));
  const owners = new Set(both.flatMap((row) => (owner === undefined ? [] : (ownerAt(row, owner) ?? []))));
  // With two owners, at least one is another account than the peer. A single owner may be that of a
  // catalogue.
  const get = `${names.join(' and ')} both get ${seesMany(both.length)}`;
  if (owners.size > 1) return { ...found('leaked', `${get} of ${counted(owners.size, 'owner')}`), takers: names };
  if (both.length > 0) {
    const whose = whoseAre(owners.size, [one.identity, other.identity]);
    if (both.every((row) => hasWhole(a.controls, row))) return { ...found('shared', `${get} of theirs`), whose };
    const alike = `${names.join(' and ')} get ${seesMany(both.length)} with values in common`;
    return { ...found('shared', alike), whose: `other rows that have these by chance, ${whose}` };
  }
  const isUndecided = (row: Row, its: KeyHolder, taker: KeyHolder): boolean =>
    isOf(row, its, taker) === undefined && belongsTo(row, owner, its, taker) === true;
  const naming = bothWays([a, b]).flatMap(([from, of]) =>
    from.rows.some((row) => isUndecided(row, of.identity, from.identity))
      ? [`${from.identity.name} gets rows that name ${of.identity.name}`]
      : [],
  );
  if (naming.length > 0) return { ...found('shared', listed(naming)), whose: namesWhom };
  if (a.rows.length + b.rows.length === 0) return found('empty', `${names.join(' and ')} get no rows`);
  return found('apart', `${names[0]} gets ${seesMany(a.rows.length)}, ${names[1]} ${seesMany(b.rows.length)}`);
};

export const exchangesOf = (found: PairComparison): readonly Exchange[] =>
  found.kind === 'closed' ? [] : (found.shown ?? found.sides.map(({ controls }) => controls.keyed[0]));

/** The failure where one of two peers gets rows of the other; `undefined` where none does. */
export const failedByLeaks = (found: readonly PairComparison[]): Judgement | undefined => {
  const leaks = found.filter((one): one is PairFound => one.kind === 'leaked');
  if (leaks.length === 0) return undefined;
  const takers = new Set(leaks.flatMap(({ takers = [] }) => takers));
  const seen = listed(leaks.map(({ words }) => words));
  return failed(because('opens-to-peer', listed([...takers])), `${seen}.`, leaks.flatMap(exchangesOf), {
    expected: 'rows of one account alone',
    seen,
  });
};

/** A record names its own owner; the lists in it may name others, such as members. */
const isListOf = ({ controls }: PeerSide, owner: string): boolean => {
  const view = viewIn(controls.first.shape);
  return view !== undefined && view.lists.size > 0 && ownerAt(view.record, owner) === undefined;
};

/**
 * Compares what two peers get below parameter values of their own, if the document says whose a row
 * is.
 */
export const listsBelowOwnValues = (ask: Ask, subject: OperationSubject): readonly PairComparison[] => {
  const { owner } = subject.operation;
  if (owner === undefined || asksForAccount(subject.operation)) return [];
  return peersOf(subject).flatMap(([one, other]) => {
    const [a, b] = [one, other].map(({ identity }) => ownItemOf(subject, identity));
    const found = a && b && compareLists(ask, [a, b], owner);
    return found && found.kind !== 'closed' && found.sides.every((side) => isListOf(side, owner)) ? [found] : [];
  });
};
