import { isSameOwned, rowsOf } from './identities/owned-rows.js';
import { openedTo, ownRead } from './identities/reading.js';
import { type View, viewsOf } from './identities/views.js';
import { observation, observedFacts, seenFact } from './observation.js';
import { answerOf, isSuccess } from './oracle/answers.js';
import { keyedControls } from './oracle/control-requests.js';
import { keyedOf } from './oracle/keyed.js';
import { type Ask, type AskedBy, defineRule, type OperationSubject } from './rule.js';

/** Identities that can ask with values of their own. */
const askers = (subject: OperationSubject): readonly View[] => viewsOf(subject).filter(({ isForeign }) => !isForeign);

const seenBy = (ask: Ask, view: View): AskedBy['seen'] => {
  if (openedTo(ask, view)) return 'opens';
  const answer = answerOf(ask(ownRead(view)));
  return answer && !isSuccess(answer) && answer.status < 500 && answer.status !== 429 ? 'refuses' : 'unclear';
};

type Shared = 'all' | 'some' | 'none';

/** How many of the rows that one identity gets another one gets too. */
const sharedBy = (ask: Ask, one: View, other: View): Shared | undefined => {
  const [a, b] = [openedTo(ask, one), openedTo(ask, other)];
  if (!a || !b) return undefined;
  const [own, theirs] = [rowsOf(a.first), rowsOf(b.first)];
  if (own.length === 0 || theirs.length === 0) return undefined;
  const keyed = keyedOf(a.first, a.second);
  const both = own.filter((row) => theirs.some((other) => isSameOwned(row, other, keyed))).length;
  return both === 0 ? 'none' : both === own.length ? 'all' : 'some';
};

const inWords: Readonly<Record<Shared, string>> = {
  all: 'the same rows',
  some: 'some of the same rows',
  none: 'rows of its own',
};

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
    const asked = views.map((view): AskedBy => ({ identity: view.identity.name, seen: seenBy(ask, view) }));
    const facts = others.flatMap((view, index) => {
      const shared = first && sharedBy(ask, first, view);
      if (!first || shared === undefined) return [];
      const [a, b] = [first.identity.name, view.identity.name];
      return [
        seenFact({
          gap: 'GAP-OWNERSHIP',
          id: `rows-of-${index + 2}`,
          words: `${b} gets ${inWords[shared]} as ${a}.`.replace('of its own as', 'of its own, and none of'),
          reads: [ask(ownRead(view))],
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
