import type { Json } from '../collections.js';
import { holdsOne, type IdentityView, identityViewsOf } from './identities/identity-views.js';
import { getsRow, rowsOrRecord } from './identities/owned-rows.js';
import { quote, walksThroughKeyPage } from './key-page/judge-walk.js';
import { endedNote, type KeyPageOpens, type KeyPageRecord } from './key-page/record.js';
import { answerOf, isSuccess } from './oracle/answers.js';
import { keyedControl, keyedControls } from './oracle/control-requests.js';
import { usableFor } from './oracle/usable-controls.js';
import { type Ask, type AskedBy, defineRule, type OperationSubject } from './rule.js';
import { observed } from './support/judgement.js';
import { endedKeyFact, observation, observedFacts, seenFact } from './support/observation.js';

/** Observes the life of a key, and whose data a key opens. */

export const observesKeyLife = defineRule({
  scope: 'key-page',
  id: 'observes-key-life',
  gaps: ['GAP-KEY-LIFE'],
  title: 'life of a key: regeneration, transport, caching',
  judge: (walk) => {
    const facts = factsOf(walk);
    const value = lifeOf(walk);
    return observed(facts.join(' ') || 'Nothing could be observed: the key page was not reached.', [], {
      facts: [
        ...facts.map((fact, index) => ({
          gap: 'GAP-KEY-LIFE',
          fact,
          exchanges: [],
          ...(index === 0 && value !== undefined ? { id: 'key-life', value, reads: 1 } : {}),
        })),
        ...(walk.endedKey ? [endedKeyFact([walk.endedKey])] : []),
      ],
    });
  },
  explanation: {
    asks: 'What happens to a key: regeneration, transport, caching? The contract leaves it open, so it is only observed.',
    sends: walksThroughKeyPage,
    judged:
      'Always observed: whether the old key, and the one in API_KEY, still open, how the action is sent, whether the page may be cached. It cannot fail.',
    causes: 'Nothing here is a failure.',
    fixes:
      'A new key should end the old one, the action should be a POST with a CSRF token, and the page should not be cached.',
  },
});

const factsOf = (record: KeyPageRecord): string[] => {
  const { action, after, oldKey, givenKey, facts } = record;
  const { method, path } = (after?.made === undefined ? undefined : action?.request) ?? {};
  const all = [
    endedNote(record),
    givenKey?.opens === 'granted' && `The key in ${givenKey.setting} still opens the API after the action.`,
    action?.pressed &&
      `The action ${action.name === undefined ? '' : `${quote(action.name)} `}was pressed ${action.twice ? 'twice, since nothing came of the first time' : 'once'}${after?.made === undefined ? '' : ' and made a key'}.`,
    oldKey && becomesOf[oldKey],
    method && `The action works by ${method}${method === 'GET' ? ` (GET ${path}): following a link makes a key` : ''}.`,
    ...facts,
  ];
  return all.flatMap((fact) => fact || []);
};

/** What becomes of the key from before. */
const becomesOf: Readonly<Record<KeyPageOpens, string>> = {
  granted: 'The key from before still opens the protected operation after another was made.',
  refused: 'Making a key revokes the one before.',
  unknown: 'Whether the key from before still works could not be seen.',
};

/** How a key is made, and what happens to the previous one. `undefined` if none was made. */
const lifeOf = ({ action, after, oldKey }: KeyPageRecord): Json | undefined =>
  after?.made === undefined ? undefined : { method: action?.request?.method ?? null, keyBefore: oldKey ?? null };

/** GAP-OWNERSHIP: whose data a key opens. */
export const observesOwnership = defineRule({
  scope: 'operation',
  id: 'observes-ownership',
  gaps: ['GAP-OWNERSHIP'],
  title: 'whose data a key opens',
  stage: 'placements',
  appliesTo: (subject) =>
    subject.operation.access === 'protected' && !subject.operation.owned && askers(subject).length > 1,
  probes: (subject) => askers(subject).flatMap((view) => keyedControls(view.subject)),
  judge: (ask, subject) => {
    const views = askers(subject);
    const [first, ...others] = views;
    // AUTH-5 reads what an identity without the scopes gets: its refusal may be the body of a
    // success.
    const asked = views
      .filter(({ identity }) => holdsOne(subject.operation, identity) !== false)
      .map((view): AskedBy => ({ identity: view.identity.name, seen: seenBy(ask, view) }));
    const facts = others.flatMap((view, index) => {
      if (!first) return [];
      const shared = sharedBy(ask, first, view);
      const [a, b] = [first.identity.name, view.identity.name];
      return [
        seenFact({
          gap: 'GAP-OWNERSHIP',
          id: `rows-of-${index + 2}`,
          words: inWords[shared](a, b),
          reads: [ask(keyedControl(view.subject, 1))],
          shows: () => ({ identities: [a, b], shared }),
        }),
      ];
    });
    return { ...observedFacts(facts), asked };
  },
  explanation: observation(
    'Do two keys open the same data?',
    'The documented request with the key of each identity of IDENTITIES, twice.',
    'who may read it, and whether two identities get the same rows.',
    'x-access-owned in the document (an overlay can do it) turns it into a clause, AUTH-6.',
  ),
});

/** The views of identities that can ask with values of their own. */
const askers = (subject: OperationSubject): readonly IdentityView[] =>
  identityViewsOf(subject).filter(({ isForeign }) => !isForeign);

const seenBy = (ask: Ask, view: IdentityView): AskedBy['seen'] => {
  if (usableFor(ask, view.subject)) return 'opens';
  const answer = answerOf(ask(keyedControl(view.subject, 1)));
  return answer && !isSuccess(answer) && answer.status < 500 && answer.status !== 429 ? 'refuses' : 'unclear';
};

type SharedRows = 'all' | 'some' | 'none' | 'no-rows' | 'not-opened';

/** How many of the rows of one identity another one gets too. */
const sharedBy = (ask: Ask, one: IdentityView, other: IdentityView): SharedRows => {
  const [a, b] = [one, other].map(({ subject }) => usableFor(ask, subject));
  if (!a || !b) return 'not-opened';
  const [own, theirs] = [rowsOrRecord(a.first), rowsOrRecord(b.first)];
  if (own.length === 0 || theirs.length === 0) return 'no-rows';
  const both = own.filter((row) => getsRow(b, row, one.subject.operation.owner)).length;
  return both === 0 ? 'none' : both === own.length ? 'all' : 'some';
};

const inWords: Readonly<Record<SharedRows, (one: string, other: string) => string>> = {
  all: (one, other) => `${other} gets the rows of ${one}.`,
  some: (one, other) => `${other} gets some of the rows of ${one}.`,
  none: (one, other) => `${other} gets rows of its own, and none of ${one}.`,
  'no-rows': (one, other) => `One of ${one} and ${other} gets no rows.`,
  'not-opened': (one, other) => `It does not open to both ${one} and ${other}.`,
};
