import type { Exchange, Probe } from '../wire/types.js';
import { unlessOpenToAll } from './identities/identity-readings.js';
import { askedBy } from './identities/identity-views.js';
import { compareNamed } from './identities/lists-by-name.js';
import { failedByLeaks, listsBelowOwnValues } from './identities/lists-of-peers.js';
import { asIfKnown, ownedWithPeers, peersOf, takesValues, trespassesOf } from './identities/peers.js';
import { type TrespassResult, trespassRequests, tryTrespass } from './identities/trespass.js';
import { keyedControl } from './oracle/control-requests.js';
import { type Ask, defineRule, type Judgement, type OperationSubject } from './rule.js';
import { because, type Cause, failed, inconclusive, listed, passed } from './support/judgement.js';

/** AUTH-6: an item of one account does not open to another account that knows its id. */
export const keepsItemsApart = defineRule({
  scope: 'operation',
  id: 'keeps-items-apart',
  clauses: ['AUTH-6'],
  title: 'gives nothing of one account to another that knows its id',
  stage: 'placements',
  asksKeyless: true,
  appliesTo: (subject) => {
    const known = asIfKnown(subject);
    return known !== undefined && ownedWithPeers(known, takesValues, peersOf(known));
  },
  probes: (subject) => trespassProbes(subject),
  judge: (ask, subject) => unlessOpenToAll(ask, subject, judgeTrespasses(ask, subject)),
  explanation: {
    asks: 'What the document says belongs to one account (x-access-owned) does not open to the key of another, also where that one knows its id.',
    sends: [
      'The documented request with an id from the list of one identity, or with what owns in IDENTITIES says of its account, and the key of a peer, both ways; the same by HEAD, with the letters of the id in upper case, in each other documented media type, and below a value of the peer where the request has several.',
      'With the same key: an id that names nothing, and a path that does not exist.',
      'With the extended probes also with the name of the owner, as owns in IDENTITIES says it, in query parameters and in fields (?owner=, ?user_id=, X-Tenant-Id and their like); in parts where that is refused otherwise.',
    ],
    judged: [
      'By the table of AUTH-3, beside what the owner gets. Granted, and granted again: failed.',
      'What is in the peer’s own list too, or is its own by the same id, is not the owner’s alone. Where no row names its owner, that list has to be seen whole.',
      'Failed too: a list below a value of the peer’s own has rows of another account, by x-access-owner, also where the request names that account.',
      'Passed with a note: a refusal that differs from that of an id that names nothing.',
    ],
    causes: [
      'The item is looked up by its id alone.',
      'The owner is checked in lists, and not for single items, for HEAD, or for an id in another spelling.',
      'The account in the path is checked, and not whether the item is of it.',
      'The account is read from the query or a field, and not compared with that of the key.',
    ],
    fixes: 'Look the item up among those of the account of the key, and answer as for an id that names nothing.',
  },
});

const trespassWords = ({ trespass: { owner, peer }, reads }: TrespassResult): string =>
  `the key of ${peer.name} gets what belongs to ${owner.identity.name}${reads[0]?.how ?? ''}`;

const exchangesOf = (found: readonly TrespassResult[]): readonly Exchange[] =>
  found.flatMap(({ reads }) => reads.map(({ exchange }) => exchange));

const whyNotJudged = ({ trespass, outcome, reads }: TrespassResult): readonly [Cause, string] => {
  const [owner, peer] = [trespass.owner.identity.name, trespass.peer.name];
  const { how = '', reading: { seen } = { seen: '' } } = reads[0] ?? {};
  switch (outcome) {
    case 'unclear':
      return [
        because('unclear-answer', peer),
        `What ${peer} gets for an id of ${owner}${how} is neither granted nor refused: ${seen}.`,
      ];
    case 'opened-once':
      return [
        because('changes-between-tries', peer),
        `An id of ${owner} opened to ${peer}${how} once (${seen}), and not on a second try.`,
      ];
    case 'owner-refused':
      return [
        because('control-unusable', owner),
        `It was not seen to open to ${owner}, whose id it was asked for, so there is nothing to compare with.`,
      ];
    case 'key-opens-nothing':
      return [
        because('identity-opens-nothing', peer),
        `The key of ${peer} opens nothing that it was tried on, so its refusal shows nothing: it may be wrong or have ended.`,
      ];
    default:
      return [
        because('rows-in-both-lists', listed([owner, peer])),
        `${peer} gets what was read in the list of ${owner}, and ${outcome === 'in-both-lists' ? 'has it in its own list too' : 'may have it in its own list too, which was not seen whole'}: something for everybody, or what belongs to an account. x-access-owner in the document, or owns in IDENTITIES, says whose it is.`,
      ];
  }
};

const judgeTrespasses = (ask: Ask, subject: OperationSubject): Judgement => {
  const { keyless } = subject.operation;
  // The lists alone do not show that items are kept apart.
  if (keyless)
    return inconclusive(
      because('no-own-value'),
      `It was asked with no key: ${keyless.why}. So no peer was asked for an item of another account. ${keyless.advice}`,
      [],
    );
  const trespasses = trespassesOf(subject);
  if (trespasses.length === 0)
    return inconclusive(
      because('no-own-value'),
      'No list that was read gives an identity an id of its own, so there is nothing that a peer could ask for. Each identity reads the lists with its own key, so it needs a right to the list of these items.',
      [],
    );
  const found = trespasses.map((trespass) => tryTrespass(ask, trespass));
  const of = (...outcomes: readonly TrespassResult['outcome'][]): readonly TrespassResult[] =>
    found.filter(({ outcome }) => outcomes.includes(outcome));
  const comparedWith = trespasses.flatMap(({ owner }) => [ask(keyedControl(owner.subject, 1))]);
  const wrong = of('opened');
  const [decisive] = wrong;
  if (decisive) {
    const seen = decisive.reads[0]?.reading.seen ?? '';
    return failed(
      because('opens-to-peer', listed(wrong.map(({ trespass }) => trespass.peer.name))),
      `${listed(wrong.map(trespassWords))} (${seen}).`,
      exchangesOf(wrong),
      { expected: 'a refusal', seen, comparedWith, opened: exchangesOf(wrong) },
    );
  }
  const { owner } = subject.operation;
  const below = listsBelowOwnValues(ask, subject).map((pair) => compareNamed(ask, pair, owner));
  const leaks = failedByLeaks(below);
  if (leaks) return leaks;
  const [open] = of('unclear', 'opened-once', 'owner-refused', 'key-opens-nothing', 'in-both-lists', 'perhaps-in-both');
  if (open)
    return inconclusive(...whyNotJudged(open), exchangesOf([open]), { comparedWith, opened: exchangesOf([open]) });
  const notes = found.flatMap(({ note }) => note ?? []);
  const own = of('an-own-item').map(({ trespass }) => trespass.peer.name);
  return passed(
    `Refused to ${listed(of('kept').map(({ trespass, reads }) => `${trespass.peer.name} (${reads[0]?.reading.seen ?? ''})`)) || 'nobody'}${own.length > 0 ? `; ${listed(own)} gets something of its own by that id` : ''}.`,
    exchangesOf(found),
    { comparedWith, ...(notes.length > 0 ? { note: listed(notes) } : {}) },
  );
};

const trespassProbes = (subject: OperationSubject): readonly Probe[] =>
  trespassesOf(subject).flatMap((trespass) => {
    const asked = askedBy(trespass.owner, trespass.peer);
    return [
      keyedControl(trespass.owner.subject, 1),
      ...(asked ? Object.values(trespassRequests(asked, trespass)) : []),
    ];
  });
