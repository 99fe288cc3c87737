import type { Operation } from '../../contract/model.js';
import type { Exchange, Response } from '../../wire/types.js';
import { answerOf, answersOf, closesEachTime } from '../oracle/answers.js';
import { isOfOneForm, isSame } from '../oracle/same.js';
import { isUsable, usable } from '../oracle/usable-controls.js';
import type { Applies, Ask, Battery, Judgement, OperationSubject, Procedure, Slice } from '../rule.js';
import { chosenBy, differingBundles, trickOf, withoutBundles, withParts } from '../support/bundles.js';
import { follow, isCircle } from '../support/follow-up.js';
import {
  because,
  blockedBy,
  excluded,
  failed,
  inconclusive,
  listed,
  onCheck,
  onControl,
  passed,
} from '../support/judgement.js';
import { oncePerSlice } from '../support/once-per-judgement.js';
import { again } from '../support/requests.js';
import { classifyPlainHttp } from './classify-plain-http.js';
import { noApiOnPlainHttp } from './from-the-api.js';
import {
  areToHttps,
  type ClassifyPlain,
  type HttpsAnswers,
  httpsAnswers,
  isPlainHttp,
  type PlainReading,
  type PlainRequest,
} from './plain-answer.js';
import { type PlainSide, plainSideOf, requestsToOtherAddress, withNothing } from './plain-http-requests.js';

/**
 * HTTPS-2: the API is available over HTTPS only. Broken if plain HTTP gives the representation that
 * HTTPS gives, or the API's own refusal of the operation, which missing paths do not get.
 */

export const plainSideUnknown = inconclusive(
  because('http-base-url-unknown'),
  'Where plain HTTP would be is not known: set HTTP_BASE_URL, or HTTP_BASE_URL=none for a deployment without it.',
  [],
);

export const isAskedOverPlainHttp = ({ access, method }: Operation): boolean =>
  access !== 'unstated' && (method === 'GET' || method === 'HEAD');

export const onPlainPort = ({ operation, deployment }: OperationSubject): Applies =>
  isAskedOverPlainHttp(operation) &&
  (deployment.httpBaseUrl !== 'none' || 'HTTP_BASE_URL=none: the deployment is said to have no plain-HTTP side.');

const classify: ClassifyPlain = (ask, subject, request, exchange) =>
  (request.classify ?? classifyPlainHttp)(ask, subject, request, exchange);

/** The requests of an operation over plain HTTP, and what they are judged by. */
interface PlainCase {
  readonly ask: Ask;
  readonly subject: OperationSubject;
  readonly requests: readonly PlainRequest[];
  readonly readings: readonly ReadRequest[];
  readonly exchanges: readonly Exchange[];
  readonly known: HttpsAnswers;
  readonly comparedWith: readonly Exchange[];
}

interface ReadRequest {
  readonly request: PlainRequest;
  readonly exchange: Exchange;
  readonly plain: PlainReading;
}

export const judgePlainHttp = (ask: Ask, subject: OperationSubject, requests: readonly PlainRequest[]): Judgement => {
  const differing = differingBundles(ask, requests, { plainOf: ({ bare }) => bare, isAlike: areToHttps });
  const all = withParts(requests, differing);
  const exchanges = ask.all(all.map(({ probe }) => probe));
  const readings = all.map((request) => {
    const exchange = ask(request.probe);
    return { request, exchange, plain: classify(ask, subject, request, exchange) };
  });
  const known = httpsAnswers(ask, subject);
  const comparedWith = 'all' in known ? known.all : [known.anonymous, known.missing];
  const asked: PlainCase = { ask, subject, requests, readings, exchanges, known, comparedWith };
  return whatIsServed(asked) ?? whyUnclear(asked) ?? whyNothingShown(asked) ?? nothingServed(asked);
};

