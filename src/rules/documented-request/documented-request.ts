import type { Exchange, Response } from '../../wire/types.js';
import { answerOf, answersOf, header, isRedirect, isSuccess, isUnanswered, saysNothing } from '../oracle/answers.js';
import { keyedControl } from '../oracle/control-requests.js';
import { type Controls, controlsOf } from '../oracle/controls.js';
import { isAsKeyed, keyedOf } from '../oracle/keyed.js';
import { isKeyRead } from '../oracle/past-refusal.js';
import { isOfOneForm, isSame } from '../oracle/same.js';
import { isUsable, type UsableControls, usable } from '../oracle/usable-controls.js';
import { fits } from '../oracle/view.js';
import type { Ask, OperationSubject } from '../rule.js';
import { because } from '../support/judgement.js';
import { oncePerJudgement } from '../support/once-per-judgement.js';
import { requestFor, roundsToMeetOneInThree } from '../support/requests.js';
import { keyAvailable, keyConfined } from '../support/subjects.js';
import { targetOf } from '../support/targets.js';
import { foundBelowServer, isPageInstead, repeatedBasePath } from './base-path.js';
import { type KeyPlacement, keyAsAlternative, otherPlacements } from './key-placements.js';
import { type Explained, type NotOpened, unusableControls } from './not-opened.js';
import { openedElsewhere, someReads } from './opened-elsewhere.js';
import { followedWithKey, isAsNowhere, isSamePath } from './redirects.js';
import { isOtherOperation, neighbouringPaths, type RequestVariant, versionVariants } from './request-variants.js';
import { whyNotOpened } from './why-not-opened.js';

/** The result of the documented request, with the key in the documented place and format. */
export type DocumentedRequest =
  | ({ readonly state: 'no-key'; readonly controls: readonly Exchange[] } & Explained)
  | { readonly state: 'open'; readonly controls: UsableControls }
  /** The key in another place or format opens it. */
  | {
      readonly state: 'other-placement';
      readonly placement: KeyPlacement;
      readonly opened: Exchange;
      readonly controls: Controls;
    }
  /** A version outside the path, or another path, opens it. */
  | {
      readonly state: 'other-version' | 'elsewhere';
      readonly words: string;
      readonly opened: Exchange;
      readonly controls: Controls;
    }
  /** The path does not allow the documented method (RFC 9110, section 15.5.6). */
  | { readonly state: 'other-method'; readonly keyed: Response; readonly controls: Controls }
  | NotOpened;

export const documentedRequest = (ask: Ask, subject: OperationSubject): DocumentedRequest => {
  const request = observedRequest(ask, subject);
  if (request.state === 'no-key' || !isNotThere(request.state, request.controls, subject)) return request;
  const hint = repeatedBasePath(subject.deployment, [subject.operation.path]) ?? foundBelowServer(ask, subject);
  // With a wrong BASE_URL, the requested path is not the documented one, whatever the answer is.
  return hint
    ? {
        state: 'unjudgeable',
        cause: because('no-path', 'BASE_URL'),
        reason: `${hint.says} ${hint.advice}`,
        controls: request.controls,
      }
    : request;
};

/**
 * Whether the operation seems not to be there: another path or method opens, or the answer is that
 * of a missing path, or it is an HTML page in place of data.
 */
const isNotThere = (
  state: DocumentedRequest['state'],
  { keyed: [first], keyedMissing }: Controls,
  subject: OperationSubject,
): boolean => {
  if (state === 'elsewhere' || state === 'nothing-there' || state === 'other-method') return true;
  if (state !== 'unjudgeable' && state !== 'refused') return false;
  const answer = answerOf(first);
  if (answer === undefined || answerOf(keyedMissing) === undefined || saysNothing(answer)) return false;
  return isAsNowhere(first, keyedMissing, subject) || isPageInstead(answer, subject.operation);
};

