import type { Exchange, Response } from '../wire/types.js';
import { counted } from '../words.js';
import { answerOf, answersOf, isRedirect, isSuccess, saysNothing } from './oracle/answers.js';
import { besideNothing } from './oracle/control-requests.js';
import { isSame } from './oracle/same.js';
import {
  endOfRedirect,
  endsAsRefused,
  isEverywhere,
  isOpenToAll,
  isRefusedNow,
  leadsAway,
  leadsToData,
  moreReads,
  moreWithTheKey,
  openedBy,
  withTheKey,
} from './public-resource/public-reads.js';
import { whyNotOpen } from './public-resource/why-not-open.js';
import {
  isOneOf,
  type KeylessAnswers,
  moreItems,
  refusedWithoutKey,
  withheldFromPublic,
} from './public-resource/withheld.js';
import { type Ask, type AskedBy, defineRule, type Judgement, type OperationSubject } from './rule.js';
import { keyedAsker, nobody, seenBy } from './support/asked-by.js';
import { shutOut, statusOf } from './support/follow-up.js';
import { because, failed, inconclusive, passed, shownTwice } from './support/judgement.js';
import { protectedRequests, requestWithNothing } from './support/requests.js';
import { onItsOwnQuery } from './support/targets.js';

/** AUTH-4: a public resource needs no credentials. */
export const opensWithoutCredentials = defineRule({
  scope: 'operation',
  id: 'opens-without-credentials',
  clauses: ['AUTH-4'],
  title: 'opens with nothing sent',
  stage: 'keyed',
  unprobed: { access: 'public', givesReason: true },
  explanation: {
    asks: 'A public resource needs no credentials: the client sends none, and gets it.',
    sends: [
      'A GET with nothing, three times; one of a path that does not exist and of the base path; a protected operation without a key, to know a refusal when it is seen.',
      'The same GET with the key, where one was given, on a query of its own, so that no cache keeps the answer for others; without that query if it is refused.',
    ],
    judged: [
      'Passed: 2xx with nothing sent, unlike the answers where nothing is and unlike a refusal.',
      'Failed: only the key opens it. Without the key the answer has another status, equals the refusal of protected resources, is a page that missing paths get too where the key gets data, or is an envelope without its list and with another outcome.',
      'Failed: some reads with nothing sent are refused by status, and so is a second try, while the key opens it.',
      'Inconclusive: this client is refused by now, whatever it asks: a request that was answered otherwise before gets the status of the refusal too.',
      'Inconclusive: full lists with the key and empty ones without it, or another body. The owner may have entries of their own. A record or a text passes if it has a value of the keyed one, or is another one at each read.',
      'Passed, with a note: the list has more items with the key.',
      'Inconclusive: other items with nothing sent than with the key. No item is one of the keyed ones, and the items are not of their kind: members are missing, null throughout or one placeholder. Another selection of items of one kind passes.',
      'Inconclusive: some reads with nothing sent are refused by status, and a second try is not. A limit (429, or a refusal with Retry-After) does not count.',
      'Inconclusive: it redirects to a place that gives no answer, or other rows than the key gets, or the key gets no answer to compare with. A redirect to a log-in page, or to where protected resources redirect, is a refusal.',
      'Inconclusive: it redirects everybody, to a path without its name, and there are no rows, or another public resource leads there too. The document may list the redirect as a response.',
      'Inconclusive: the path is answered like one that does not exist. The contract leaves these paths open; the suite assumes paths like that of workout, and EXERCISE_PATH and INGREDIENT_PATH replace the assumption.',
    ],
    causes: [
      'A deny-by-default guard without an exception for the public resources.',
      'Lists are filtered by the user, and a stranger’s is empty.',
      'One of several servers has an older configuration.',
      'The assumed path is not the service’s.',
    ],
    fixes: [
      'Open the public routes by name (in Django REST framework: permission_classes = [AllowAny]), and let their queries not depend on the user.',
      'Set the path where the report says so.',
    ],
  },
  appliesTo: ({ operation }) => operation.access === 'public' && operation.method !== 'OPTIONS',
  probes: (subject) => [
    ...besideNothing(subject, requestWithNothing(subject)),
    ...moreReads(subject),
    ...protectedRequests(subject),
    ...withTheKey(subject, false),
  ],
  judge: (ask, subject) => {
    const shown = shownBy(ask, subject);
    const judgement = judgeOpen(shown);
    return { comparedWith: shown.comparedWith, ...judgement, asked: askedFor(judgement, shown) };
  },
});