/** A failure, or a success that a second try does not show again. */
const whatIsServed = ({ ask, subject, readings, comparedWith }: PlainCase): Judgement | undefined => {
  const broken = readings.filter(({ plain }) => plain.kind === 'served' || plain.kind === 'refused-by-api');
  const [first] = broken;
  if (!first) return undefined;
  const seconds = ask.all(broken.map(({ request }) => again(request.probe)));
  const answered = [...broken.map(({ exchange }) => exchange), ...seconds];
  const found = {
    comparedWith,
    ...(subject.operation.access === 'protected'
      ? { opened: answered.flatMap((one) => [one, ...follow(ask, one, isPlainHttp)]) }
      : {}),
  };
  const isSeenAgain = ({ request, plain }: ReadRequest): boolean =>
    classify(ask, subject, request, ask(again(request.probe))).kind === plain.kind;
  const still = withoutBundles(broken.filter(isSeenAgain), ({ request }) => request);
  const words = still.map(({ request }) => request.words);
  const [decisive] = still;
  if (!decisive)
    return inconclusive(
      because('changes-between-tries', ...broken.map(({ request }) => request.words)),
      `Plain HTTP was answered with ${first.plain.seen}, and on a second try differently.`,
      broken.map(({ exchange }) => exchange),
      found,
    );
  // If the plain request was answered already, the others add nothing.
  const isAnsweredPlainly = still.some(({ request }) => trickOf(request) === withNothing);
  const status = answerOf(decisive.exchange)?.status;
  return failed(
    because('served-over-plain-http', decisive.plain.kind, status, ...(isAnsweredPlainly ? [] : words)),
    `Plain HTTP ${listed(words)} was answered with ${decisive.plain.seen}.`,
    still.map(({ exchange }) => exchange),
    {
      openedBy: still.map(({ request }) => trickOf(request)),
      expected: 'no answer, an error of the plain side, or a redirect to https',
      seen: decisive.plain.seen,
      ...found,
    },
  );
};

/** One answer could not be read, or HTTPS has none to compare with. */
const whyUnclear = ({ readings, exchanges, known, comparedWith }: PlainCase): Judgement | undefined => {
  for (const { plain, exchange } of readings)
    if (plain.kind === 'unclear')
      return inconclusive(plain.cause, `Plain HTTP could not be judged: ${plain.seen}.`, [exchange], { comparedWith });
  if (answerOf(known.anonymous) || refusesByClosing(known)) return undefined;
  return comparedWith.some(answerOf) && areCertain(readings)
    ? undefined
    : inconclusive(
        because('nothing-to-compare'),
        'HTTPS gave no answer for the operation, so there is nothing to compare with.',
        exchanges,
        { comparedWith },
      );
};

/** Whether each answer shows by itself that the API is not there: none, or a redirect to https. */
const areCertain = (readings: readonly ReadRequest[]): boolean => readings.every(({ plain }) => 'forCertain' in plain);

/** HTTPS answers the operation like a path that does not exist. */
const whyNothingShown = (asked: PlainCase): Judgement | undefined => {
  const { ask, subject, requests, readings, exchanges, known, comparedWith } = asked;
  const { keyless, access, id } = subject.operation;
  const alike = allAlike(
    known,
    readings.map(({ exchange }) => exchange),
  );
  const [first] = requests;
  // Without its values, the operation may be answered like a missing path. Then a refusal shows
  // nothing.
  if (alike && keyless !== undefined)
    return excluded(
      `Over HTTPS it is answered like a path that does not exist (${alike.status}), since ${keyless.why}. Plain HTTP shows nothing of it${keyless.cause === 'no-value' ? ', and values that were read from the service are sent over HTTPS alone' : ''}.`,
    );
  if (alike && !(first && noApiOnPlainHttp(ask, subject, first)))
    return inconclusive(
      because('answered-like-nothing', alike.status, 'plain'),
      `Plain HTTP answers as HTTPS does, but HTTPS says the same (${alike.status}) of a path that does not exist.`,
      exchanges,
      { comparedWith },
    );
  const nowhere = answeredLikeNothing(known, subject.operation);
  if (!nowhere || keyless !== undefined || areCertain(readings)) return undefined;
  return blockedBy(
    access === 'public' ? onCheck('opens-without-credentials', id) : onControl(id),
    because('answered-like-nothing', nowhere.status),
    `Over HTTPS it ${nowhere.how} (${nowhere.status}), so what plain HTTP says of that path shows nothing.`,
    exchanges,
    { comparedWith },
  );
};

