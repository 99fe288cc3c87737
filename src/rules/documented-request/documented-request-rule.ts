import { lazy } from '../../collections.js';
import type { Exchange } from '../../wire/types.js';
import { controlRequests } from '../oracle/control-requests.js';
import { type Controls, controlsOf } from '../oracle/controls.js';
import { readExchange } from '../oracle/reading.js';
import type { Ask, Judgement, OperationSubject, Procedure, RuleWords } from '../rule.js';
import { keyedAsker, type SeenAccess } from '../support/asked-by.js';
import { because, blockedBy, type Cause, failed, inconclusive, onCheck, passed } from '../support/judgement.js';
import { canSendKey, otherSecurityRequirements, securityRequirementOf } from '../support/subjects.js';
import { type DocumentedRequest, documentedRequest } from './documented-request.js';
import { answersEverybody, openedElsewhere } from './opened-elsewhere.js';

/**
 * PATH-1 to PATH-3, AUTH-1 and AUTH-2: the documented request opens the operation. All of these
 * rules judge by the same `documentedRequest`.
 */

/** Adds findings about the other security requirements of an operation to a judgement. */
type JudgeOthers = (judgement: Judgement, ask: Ask, subject: OperationSubject) => Judgement;

/**
 * The procedure of the rules that judge the documented request. `judge` is called if the request
 * did not open the operation and the answers show why. If it returns `undefined`, the rule is
 * blocked by the rule that explains the reason.
 */
export const judgedByDocumentedRequest =
  (
    judge: (request: DocumentedRequest, subject: OperationSubject) => Judgement | undefined,
    judgeOthers?: JudgeOthers,
  ) =>
  (rule: RuleWords): Procedure<OperationSubject> => ({
    probes: controlRequests,
    judge: (ask, subject) => {
      const request = documentedRequest(ask, subject);
      const judgement =
        sharedJudgement(request, subject, rule.id) ??
        judge(request, subject) ??
        restsOn(request, subject, explainingRule(request));
      const whole = unlessGuessed(judgeOthers ? judgeOthers(judgement, ask, subject) : judgement, ask, subject, rule);
      return rule.id === explainingRule(request) || whole.outcome === 'failed'
        ? { ...whole, ...askedWith(request, subject) }
        : whole;
    },
  });

/** Whether the documented request opened the operation to the holder of the key. */
const askedWith = (request: DocumentedRequest, subject: OperationSubject): Pick<Judgement, 'asked'> => {
  const seen = seenWith(request);
  return seen === undefined ? {} : { asked: [{ identity: keyedAsker(subject), seen }] };
};

const seenWith = (request: DocumentedRequest): SeenAccess | undefined => {
  if (request.state === 'no-key') return undefined;
  if (request.state === 'open') return 'opens';
  if (request.state === 'other-placement' || request.state === 'other-version') return 'refuses';
  // A server error, and an answer that everybody gets, say nothing about the key.
  if (request.state !== 'refused' || request.cause.id !== 'key-refused') return 'unclear';
  return isRefusedLikeKeyless(request) ? 'unclear' : 'refuses';
};

/** Whether the key is answered like no key or a wrong one. */
const isRefusedLikeKeyless = (request: DocumentedRequest): boolean =>
  request.state === 'refused' && request.cause.values?.includes('like-keyless') === true;

/**
 * AUTH-1 and AUTH-2: makes a failure inconclusive if API_KEY is only assumed to be the key of this
 * scheme. It stays a failure if the key opens another operation with that scheme.
 */
const unlessGuessed = (
  judgement: Judgement,
  ask: Ask,
  subject: OperationSubject,
  { clauses }: RuleWords,
): Judgement => {
  const guessed = subject.operation.security.find((scheme) => scheme.guessed);
  const notOpened = judgement.outcome === 'failed' || judgement.outcome === 'inconclusive';
  if (!notOpened || !guessed || !clauses.some((id) => id === 'AUTH-1' || id === 'AUTH-2')) return judgement;
  if (openedElsewhere(ask, subject) !== undefined) return judgement;
  return {
    ...judgement,
    outcome: 'inconclusive',
    cause: because('key-not-assigned', guessed.name),
    reason: `API_KEY was sent for the scheme "${guessed.name}", and it may be the key of another scheme. ${judgement.reason}`,
  };
};

const controlsIn = (request: DocumentedRequest): readonly Exchange[] =>
  'all' in request.controls ? request.controls.all : request.controls;

/**
 * The judgements that these rules share: the request opened the operation, or nothing can be said.
 */