/** The answers to a client without a key, and to one with it. */
interface OpenAnswers {
  readonly ask: Ask;
  readonly subject: OperationSubject;
  readonly asked: Exchange;
  readonly missing: Exchange;
  /** With the key, if one was given. */
  readonly keyed: Exchange | undefined;
  /** The answer if the key opened the resource. */
  readonly opened: Response | undefined;
  /** The service refuses a query that it does not know. */
  readonly isStrict: boolean;
  readonly known: KeylessAnswers;
  /** Protected operations without a key. */
  readonly refusals: readonly Exchange[];
  readonly comparedWith: readonly Exchange[];
}

const shownBy = (ask: Ask, subject: OperationSubject): OpenAnswers => {
  const [asked, missing, base, otherMissing] = ask.all(besideNothing(subject, requestWithNothing(subject)));
  const refusals = ask.all(protectedRequests(subject)).filter((refusal) => !isOpenToAll(ask, subject, refusal));
  const onQuery = withTheKey(subject, false);
  // The repeated reads are judged later; to ask for them here saves a round trip.
  ask.all([...onQuery, ...moreReads(subject)]);
  const known: KeylessAnswers = {
    nothing: answersOf([missing, otherMissing, base]),
    refusals: answersOf(refusals),
  };
  const isStrict = ask.all(onQuery).some((one) => isOfItsQuery(one, asked, known));
  const [keyed] = ask.all(withTheKey(subject, isStrict));
  const opened = keyed && openedBy(ask, keyed, known);
  const comparedWith = [missing, base, ...refusals];
  return { ask, subject, asked, missing, keyed, opened, isStrict, known, refusals, comparedWith };
};

/** Whether a request with the key may be refused for its query: nothing else gets its answer. */
const isOfItsQuery = (keyed: Exchange, asked: Exchange, { nothing, refusals }: KeylessAnswers): boolean => {
  const [answer, open] = [answerOf(keyed), answerOf(asked)];
  return (
    isRefusedNow(keyed) && answer !== undefined && !isOneOf(answer, [...nothing, ...refusals, ...(open ? [open] : [])])
  );
};

const askedFor = (judgement: Judgement, { subject, keyed, opened }: OpenAnswers): readonly AskedBy[] => [
  { identity: nobody, seen: seenBy(judgement, 'opens', 'refuses') },
  ...(keyed
    ? [{ identity: keyedAsker(subject), seen: opened ? 'opens' : seenBy(judgement, 'unclear', 'refuses') } as const]
    : []),
];

/** The judgement if nothing that can be judged came with nothing sent. */
const unanswered = ({ asked, opened }: OpenAnswers, open: Exchange): Judgement => {
  const got = answerOf(open)?.status ?? open.attempts.at(-1)?.error?.code;
  const exchanges = [asked, open];
  if (got === 429)
    return inconclusive(
      because('rate-limit'),
      'The request got no answer to judge (429). A rate limit: wait longer with RATE_LIMIT_WAIT_S, or run again when it is over.',
      exchanges,
    );
  return opened
    ? inconclusive(
        because('withheld-without-key', got),
        `With nothing sent it gets no answer to judge (${got ?? 'none'}), with the key ${opened.status}; whether that is how a client without a key is refused, or an outage or a limit, cannot be told.`,
        exchanges,
      )
    : inconclusive(because('no-answer', got), `The request got no answer to judge (${got ?? 'none'}).`, exchanges);
};