const nothingServed = ({ subject, readings, exchanges, comparedWith }: PlainCase): Judgement => {
  const { keyless } = subject.operation;
  const seen = listed(readings.map(({ plain }) => plain.seen));
  return passed(`Plain HTTP gives nothing of it: ${seen}${keyless ? `; ${keyless.why}` : ''}.`, exchanges, {
    comparedWith,
    ...(readings.some(({ plain }) => 'success' in plain)
      ? { note: 'Plain HTTP answers with a success status, though with nothing that HTTPS serves.' }
      : {}),
  });
};

/**
 * Whether HTTPS closes the connection if no key is sent, and answers with the key. An answer over
 * plain HTTP is not that refusal then.
 */
const refusesByClosing = (known: HttpsAnswers): boolean =>
  'keyed' in known && closesEachTime(known.anonymous) && isUsable(usable(known));

/** How HTTPS answers the documented request, if that shows nothing of the operation. */
const answeredLikeNothing = (
  known: HttpsAnswers,
  { access }: Operation,
): { readonly status: number; readonly how: string } | undefined => {
  if (access === 'protected' && !('keyed' in known)) return undefined;
  const [reads, missing] = 'keyed' in known ? [known.keyed, known.keyedMissing] : [[known.anonymous], known.missing];
  const [first, ...others] = answersOf(reads);
  if (!first || others.length < reads.length - 1) return undefined;
  if (reads.every((read) => isCircle(read))) return { status: first.status, how: 'redirects to itself' };
  const nothing = answerOf(missing);
  return nothing && [first, ...others].every((answer) => isSame(answer, nothing))
    ? { status: nothing.status, how: 'is answered like a path that does not exist' }
    : undefined;
};

/** The answer that HTTPS gives at a missing path too, and plain HTTP as well. */
const allAlike = (known: HttpsAnswers, plain: readonly Exchange[]): Response | undefined => {
  const [https, missing] = [answerOf(known.anonymous), answerOf(known.missing)];
  if (!https || !missing || !isSame(https, missing)) return undefined;
  const isAlike = ({ status, shape }: Response): boolean => status === https.status && isOfOneForm(shape, https.shape);
  return answersOf(plain).some(isAlike) ? https : undefined;
};

/** The name in the battery of requests to the host's other address family. */
const otherAddress = 'to the other address of the host';

/**
 * Requests over plain HTTP, none of which may get anything of the API. The battery is empty if
 * there is no plain-HTTP side to ask.
 * @param more which are sent to every operation, and whether the host's other address is asked too
 */
export const overPlainHttp = (
  requestsOf: (subject: OperationSubject, side: PlainSide) => readonly PlainRequest[],
  {
    everywhere = [],
    toOtherAddress = false,
  }: { readonly everywhere?: readonly string[]; toOtherAddress?: boolean } = {},
): { readonly battery: Battery; readonly procedure: () => Procedure<OperationSubject> } => {
  const usualIn = (subject: OperationSubject, slice: Slice | undefined): readonly PlainRequest[] => {
    const side = plainSideOf(subject);
    return side ? chosenBy(requestsOf(subject, side), slice) : [];
  };
  const requestsIn = oncePerSlice((subject, ask, slice): readonly PlainRequest[] => {
    const side = plainSideOf(subject);
    const usual = usualIn(subject, slice);
    if (!side || !toOtherAddress || slice?.has(otherAddress) === false) return usual;
    // Requests to the other address depend on the first of these, so all are sent at once.
    ask.all(usual.map(({ probe }) => probe));
    return [...usual, ...requestsToOtherAddress(ask, subject, side)];
  });
  return {
    battery: {
      tricks: (subject) => {
        const side = plainSideOf(subject);
        if (!side) return [];
        return [...requestsOf(subject, side).map(({ words }) => words), ...(toOtherAddress ? [otherAddress] : [])];
      },
      everywhere,
    },
    procedure: () => ({
      probes: (subject, slice) => usualIn(subject, slice).map(({ probe }) => probe),
      judge: (ask, subject, slice) =>
        plainSideOf(subject) ? judgePlainHttp(ask, subject, requestsIn(ask, subject, slice)) : plainSideUnknown,
    }),
  };
};