const sharedJudgement = (request: DocumentedRequest, subject: OperationSubject, id: string): Judgement | undefined => {
  const comparedWith = controlsIn(request);
  if (request.state === 'open')
    return passed(
      `The documented request was answered with ${request.controls.first.status}, twice alike, and unlike a path that does not exist.`,
      request.controls.keyed,
      { comparedWith: [request.controls.missing, request.controls.base] },
    );
  if (request.state !== 'no-key' && request.state !== 'unjudgeable') return undefined;
  if (id !== explainingRule(request)) return restsOn(request, subject, explainingRule(request));
  const exchanges =
    request.state === 'no-key' ? [] : [...(request.opened ? [request.opened] : []), ...request.controls.keyed];
  return inconclusive(request.cause, request.reason, exchanges, { comparedWith });
};

/** Failed: the documented request did not open the operation. `opened` is what did, if anything. */
export const failedRequest = (
  { opened, controls }: { readonly opened?: Exchange; readonly controls: Controls },
  cause: Cause,
  reason: string,
  { expected, seen, note = '' }: { readonly expected: string; readonly seen: string; readonly note?: string },
): Judgement =>
  failed(cause, reason, [...(opened ? [opened] : []), ...controls.keyed], {
    expected,
    seen,
    ...(note === '' ? {} : { note }),
    comparedWith: controls.all,
  });

/** Passed: another request opened the operation, which breaks another clause than this one. */
export const openedOtherwise = (request: DocumentedRequest, reason: string): Judgement | undefined =>
  request.state === 'other-placement' || request.state === 'other-version'
    ? passed(reason, [request.opened])
    : undefined;

/**
 * The rule that reports why the documented request did not open the operation. It blocks the
 * others.
 */
const explainingRule = ({ state }: DocumentedRequest): string =>
  state === 'refused' || state === 'no-key'
    ? 'takes-documented-format'
    : state === 'other-method'
      ? 'reads-with-get'
      : 'serves-documented-path';

export const restsOn = (request: DocumentedRequest, { operation }: OperationSubject, on: string): Judgement =>
  blockedBy(
    onCheck(on, operation.id),
    because('rests-on-check', on),
    `Depends on ${on}@${operation.id}, which did not pass.`,
    [],
    { comparedWith: controlsIn(request) },
  );

/** The operation with each of its other security requirements whose keys may be sent. */
export const otherUsableRequirements = (subject: OperationSubject): readonly OperationSubject[] =>
  otherSecurityRequirements(subject).filter(canSendKey);

/** The cause of a judgement about one of several security requirements. */
export const ofRequirement = ({ cause }: Judgement, requirement: OperationSubject): Cause =>
  because(cause?.id ?? 'key-opens-nothing', securityRequirementOf(requirement), ...(cause?.values ?? []));

const isOpenToAll = (ask: Ask, subject: OperationSubject): boolean =>
  answersEverybody(controlsOf(ask, subject), subject) !== undefined;

/** Whether a request without a key gets what the key opens, or what may be that. */
const mayOpenToAnybody = (ask: Ask, subject: OperationSubject): boolean => {
  const { state, controls } = documentedRequest(ask, subject);
  return (
    isOpenToAll(ask, subject) ||
    (state === 'open' && readExchange(controls.anonymous, controls.background).verdict !== 'refused')
  );
};

/** Judges each security requirement whose keys were given: any of them should open. */
export const eachRequirement =
  (judge: (request: DocumentedRequest) => Judgement | undefined): JudgeOthers =>
  (judgement, ask, subject) => {
    if (judgement.outcome !== 'passed') return judgement;
    const mayBeOpen = lazy(() => mayOpenToAnybody(ask, subject));
    const others = otherUsableRequirements(subject).flatMap((each) => {
      const request = documentedRequest(ask, each);
      // Where everybody may get what any of the keys opens, no key shows anything.
      if (mayBeOpen() && (isOpenToAll(ask, each) || isRefusedLikeKeyless(request))) return [];
      const found = judge(request);
      return found
        ? [
            {
              ...found,
              reason: `As ${securityRequirementOf(each)}: ${found.reason}`,
              cause: ofRequirement(found, each),
            },
          ]
        : [];
    });
    return others.find(({ outcome }) => outcome === 'failed') ?? others[0] ?? judgement;
  };

/** What these rules send, for their explanations. */
export const sendsDocumentedRequest = [
  'Two GETs with the key in the documented place and format.',
  'To compare with: one without a key, one of a sibling path that does not exist (with the key and without), one of the base path.',
  'Where the key does not open it: other forms of the key, the version sent beside the path, and neighbouring paths, each with the key and with a wrong one. A key that opens nothing is tried in these ways at the first three operations that refuse it with the same status.',
];

/** When these rules pass, for their explanations. */
export const passesWhenOpened =
  'Passed: both reads with the key are answered with 2xx, agree with each other, and differ from the answers where nothing is.';
