import { counted } from '../words.js';
import { isNobodys, isOf, isSameOwned, ownerAt, rowsOf } from './identities/owned-rows.js';
import { ownedWithPeers, type Pair, peersOf } from './identities/peers.js';
import type { View } from './identities/views.js';
import { keyedControls } from './oracle/control-requests.js';
import { keyedOf } from './oracle/keyed.js';
import { type UsableControls, usableFor } from './oracle/usable-controls.js';
import type { Row } from './oracle/view.js';
import { type Ask, type AskedBy, defineRule, type Judgement, type OperationSubject } from './rule.js';
import { because, failed, inconclusive, listed, passed } from './support/judgement.js';

/** AUTH-6: a list has only rows of the account whose key asks. */
export const keepsListsApart = defineRule({
  scope: 'operation',
  id: 'keeps-lists-apart',
  clauses: ['AUTH-6'],
  title: 'gives no rows of one account to another',
  stage: 'placements',
  appliesTo: (subject) => ownedWithPeers(subject, false, peersOf(subject)),
  probes: (subject) => peersOf(subject).flatMap((pair) => pair.flatMap((view) => keyedControls(view.subject))),
  judge: (ask, subject) => judgePairs(ask, subject),
  explanation: {
    asks: 'What the document says belongs to one account (x-access-owned) is in the list of no other.',
    sends: 'The documented request with the key of each of two peers, twice.',
    judged: [
      'Failed: one of them gets a row whose owner is the other, by x-access-owner or by what owns in IDENTITIES names; or both get rows of several owners.',
      'Inconclusive: both get a row, and whose it is cannot be read. A catalogue and a list without a filter look alike.',
    ],
    causes: [
      'The list is not filtered by the account of the key.',
      'A filter can be left out, and then gives everything.',
    ],
    fixes: 'Start every query from the account of the key, not from the table.',
  },
});

/** What one of two peers gets. */
interface Side {
  readonly view: View;
  readonly controls: UsableControls;
  readonly rows: readonly Row[];
}

const sideOf = (ask: Ask, view: View): Side | undefined => {
  const controls = usableFor(ask, view.subject);
  return controls && { view, controls, rows: rowsOf(controls.first) };
};

/** Rows that `from` gets and that belong to `of`. */
const leaked = (from: Side, of: Side, owner: string | undefined): readonly Row[] =>
  from.rows.filter((row) => isOf(row, owner, of.view.identity, from.view.identity) === true);

/** Rows that both get. */
const shared = (a: Side, b: Side): readonly Row[] => {
  const keyed = keyedOf(a.controls.first, a.controls.second);
  return b.rows.filter((row) => a.rows.some((own) => isSameOwned(own, row, keyed)));
};

/** The comparison of two peers' lists. */
type PairComparison = { readonly kind: 'closed'; readonly view: View } | PairFound;

interface PairFound {
  readonly kind: 'empty' | 'apart' | 'shared' | 'leaked';
  readonly sides: readonly [Side, Side];
  readonly words: string;
  /** Names of those who get rows of another account. */
  readonly takers?: readonly string[];
}

const seesMany = (rows: number): string => (rows === 1 ? 'a row' : `${rows} rows`);

const compare = (ask: Ask, [one, other]: Pair, owner: string | undefined): PairComparison => {
  const [a, b] = [sideOf(ask, one), sideOf(ask, other)];
  if (!a) return { kind: 'closed', view: one };
  if (!b) return { kind: 'closed', view: other };
  const found = (kind: PairFound['kind'], words: string): PairFound => ({ kind, sides: [a, b], words });
  const names = [a.view.identity.name, b.view.identity.name] as const;
  const directions: readonly (readonly [Side, Side])[] = [
    [a, b],
    [b, a],
  ];
  const leaks = directions.flatMap(([from, of]) => {
    const rows = leaked(from, of, owner).length;
    const taker = from.view.identity.name;
    return rows === 0 ? [] : [{ taker, words: `${taker} gets ${seesMany(rows)} of ${of.view.identity.name}` }];
  });
  if (leaks.length > 0)
    return { ...found('leaked', listed(leaks.map(({ words }) => words))), takers: leaks.map(({ taker }) => taker) };
  const both = shared(a, b).filter((row) => !isNobodys(row, owner));
  const owners = new Set(both.flatMap((row) => (owner === undefined ? [] : (ownerAt(row, owner) ?? []))));
  // With two owners, at least one is not the peer itself. A single one may be the owner of a
  // catalogue.
  const get = `${names.join(' and ')} both get ${seesMany(both.length)}`;
  if (owners.size > 1) return { ...found('leaked', `${get} of ${counted(owners.size, 'owner')}`), takers: names };
  if (both.length > 0) return found('shared', `${get} of theirs`);
  if (a.rows.length + b.rows.length === 0) return found('empty', `${names.join(' and ')} get no rows`);
  return found('apart', `${names[0]} gets ${seesMany(a.rows.length)}, ${names[1]} ${seesMany(b.rows.length)}`);
};

const exchangesOf = (found: PairComparison): Judgement['exchanges'] =>
  found.kind === 'closed' ? [] : found.sides.map(({ controls }) => controls.keyed[0]);

const judgePairs = (ask: Ask, subject: OperationSubject): Judgement => {
  const { owner } = subject.operation;
  const found = peersOf(subject).map((pair) => compare(ask, pair, owner));
  const asked = found.flatMap((one): AskedBy[] =>
    one.kind === 'closed'
      ? [{ identity: one.view.identity.name, seen: 'unclear' }]
      : one.sides.map(({ view }) => ({ identity: view.identity.name, seen: 'opens' })),
  );
  return { ...judgeFound(found), asked };
};

const judgeFound = (found: readonly PairComparison[]): Judgement => {
  const [closed] = found.filter((one) => one.kind === 'closed');
  const of = (kind: PairComparison['kind']) => {
    const some = found.filter((one) => one.kind === kind);
    const words = listed(some.flatMap((one) => ('words' in one ? [one.words] : [])));
    return { some, words, exchanges: some.flatMap(exchangesOf) };
  };
  const wrong = of('leaked');
  const takers = new Set(wrong.some.flatMap((one) => ('takers' in one ? (one.takers ?? []) : [])));
  if (wrong.some.length > 0)
    return failed(because('opens-to-peer', listed([...takers])), `${wrong.words}.`, wrong.exchanges, {
      expected: 'rows of one account alone',
      seen: wrong.words,
    });
  if (closed)
    return inconclusive(
      because('identity-opens-nothing', closed.view.identity.name),
      `It was not seen to open to ${closed.view.identity.name}, so there is nothing to compare.`,
      [],
    );
  const same = of('shared');
  if (same.some.length > 0)
    return inconclusive(
      because('rows-in-both-lists', same.words),
      `${same.words}: a catalogue for everybody, or rows of an account. x-access-owner in the document, or owns in IDENTITIES, says whose they are.`,
      same.exchanges,
    );
  const empty = of('empty');
  return empty.some.length === found.length
    ? inconclusive(because('no-own-value', empty.words), `${empty.words}: give their accounts some.`, empty.exchanges)
    : passed(`${of('apart').words}, and neither gets the other’s.`, found.flatMap(exchangesOf));
};
