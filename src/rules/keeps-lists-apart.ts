import { unlessOpenToAll } from './identities/identity-readings.js';
import { compareNamed, requestsNamingPeers } from './identities/lists-by-name.js';
import {
  compareLists,
  exchangesOf,
  failedByLeaks,
  type PairComparison,
  type PairFound,
} from './identities/lists-of-peers.js';
import { asksForAccount, ownedWithPeers, peersOf } from './identities/peers.js';
import { keyedControls } from './oracle/control-requests.js';
import { type Ask, type AskedBy, defineRule, type Judgement, type OperationSubject } from './rule.js';
import { because, inconclusive, listed, passed } from './support/judgement.js';

/** AUTH-6: a list has only rows of the account whose key asks. */
export const keepsListsApart = defineRule({
  scope: 'operation',
  id: 'keeps-lists-apart',
  clauses: ['AUTH-6'],
  title: 'gives no rows of one account to another',
  stage: 'placements',
  appliesTo: (subject) => ownedWithPeers(subject, asksForAccount, peersOf(subject)),
  probes: (subject) =>
    peersOf(subject).flatMap((pair) => [
      ...pair.flatMap((view) => keyedControls(view.subject)),
      ...requestsNamingPeers(pair),
    ]),
  judge: (ask, subject) => unlessOpenToAll(ask, subject, judgePairs(ask, subject)),
  explanation: {
    asks: 'What the document says belongs to one account (x-access-owned) is in the list of no other.',
    sends: [
      'The documented request with the key of each of two peers, twice.',
      'With the extended probes also with the name of the other account, as owns in IDENTITIES says it, in query parameters (those of the document that name an account, ?owner=, ?user_id=, ?tenant= and their like) and in fields (X-User-Id, X-Tenant-Id and their like); in parts where that is refused.',
    ],
    judged: [
      'Failed: one of them gets a row whose owner is the other, by x-access-owner or by what owns in IDENTITIES names, also inside another row; or both get rows of several owners.',
      'Without x-access-owner, a row names its owner where each row that only one of them gets names that one. What it names elsewhere, such as an assignee, is no owner.',
      'Inconclusive: both get a row, or one gets a row of the other’s list by naming it, and whose it is cannot be read. A catalogue and a list without a filter look alike.',
    ],
    causes: [
      'The list is not filtered by the account of the key.',
      'A filter can be left out, and then gives everything.',
      'The account is read from the query or a field, and not compared with that of the key.',
    ],
    fixes: 'Start every query from the account of the key, not from the table.',
  },
});

const judgePairs = (ask: Ask, subject: OperationSubject): Judgement => {
  const { owner } = subject.operation;
  const found = peersOf(subject).map((pair) => compareNamed(ask, compareLists(ask, pair, owner), owner));
  const asked = found.flatMap((one): AskedBy[] =>
    one.kind === 'closed'
      ? [{ identity: one.view.identity.name, seen: 'unclear' }]
      : one.sides.map(({ identity }) => ({ identity: identity.name, seen: 'opens' })),
  );
  return { ...judgeFound(found), asked };
};

const judgeFound = (found: readonly PairComparison[]): Judgement => {
  const [closed] = found.filter((one) => one.kind === 'closed');
  const of = (kind: PairComparison['kind']) => {
    const some = found.filter((one) => one.kind === kind);
    const pairs = some.filter((one): one is PairFound => one.kind !== 'closed');
    const names = listed([...new Set(pairs.flatMap(({ sides }) => sides.map(({ identity }) => identity.name)))]);
    return { some, names, words: listed(pairs.map(({ words }) => words)), exchanges: some.flatMap(exchangesOf) };
  };
  const leaks = failedByLeaks(found);
  if (leaks) return leaks;
  if (closed)
    return inconclusive(
      because('identity-opens-nothing', closed.view.identity.name),
      `It was not seen to open to ${closed.view.identity.name}, so there is nothing to compare.`,
      [],
    );
  const same = of('shared');
  if (same.some.length > 0)
    return inconclusive(
      because('rows-in-both-lists', same.names),
      `${same.words}: ${listed(same.some.flatMap((one) => ('whose' in one ? (one.whose ?? []) : [])))}.`,
      same.exchanges,
    );
  const empty = of('empty');
  return empty.some.length === found.length
    ? inconclusive(because('rows-of-nobody', empty.names), `${empty.words}: give their accounts some.`, empty.exchanges)
    : passed(`${of('apart').words}, and neither gets the other’s.`, found.flatMap(exchangesOf));
};
