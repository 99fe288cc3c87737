import type { Exchange } from '../wire/types.js';
import { isInBothLists } from './identities/id-source.js';
import { opensAnything } from './identities/identity-readings.js';
import {
  holdsOne,
  type IdentityView,
  identityViewOf,
  partialViewOf,
  statedInWords,
} from './identities/identity-views.js';
import { protectedWithScopes } from './identities/peers.js';
import { answerOf, isSuccess, saysNothing } from './oracle/answers.js';
import { keyedControl, keyedControls } from './oracle/control-requests.js';
import { controlsOf } from './oracle/controls.js';
import { isSame, volatileIn } from './oracle/same.js';
import { isTable } from './oracle/tables.js';
import { type UsableControls, usableFor } from './oracle/usable-controls.js';
import { type Ask, type AskedBy, defineRule, type Judgement, type OperationSubject } from './rule.js';
import { because, failed, inconclusive, listed, passed } from './support/judgement.js';

/** AUTH-5: an operation opens to identities that hold a stated set of scopes or roles. */
export const opensToStatedScopes = defineRule({
  scope: 'operation',
  id: 'opens-to-stated-scopes',
  clauses: ['AUTH-5'],
  title: 'opens to identities with the stated scopes or roles',
  stage: 'placements',
  appliesTo: (subject) =>
    protectedWithScopes(
      subject,
      () => holdersIn(subject),
      'No identity whose scopes are known holds one of the sets that it states, with an id of its own.',
    ),
  probes: (subject) => holdersIn(subject).flatMap((view) => keyedControls(view.subject)),
  judge: (ask, subject) => judgeHolders(ask, subject),
  explanation: {
    asks: 'An operation opens to an identity that holds one of the stated sets of scopes or roles.',
    sends:
      'The documented request with the key of each identity that holds one of the sets, with an id from its own lists where the path has one.',
    judged: [
      'Passed: it opens to each of them.',
      'Failed: one of them gets the very refusal of an identity that holds none of the sets, though its key opens other operations, no other list has its id, and no value of PARAMETERS or an example stands in the query or in a field.',
      'Inconclusive: both get the same success without data, which opens to both or refuses both.',
      'Inconclusive: any other answer that does not open, such as that to a key that has ended.',
    ],
    causes: [
      'The server asks for another scope than the document states.',
      'The document lacks an alternative, or names one too many.',
    ],
    fixes:
      'Ask for one of the stated sets, or correct the security requirement of the document (an overlay can do it).',
  },
});

/** The views of identities that hold one of the stated sets of scopes. */
const holdersIn = (subject: OperationSubject): readonly IdentityView[] =>
  (subject.deployment.identities ?? []).flatMap((identity) => {
    const view = holdsOne(subject.operation, identity) ? identityViewOf(subject, identity) : undefined;
    return view && !view.isForeign ? [view] : [];
  });

/** Whether what a holder gets is data, and no refusal in the body of a success. */
const isData = (controls: UsableControls | undefined): boolean =>
  controls !== undefined &&
  (controls.isDocumentedData || isTable(controls.background.keyed.rows) || controls.background.isListed());

/**
 * An identity without the scopes that gets the answer of a holder, which is no data. A refusal by
 * status shows something only where both keys are good.
 */
const answeredAlike = (ask: Ask, subject: OperationSubject, holder: IdentityView): IdentityView | undefined => {
  const [first, second] = ask.all([keyedControl(holder.subject, 1), keyedControl(holder.subject, 2)]).map(answerOf);
  if (!first) return undefined;
  const isJudged = isSuccess(first)
    ? !isData(usableFor(ask, holder.subject))
    : isKnown(ask, subject, holder) && isOfItsOwn(ask, subject, holder);
  if (!isJudged) return undefined;
  // An outage and a path that does not exist answer everybody alike.
  const { keyedMissing } = controlsOf(ask, holder.subject);
  if (first.status >= 500 || saysNothing(first) || isSame(first, answerOf(keyedMissing))) return undefined;
  const volatile = volatileIn(first, second);
  for (const identity of subject.deployment.identities ?? []) {
    const view = holdsOne(subject.operation, identity) === false ? partialViewOf(subject, identity) : undefined;
    const answer = view && answerOf(ask(keyedControl(view.subject, 1)));
    if (!view || !isSame(first, answer, volatile)) continue;
    if (isSuccess(first) || opensAnything(ask, subject, identity)) return view;
  }
  return undefined;
};