const judgeOpen = (shown: OpenAnswers): Judgement => {
  const { ask, subject, asked, missing, keyed, opened, known, refusals, comparedWith } = shown;
  const open = endOfRedirect(ask, asked, keyed && answerOf(endOfRedirect(ask, keyed)));
  const answer = answerOf(open);
  if (!answer || saysNothing(answer)) return unanswered(shown, open);
  /** The read that the key opens, unless it opens whatever is asked for. */
  const ownKeyed = (): Exchange | undefined =>
    keyed && opened && !isEverywhere(ask, subject, keyed, opened) ? keyed : undefined;
  const withheld = opened && refusedWithoutKey(answer, opened, known);
  const isUnread = opened && isRedirect(answer) && leadsToData(ask, asked, opened, known);
  const refusedOwn = withheld && !isUnread ? ownKeyed() : undefined;
  if (withheld && refusedOwn) return withheldTwice(shown, refusedOwn, withheld);
  const isNothing = isOneOf(answer, known.nothing) && !(opened && isOneOf(opened, [answer]));
  const emptyOwn = isNothing && isSuccess(answer) ? ownKeyed() : undefined;
  if (emptyOwn)
    return perhapsHeldBack('what a path that does not exist gives with nothing sent, another body with the key', [
      asked,
      emptyOwn,
    ]);
  const notOpen = (of: Response): Judgement =>
    whyNotOpen(ask, subject, { asked, answer: of, keyed, missing, refusals: known.refusals });
  const first = answerOf(asked);
  const redirect = first && isRedirect(first) ? first : undefined;
  if (redirect && endsAsRefused(ask, asked, [missing])) return notOpen(redirect);
  if (!isSuccess(answer) || isNothing || isOneOf(answer, known.refusals) || endsAsRefused(ask, asked, refusals))
    return notOpen(answer);
  if (redirect && keyed && !opened) return redirectsUnread(asked, keyed);
  if (redirect && leadsAway(ask, subject, asked, answer)) return notOpen(redirect);
  const refused = ask.all(moreReads(subject)).find((read) => isRefused(shown, read));
  if (refused) return opensNowAndThen(shown, refused);
  const changes = (): boolean =>
    ask.all(moreReads(subject)).some((read) => !isSame(answer, answerOf(endOfRedirect(ask, read, opened))));
  const held = opened && withheldFromPublic(answer, opened, known, changes);
  const more = held && ownKeyed() ? held : undefined;
  const leavesTheKey = (subject.operation.alternatives ?? []).length > 0;
  if (keyed && more && !leavesTheKey) return perhapsHeldBack(more, [asked, keyed]);
  const note = noteOn(shown, answer, more);
  return passed(`Answered with ${answer.status} and nothing sent.`, [asked], {
    comparedWith: [...comparedWith, ...(keyed ? [keyed] : [])],
    ...(note ? { note } : {}),
  });
};

/** @param held what only the key gets, where the document leaves the key to the client */
const noteOn = ({ keyed, opened }: OpenAnswers, answer: Response, held: string | undefined): string | undefined => {
  if (!keyed) return 'No key was given, so it was not seen whether a key opens more.';
  if (held) return `The key, which the document leaves to the client, makes a difference: ${held}.`;
  const count = opened ? moreItems(answer, opened) : 0;
  return count === 0
    ? undefined
    : `With the key it gives ${counted(count, 'item more', 'items more')}; whether they are the owner's own, or held back from a client without a key, cannot be told.`;
};

const perhapsHeldBack = (what: string, exchanges: readonly Exchange[]): Judgement =>
  inconclusive(
    because('withheld-without-key', what),
    `It gives ${what}; whether that is held back from a client without a key, or the owner's own beside it, cannot be told.`,
    exchanges,
  );

