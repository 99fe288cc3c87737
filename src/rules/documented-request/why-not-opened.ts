import { withQuery } from '../../urls.js';
import type { Response } from '../../wire/types.js';
import { answerOf, authOrProxyStatuses, authStatuses, header, isSuccess } from '../oracle/answers.js';
import { isKeyRead, pastRefusal } from '../oracle/past-refusal.js';
import { isSame } from '../oracle/same.js';
import type { OperationSubject } from '../rule.js';
import { because } from '../support/judgement.js';
import { nonce } from '../support/nonce.js';
import { requestFor } from '../support/requests.js';
import { filledParameters, targetOf } from '../support/targets.js';
import { type Arrival, arrivalOf } from './key-arrival.js';
import {
  type NotOpened,
  refused,
  type UnopenedRequest,
  unjudgeable,
  unusableControls,
  type Why,
} from './not-opened.js';
import { answersEverybody, openedElsewhere, openToAll } from './opened-elsewhere.js';
import { withoutTheKeyThere } from './redirects.js';
import { whyNotThere } from './why-not-there.js';

/** Why no request with the key opened the operation: because of the path, or because of the key. */
export const whyNotOpened = (asked: Omit<UnopenedRequest, 'anonymous' | 'filled'>): NotOpened => {
  const { subject, controls } = asked;
  const request: UnopenedRequest = {
    ...asked,
    anonymous: answerOf(controls.anonymous),
    filled: filledParameters(subject.operation),
  };
  return { ...(whyNotThere(request) ?? whyKeyRefused(request)), controls };
};

interface KnownOfKey {
  /** Another operation that it opens. */
  readonly opened: string | undefined;
  /** The server reads it where it is documented. */
  readonly isRead: boolean;
  readonly arrival: Arrival;
  /** `, and no other form of the key was taken`, or empty where the key is read. */
  readonly others: string;
  /** What the key may lack, followed by `, `. */
  readonly mayBeWrong: string;
}

const knownOfKey = ({ ask, subject, controls }: UnopenedRequest): KnownOfKey => {
  const isRead = isKeyRead(controls);
  const arrival = arrivalOf(ask, subject, controls);
  const opened = openedElsewhere(ask, subject);
  return {
    opened,
    isRead,
    arrival,
    // Tried at this operation, or at the first ones that are answered like it.
    others: isRead ? '' : ', and no other form of the key was taken',
    mayBeWrong:
      opened === undefined
        ? 'the key may be wrong or expired, '
        : `the key opens ${opened}, so it is known to this service and may lack the right to this operation, `,
  };
};

const whyKeyRefused = (request: UnopenedRequest): Why => {
  const { controls, keyed, anonymous, unusable } = request;
  const known = knownOfKey(request);
  if (unusable.why === 'like-keyless') return likeKeyless(request, known);
  if (isSuccess(keyed) && !isSame(keyed, anonymous)) return unusableControls(unusable, controls);
  return byRefusal(request, known);
};

/** The key gets a success that no key or a random one gets too. */
const likeKeyless = (
  { subject, controls, keyed, anonymous }: UnopenedRequest,
  { opened, others, mayBeWrong, arrival }: KnownOfKey,
): Why => {
  const forAll = answersEverybody(controls, subject);
  if (forAll && opened !== undefined)
    return refused(
      openToAll(forAll),
      `${forAll.words} The key opens ${opened}, so it is good; the body here proves neither data nor a refusal.${arrival.seen}`,
    );
  if (anonymous && authOrProxyStatuses.has(anonymous.status))
    return refused(
      because('key-refused', keyed.status, 'like-keyless', 'any-key'),
      `The request with the key was answered with ${keyed.status}, like one with a random key, and one without a key with ${anonymous.status}: the server takes any value for a key, or it refuses a wrong one in the body, and this key may be wrong or expired.`,
    );
  return refused(
    because('key-refused', keyed.status, 'like-keyless', ...(forAll ? ['for-all'] : [])),
    `The request with the key was answered with ${keyed.status}, like one without a key or with a random one, in a body that may be a refusal${others}: ${mayBeWrong}${arrival.possible}the server may not take it as documented, or it asks for none and has nothing to show.${forAll ? ` ${forAll.words}` : ''}${arrival.seen}`,
  );
};

/** The key gets no success. */
const byRefusal = (request: UnopenedRequest, known: KnownOfKey): Why => {
  const { ask, subject, controls, keyed, anonymous, filled } = request;
  const { opened, isRead, arrival, others, mayBeWrong } = known;
  const there = withoutTheKeyThere(ask, keyed, subject);
  if (there !== '' && anonymous && !isSame(keyed, anonymous))
    return unjudgeable(
      because('redirects-elsewhere', keyed.status, anonymous.status),
      `${targetOf(subject)} is answered with ${keyed.status} with the key and with ${anonymous.status} without one.${there}`,
    );
  if (keyed.status >= 500)
    return refused(
      because('server-error', keyed.status),
      `The request with the key was answered with ${keyed.status}${others}: a server error says nothing of the key.`,
    );
  if (keyed.status === 405) return methodRefused(subject, keyed);
  const past = pastRefusal(controls);
  /** The key is good, and another error than one of credentials is about the request. */
  const isOfRequest = opened !== undefined && (isRead || !authStatuses.has(keyed.status));
  if (past)
    return refused(
      because('key-refused', keyed.status, filled === '' ? 'taken' : 'value-taken'),
      `The request with the key was answered with ${keyed.status}, and with ${past.refusal.status} without it: the key is taken, and this request is not. The key's account may lack a right or have nothing there, ${filled === '' ? '' : `the value filled in for ${filled} may name nothing on this deployment, `}or the request may lack something that the document does not name.`,
    );
  if (isKeptByCache(request))
    return unjudgeable(
      because('refusal-kept', keyed.status),
      `The request with the key was answered with ${keyed.status}, as one without it before. With a query that nobody has sent before, the key opens the operation: a cache in front may keep refusals and give them to the key's owner. Whether it also gives anybody what the key opens can be judged when it keeps no answer to a request with Authorization, and no refusal.`,
    );
  return refused(
    because('key-refused', keyed.status, ...(opened === undefined ? [] : [isOfRequest ? 'taken' : 'opens-elsewhere'])),
    `The request with the key was answered with ${keyed.status}${others}: ${mayBeWrong}${arrival.possible}or ${isOfRequest ? 'the request may lack something that the document does not name' : 'the server does not take it as documented'}.${arrival.seen}${there}`,
  );
};

/** A 405 whose Allow field does not show which methods are allowed. */
const methodRefused = ({ operation: { method } }: OperationSubject, keyed: Response): Why =>
  refused(
    because('key-refused', keyed.status, 'method'),
    `The request with the key was answered with 405, which says that ${method} is not allowed there, ${header(keyed, 'allow') === undefined ? 'and has no Allow field, which would say what is' : `and its Allow field lists ${method}`}: the document may name another method than the service takes, or something in front of the service answers so.`,
  );

/** Whether a cache may have kept the refusal of a request without the key for the key's owner. */
const isKeptByCache = ({ ask, subject, keyed, anonymous }: UnopenedRequest): boolean => {
  if (!isSame(keyed, anonymous)) return false;
  const query = `nothing-${nonce(subject.deployment, `kept ${subject.operation.id}`)}=1`;
  const target = withQuery(targetOf(subject), [query]);
  const name = 'with the key, on a query that nobody has sent before';
  return isSuccess(answerOf(ask(requestFor(subject, { name, credential: 'valid', target }))));
};