/**
 * Whether a holder asked for an id that no other identity was given, and for no value that was
 * chosen for all: another account's may be refused.
 */
const isOfItsOwn = (ask: Ask, { deployment }: OperationSubject, holder: IdentityView): boolean =>
  holder.subject.operation.chosen === undefined &&
  (deployment.identities ?? []).every(
    (peer) => peer === holder.identity || !isInBothLists(ask, { owner: holder, peer }),
  );

/** Whether a holder's key is valid: it opens something, or is refused unlike a wrong one. */
const isKnown = (ask: Ask, subject: OperationSubject, { identity, subject: own }: IdentityView): boolean => {
  if (opensAnything(ask, subject, identity)) return true;
  const { keyed, random } = controlsOf(ask, own);
  const [answer, invalid] = [keyed[0], random].map(answerOf);
  return answer !== undefined && invalid !== undefined && answer.status !== invalid.status;
};

/** A holder to whom the operation was not seen to open. */
interface ClosedHolder {
  readonly view: IdentityView;
  readonly exchange: Exchange;
  /** Gets the same answer, and lacks the scopes. */
  readonly alike: IdentityView | undefined;
}

/** Whether it is refused as one is who lacks the scopes. A success may be a refusal in the body. */
const isRefused = ({ alike, exchange }: ClosedHolder): boolean => alike !== undefined && !isSuccess(answerOf(exchange));

const judgeHolders = (ask: Ask, subject: OperationSubject): Judgement => {
  const holders = holdersIn(subject);
  const stated = statedInWords(subject.operation);
  const closed = holders.flatMap((view): ClosedHolder[] => {
    const exchange = ask(keyedControl(view.subject, 1));
    const alike = answeredAlike(ask, subject, view);
    const isOpen = alike === undefined && usableFor(ask, view.subject) !== undefined;
    return isOpen ? [] : [{ view, exchange, alike }];
  });
  const asked = holders.map((view): AskedBy => {
    const own = closed.find((one) => one.view === view);
    return { identity: view.identity.name, seen: own ? (isRefused(own) ? 'refuses' : 'unclear') : 'opens' };
  });
  const refused = closed.filter(isRefused);
  const [decisive] = refused;
  if (decisive) {
    const names = listed(refused.map(({ view }) => view.identity.name));
    return failed(
      because('refused-to-holder', names),
      `It refuses ${names}, who holds ${stated}, just as it refuses ${decisive.alike?.identity.name}, who does not (${answerOf(decisive.exchange)?.status}).`,
      refused.map(({ exchange }) => exchange),
      {
        expected: `what opens to whoever holds ${stated}`,
        seen: String(answerOf(decisive.exchange)?.status),
        comparedWith: refused.flatMap(({ alike }) => (alike ? [ask(keyedControl(alike.subject, 1))] : [])),
        asked,
      },
    );
  }
  const [open] = closed;
  if (open) {
    const { name } = open.view.identity;
    const status = answerOf(open.exchange)?.status;
    if (open.alike)
      return inconclusive(
        because('unclear-answer', name),
        `${name}, who holds ${stated}, gets what ${open.alike.identity.name} gets, who does not (${status}): it opens to both, or refuses both in the body.`,
        closed.map(({ exchange }) => exchange),
        { comparedWith: [ask(keyedControl(open.alike.subject, 1))], asked },
      );
    const { chosen } = subject.operation;
    const foreign = chosen === undefined ? '' : `, or the value of ${listed(chosen)} be of another account`;
    return inconclusive(
      because('key-opens-nothing', status),
      `It was not seen to open to ${name}, who holds ${stated} (${status ?? 'no answer'}): the key may be wrong or have ended, or its account have nothing there${foreign}.`,
      closed.map(({ exchange }) => exchange),
      { asked },
    );
  }
  return passed(
    `Opens to ${listed(holders.map(({ identity }) => identity.name))}.`,
    holders.map((view) => ask(keyedControl(view.subject, 1))),
    { asked },
  );
};