const observedRequest = (ask: Ask, subject: OperationSubject): DocumentedRequest => {
  if (!keyAvailable(subject)) {
    const missing = subject.operation.security.find(({ setting }) => subject.deployment.keys[setting] === undefined);
    const setting = missing?.setting ?? 'API_KEY';
    return {
      state: 'no-key',
      cause: because('no-key', setting),
      reason: `No key was given: set ${setting}.`,
      controls: [],
    };
  }
  if (keyConfined(subject))
    return {
      state: 'no-key',
      cause: because('key-in-url'),
      reason: 'The documented place of the key is the URL: set PROBE_KEY_IN_URL=true to let it be sent there.',
      controls: [],
    };
  const controls = controlsOf(ask, subject);
  const good = usable(controls);
  if (isUsable(good)) return { state: 'open', controls: good };
  const keyed = answerOf(controls.keyed[0]);
  if (!keyed || saysNothing(keyed)) return unusableControls(good, controls);
  const second = answerOf(controls.keyed[1]);
  if (second && isSuccess(keyed) !== isSuccess(second)) return opensSometimes([keyed, second], controls);
  if (isSuccess(keyed) && good.why !== 'like-nothing' && good.why !== 'like-keyless')
    return unusableControls(good, controls);
  if (keyed.status === 405 && !allowsMethod(keyed, subject) && !isSame(keyed, answerOf(controls.keyedMissing)))
    return { state: 'other-method', controls, keyed };
  const other = isKeyUnknown(ask, subject, keyed) ? undefined : otherRequests(ask, subject, controls, keyed);
  if (!other) return whyNotOpened({ ask, subject, controls, keyed, unusable: good });
  // If the documented request opens now and then, the other placement made no difference.
  const later = roundsToMeetOneInThree(1).map((round) => keyedControl(subject, round, 'after other ways'));
  const turned = ask
    .all(later)
    .map(answerOf)
    .find(
      (answer) =>
        answer !== undefined &&
        (isSuccess(answer) !== isSuccess(keyed) || (isSuccess(keyed) && !isOfOneForm(answer.shape, keyed.shape))),
    );
  return turned ? opensSometimes([keyed, turned], controls) : other;
};

const opensSometimes = ([{ status }, next]: readonly [Response, Response], controls: Controls): NotOpened => ({
  state: 'unjudgeable',
  cause: because('changes-between-tries', status, next.status),
  reason: `The same request with the key was answered with ${status}, then with ${next.status === status ? 'another body' : next.status}: it opens only now and then.`,
  controls,
});

/** If this many operations open in no other way, the remaining ones are not tried. */
const samples = 3;

/** Answers about the path and not about the key: not found, gone. */
const aboutThePath: ReadonlySet<number> = new Set([404, 410]);

/** Whether another placement, version or path of a read opens it. */
const opensOtherwise = oncePerJudgement((read: OperationSubject, ask): boolean => {
  const controls = controlsOf(ask, read);
  const keyed = answerOf(controls.keyed[0]);
  return keyed !== undefined && otherRequests(ask, read, controls, keyed) !== undefined;
});

/**
 * Whether the key seems to be wrong: it opens nothing, and some operations that refuse it with this
 * status open in no other way. Trying one operation in all other ways takes some sixty
 * requests with the key.
 */
const isKeyUnknown = (ask: Ask, subject: OperationSubject, keyed: Response): boolean => {
  const { status } = keyed;
  if (subject.deployment.isPart || aboutThePath.has(status) || isRedirect(keyed)) return false;
  if (openedElsewhere(ask, subject) !== undefined) return false;
  const sampled = ask
    .each(someReads(subject), (read) => ({ read, answer: answerOf(controlsOf(ask, read).keyed[0]) }))
    .flatMap(({ read, answer }) => (answer?.status === status ? [read] : []))
    .slice(0, samples);
  return (
    sampled.length === samples &&
    sampled.every(({ operation }) => operation.id !== subject.operation.id) &&
    !ask.each(sampled, (read) => opensOtherwise(ask, read)).includes(true)
  );
};

/**
 * Sends other placements, versions and neighbouring paths, each with the key and with a random one
 * for comparison. A key that is read where it is documented needs no other placement.
 */