/** The judgement of a redirect whose end cannot be compared with what the key gets. */
const redirectsUnread = (asked: Exchange, keyed: Exchange): Judgement => {
  const what = `a redirect with nothing sent, and ${statusOf(keyed) || 'no answer'} with the key`;
  return inconclusive(
    because('withheld-without-key', what),
    `It gives ${what}; whether the redirect leads to the resource, or to a log-in, cannot be told.`,
    [asked, keyed],
  );
};

const isRefused = ({ ask, refusals }: OpenAnswers, read: Exchange): boolean =>
  isRefusedNow(read) || endsAsRefused(ask, read, refusals);

/** The judgement where some reads with nothing sent open the resource, and others are refused. */
const opensNowAndThen = (shown: OpenAnswers, refused: Exchange): Judgement => {
  const { ask, asked, comparedWith } = shown;
  const { second, opened } = secondTry(shown);
  const status = isRefusedNow(refused) ? answerOf(refused)?.status : 'the refusal of protected operations';
  if (isRefused(shown, second) && opened) {
    const whoever = shutOut(ask, comparedWith, refused) ?? refusedWithTheKeyToo(shown);
    if (whoever) return whoever;
    const seen = `${status} to some reads with nothing sent, ${opened.status} with the key`;
    return failed(
      because('withheld-without-key', seen),
      `It opens with the key, but not each time with nothing sent: ${seen}.`,
      [refused, asked],
      { expected: 'the resource, with nothing sent', seen, steps: [asked, refused, second] },
    );
  }
  return inconclusive(
    because('changes-between-tries', status),
    `It answers now and then: ${answerOf(asked)?.status} and ${status} to the same read with nothing sent. Something in front, or one of several servers, may refuse some requests.`,
    [asked, refused],
  );
};

const secondTry = ({
  ask,
  subject,
  asked,
  isStrict,
  known,
}: OpenAnswers): { readonly second: Exchange; readonly opened: Response | undefined } => {
  // With another URL: a keyed read may have left an answer in a cache at the first one.
  const apart = isStrict ? { round: 3 } : { target: onItsOwnQuery(subject, 'public with nothing') };
  const second = ask({ ...asked.probe, ...apart });
  const [keyedAgain] = ask.all(withTheKey(subject, isStrict, 2));
  return { second, opened: keyedAgain && openedBy(ask, keyedAgain, known) };
};

/**
 * The judgement if the key does not open it each time either: one of several servers may be broken.
 */
const refusedWithTheKeyToo = ({ ask, subject, asked, isStrict, known }: OpenAnswers): Judgement | undefined => {
  const refused = ask.all(moreWithTheKey(subject, isStrict)).find((keyed) => openedBy(ask, keyed, known) === undefined);
  const got = refused && (answerOf(refused)?.status ?? refused.attempts.at(-1)?.error?.code);
  return (
    refused &&
    inconclusive(
      because('changes-between-tries', got),
      `It answers now and then, with the key as well (${got ?? 'no answer'}): one of several servers may be broken.`,
      [asked, refused],
    )
  );
};

const withheldTwice = (shown: OpenAnswers, keyed: Exchange, withheld: string): Judgement => {
  const { ask, asked, known, comparedWith } = shown;
  const { second, opened } = secondTry(shown);
  const answer = answerOf(endOfRedirect(ask, second, opened));
  const still = answer && opened && refusedWithoutKey(answer, opened, known);
  const whoever = still && (shutOut(ask, comparedWith, second) ?? refusedWithTheKeyToo(shown));
  if (whoever) return whoever;
  return shownTwice(
    still !== undefined,
    failed(
      because('withheld-without-key', withheld),
      `It opens with the key, but not with nothing sent: ${withheld}.`,
      [asked, keyed],
      { expected: 'the resource, with nothing sent', seen: withheld, steps: [asked, keyed] },
    ),
    `The first try gave ${withheld}, and a second one did not.`,
  );
};