const otherRequests = (
  ask: Ask,
  subject: OperationSubject,
  controls: Controls,
  keyed: Response,
): DocumentedRequest | undefined => {
  const placements = isKeyRead(controls) ? [] : otherPlacements(subject);
  const versions = versionVariants(subject);
  // If something answers at the documented path, another name may be another resource.
  const mayHaveMoved = isRedirect(keyed) || isAsNowhere(controls.keyed[0], controls.keyedMissing, subject);
  const places = [...neighbouringPaths(subject), ...followedWithKey(keyed, subject)].filter(
    ({ target }) => !isOtherOperation(target, subject) && (mayHaveMoved || isSamePath(target, targetOf(subject))),
  );
  ask.all([...placements, ...versions, ...places].flatMap(({ probe }) => [probe('valid'), probe('random')]));
  for (const placement of placements) {
    const opened = opens(ask, placement, controls);
    if (opened) return { state: 'other-placement', placement, opened, controls };
  }
  for (const [state, variants] of [
    ['other-version', versions],
    ['elsewhere', places],
  ] as const)
    for (const variant of variants) {
      const opened = opens(ask, variant, controls);
      if (opened) return { state, words: variant.words, opened, controls };
    }
  const opened = opens(ask, withContentType(subject), controls);
  return opened ? needsContentType(controls, opened) : asAlternative(ask, subject, controls);
};

const asAlternative = (ask: Ask, subject: OperationSubject, controls: Controls): NotOpened | undefined => {
  const [own] = subject.operation.security;
  for (const placement of own ? keyAsAlternative(subject) : []) {
    const opened = opens(ask, placement, controls);
    const { name, setting } = placement.scheme;
    if (own && opened)
      return {
        state: 'refused',
        cause: because('key-not-assigned', own.name, own.setting, name),
        reason: `The key in ${own.setting} opens it when it is sent as “${name}” describes, and not as “${own.name}” does. The document has both: give the key as ${setting}, or the service does not take that of “${own.name}” as documented.`,
        controls,
        opened,
      };
  }
  return undefined;
};

/** Some services read the key only if the request has a Content-Type of JSON. */
const withContentType = (subject: OperationSubject): Pick<RequestVariant, 'probe'> => ({
  probe: (credential, round = 1) =>
    requestFor(subject, { name: 'with Content-Type: application/json', credential, headers: [contentType], round }),
});

const contentType = ['Content-Type', 'application/json'] as const;

const needsContentType = (controls: Controls, opened: Exchange): NotOpened => ({
  state: 'unjudgeable',
  cause: because('needs-field', contentType.join(': ')),
  reason: `The documented request with the key does not open it, but the same with ${contentType.join(': ')} does, which the document does not name. This action of an OVERLAY names it: {target: '$.paths.*[?@.responses]', update: {parameters: [{in: header, name: ${contentType[0]}, required: true, schema: {type: string, enum: [${contentType[1]}]}}]}}`,
  controls,
  opened,
});

/**
 * The exchange if a variant opens the operation: two successes of one form that differ from the
 * answer to a random key and from every control. A meaningless version must not get the same.
 */
const opens = (
  ask: Ask,
  { probe, meaningless }: Pick<RequestVariant, 'probe'> & { readonly meaningless?: RequestVariant['probe'] },
  controls: Controls,
): Exchange | undefined => {
  const exchange = ask(probe('valid'));
  const answer = answerOf(exchange);
  if (!isSuccess(answer) || answer.shape.kind === 'empty') return undefined;
  const repeated = answerOf(ask(probe('valid', 2)));
  if (!isSuccess(repeated) || !isOfOneForm(answer.shape, repeated.shape)) return undefined;
  const alike = [ask(probe('random')), ...(meaningless ? [ask(meaningless('valid'))] : [])];
  if (alike.some(isUnanswered)) return undefined;
  const others = answersOf([...alike, ...controls.all]);
  return others.some((other) => mayBeSame(answer, repeated, other)) ? undefined : exchange;
};

/** Whether two answers are equal, or successes of one structure: then nothing opened. */
const mayBeSame = (first: Response, second: Response, other: Response): boolean => {
  if (isSame(first, other) || isAsKeyed({ first, second }, other)) return true;
  if (!isSuccess(other)) return false;
  const [a, b] = [first.shape, other.shape];
  if (!a.shape || !b.shape) return a.kind === b.kind && a.mediaType === b.mediaType;
  // A list that is filled for the key and empty without it was opened.
  return fits(a.shape, b.shape) && keyedOf(first, second).rows.length === keyedOf(other, other).rows.length;
};

/** Whether the Allow field of a 405 lists the operation's method, or is missing. */
const allowsMethod = (answer: Response, { operation }: OperationSubject): boolean => {
  const allow = header(answer, 'allow');
  return allow === undefined || allow.split(',').some((method) => method.trim().toUpperCase() === operation.method);
};
