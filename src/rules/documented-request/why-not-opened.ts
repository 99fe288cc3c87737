import { withQuery } from '../../urls.js';
import type { Exchange, Probe, Response } from '../../wire/types.js';
import { clip } from '../../words.js';
import { answerOf, authOrProxyStatuses, header, isRedirect, isSuccess, isUnanswered } from '../oracle/answers.js';
import type { Controls } from '../oracle/controls.js';
import { isKeyRead, pastRefusal } from '../oracle/past-refusal.js';
import { isSame } from '../oracle/same.js';
import type { Unusable } from '../oracle/usable-controls.js';
import type { Ask, OperationSubject } from '../rule.js';
import { isAnswerTo } from '../support/follow-up.js';
import { because, type Cause } from '../support/judgement.js';
import {
  again,
  filledParameters,
  missingOf,
  nonce,
  requestFor,
  requestWithoutKey,
  targetOf,
} from '../support/requests.js';
import { answersEverybody, openedElsewhere, openToAll } from './opened-elsewhere.js';
import { addsAQuery, commonBase, leadsToSpelling, withoutTheKeyThere } from './redirects.js';
import { withOtherLastSlash } from './request-variants.js';

/** Why no request with the key opened the operation. */

export interface Explained {
  readonly cause: Cause;
  readonly reason: string;
}

export interface NotOpened extends Explained {
  /** `refused`: the key or the server is wrong, which cannot be told from outside. */
  readonly state: 'nothing-there' | 'refused' | 'unjudgeable';
  readonly controls: Controls;
  /** The exchange that opened the operation in another way. */
  readonly opened?: Exchange;
}

export const whyNotOpened = (
  ask: Ask,
  subject: OperationSubject,
  controls: Controls,
  keyed: Response,
  unusable: Unusable,
): NotOpened => {
  const notOpened =
    (state: NotOpened['state']) =>
    (cause: Cause, reason: string): NotOpened => ({ state, cause, reason, controls });
  const unjudgeable = notOpened('unjudgeable');
  const refused = notOpened('refused');
  const nothingThere = notOpened('nothing-there');
  const anonymous = answerOf(controls.anonymous);
  const filled = filledParameters(subject.operation);
  if (filled !== '' && [400, 404, 410, 422].includes(keyed.status))
    return unjudgeable(
      because('no-path', 'PARAMETERS', keyed.status, filled),
      `${targetOf(subject)} is answered with ${keyed.status} with the key: the value filled in for ${filled} may name nothing on this deployment. Give one that does in the PARAMETERS file, under "${subject.operation.id}".`,
    );
  const elsewhere = commonBase(controls.keyed[0], controls.missing, subject);
  if (elsewhere)
    return unjudgeable(
      because('redirects-elsewhere', elsewhere),
      `Every path redirects to ${elsewhere}: set BASE_URL to it.`,
    );
  const likeMissing = isSame(keyed, answerOf(controls.keyedMissing));
  const likeBase = isSame(keyed, answerOf(controls.base));
  if (likeMissing && (likeBase || isSuccess(keyed))) {
    const opened = openedElsewhere(ask, subject);
    return unjudgeable(
      because('answered-like-nothing', keyed.status, opened === undefined ? 'all' : 'there'),
      `The operation${likeBase ? ', a path that does not exist and the base path' : ' and a path that does not exist'} are answered alike (${keyed.status}): ${opened === undefined ? 'a firewall, a wrong BASE_URL, or nothing is served there' : `the key opens ${opened}, so BASE_URL is right: nothing is served there, or it is hidden from this key`}.`,
    );
  }
  const isMissing = likeMissing && keyed.status === 404;
  const missing = answerOf(controls.missing);
  // Two redirects may name the two paths.
  const isThere =
    anonymous &&
    missing &&
    !(isRedirect(anonymous) && isRedirect(missing)) &&
    !isAnswerTo(ask, controls.missing, anonymous);
  if (isMissing && isThere)
    return unjudgeable(
      because('answered-like-nothing', 404, anonymous.status, 'there'),
      `With the key ${targetOf(subject)} is answered with 404, as a path that does not exist; without one it gets ${anonymous.status}, and that path does not: something is there, and it may be that this key has nothing in it.`,
    );
  const unheard = [controls.anonymous, controls.missing].find(isUnanswered);
  if (isMissing && unheard)
    return unjudgeable(
      because('no-answer', answerOf(unheard)?.status ?? unheard.attempts.at(-1)?.error?.code),
      `With the key ${targetOf(subject)} is answered with 404, as a path that does not exist. Whether the two differ without a key is not known: the request ${unheard.probe.name} got no answer to judge.`,
    );
  if (isMissing && isShutOut(ask, controls, keyed))
    return unjudgeable(
      because('client-refused', 404),
      `With the key ${targetOf(subject)} is answered with 404, as a path that does not exist. The base path gets that by now too, and got another answer before: the service refuses this client, whatever it asks.`,
    );
  if (isMissing && !isKnownOtherwise(ask, subject))
    return nothingThere(
      because('nothing-at-path', 404),
      `${targetOf(subject)} is answered with 404, exactly as a path that does not exist.${openedElsewhere(ask, subject) === undefined ? ' A service that hides what it refuses gives that answer to a wrong key too.' : ''}`,
    );
  if (isRedirect(keyed) && isSame(keyed, anonymous) && leadsToSpelling(keyed, subject) && !likeMissing)
    return nothingThere(
      because('nothing-at-path', keyed.status),
      `${targetOf(subject)} only redirects to ${header(keyed, 'location') ?? ''}, with the key and without.`,
    );
  if (addsAQuery(keyed, subject))
    return unjudgeable(
      because('redirects-elsewhere', 'query'),
      `With the key ${targetOf(subject)} redirects to itself with another query (${header(keyed, 'location') ?? ''}): name that query in the document, by an OVERLAY or with PARAMETERS.`,
    );
  const isRead = isKeyRead(controls);
  // Tried at this operation, or at the first ones that are answered like it.
  const others = isRead ? '' : ', and no other shape of the key was taken';
  const arrival = arrivalOf(ask, subject, controls);
  const opened = openedElsewhere(ask, subject);
  const mayBeWrong =
    opened === undefined
      ? 'the key may be wrong or expired, '
      : `the key opens ${opened}, so it is known to this service and may lack the right to this operation, `;
  const forAll = unusable.why === 'like-keyless' ? answersEverybody(controls, subject) : undefined;
  if (forAll && opened !== undefined)
    return refused(
      openToAll(forAll),
      `${forAll.words} The key opens ${opened}, so it is good; the body here proves neither data nor a refusal.${arrival.seen}`,
    );
  if (unusable.why === 'like-keyless' && anonymous && authOrProxyStatuses.has(anonymous.status))
    return refused(
      because('key-refused', keyed.status, 'like-keyless', 'any-key'),
      `The request with the key was answered with ${keyed.status}, like one with a random key, and one without a key with ${anonymous.status}: the server takes any value for a key, or it refuses a wrong one in the body, and this key may be wrong or expired.`,
    );
  if (unusable.why === 'like-keyless')
    return refused(
      because('key-refused', keyed.status, 'like-keyless', ...(forAll ? ['for-all'] : [])),
      `The request with the key was answered with ${keyed.status}, like one without a key or with a random one, in a body that may be a refusal${others}: ${mayBeWrong}${arrival.possible}the server may not take it as documented, or it asks for none and has nothing to show.${forAll ? ` ${forAll.words}` : ''}${arrival.seen}`,
    );
  if (isSuccess(keyed) && !isSame(keyed, anonymous)) return unusableControls(unusable, controls);
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
  const past = pastRefusal(controls);
  if (past)
    return refused(
      because('key-refused', keyed.status, filled === '' ? 'taken' : 'value-taken'),
      `The request with the key was answered with ${keyed.status}, and with ${past.refusal.status} without it: the key is taken, and this request is not. The key's account may lack a right or have nothing there, ${filled === '' ? '' : `the value filled in for ${filled} may name nothing on this deployment, `}or the request may lack something that the document does not name.`,
    );
  if (isKept(ask, subject, keyed, anonymous))
    return unjudgeable(
      because('refusal-kept', keyed.status),
      `The request with the key was answered with ${keyed.status}, as one without it before. With a query that nobody has sent before, the key opens the operation: a cache in front may keep refusals and give them to the key's owner. Whether it also gives anybody what the key opens can be judged when it keeps no answer to a request with Authorization, and no refusal.`,
    );
  return refused(
    because('key-refused', keyed.status, ...(opened === undefined ? [] : [isRead ? 'taken' : 'opens-elsewhere'])),
    `The request with the key was answered with ${keyed.status}${others}: ${mayBeWrong}${arrival.possible}or ${opened !== undefined && isRead ? 'the request may lack something that the document does not name' : 'the server does not take it as documented'}.${arrival.seen}${there}`,
  );
};

/** Whether a cache may have kept the refusal of a request without the key for the key's owner. */
const isKept = (ask: Ask, subject: OperationSubject, keyed: Response, anonymous: Response | undefined): boolean => {
  if (!isSame(keyed, anonymous)) return false;
  const query = `nothing-${nonce(subject.deployment, `kept ${subject.operation.id}`)}=1`;
  const target = withQuery(targetOf(subject), [query]);
  const name = 'with the key, on a query that nobody has sent before';
  return isSuccess(answerOf(ask(requestFor(subject, { name, credential: 'valid', target }))));
};

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

export const unusableControls = ({ why, words, values = [] }: Unusable, controls: Controls): NotOpened => ({
  state: 'unjudgeable',
  cause: because('control-unusable', why, ...values),
  reason: sentence(words),
  controls,
});

/** Whether the base path gets the same by now, or no answer, and got another one before. */
const isShutOut = (ask: Ask, { base }: Controls, keyed: Response): boolean => {
  if (isUnanswered(base)) return false;
  const now = ask(again(base.probe));
  return isUnanswered(now) || isSame(keyed, answerOf(now));
};

/** Whether OPTIONS or the other last slash is answered unlike a missing path. */
const isKnownOtherwise = (ask: Ask, subject: OperationSubject): boolean => {
  const request = (name: string, method: string, target = targetOf(subject)): Probe =>
    requestFor(subject, { name, credential: 'none', method, target });
  const probes = [
    request('OPTIONS', 'OPTIONS'),
    request('the other last slash', 'GET', withOtherLastSlash(targetOf(subject))),
  ];
  ask.all(probes.flatMap((probe) => [probe, missingOf(subject, probe)]));
  return probes.some((probe) => {
    const here = answerOf(ask(probe));
    const missing = ask(missingOf(subject, probe));
    const nowhere = answerOf(missing);
    if (!here || !nowhere) return false;
    // Redirects name the path, which differs.
    return here.status !== nowhere.status || (!isRedirect(here) && !isAnswerTo(ask, missing, here));
  });
};

/** Whether the key reached the API that refused it. */
interface Arrival {
  /** One more possible reason, followed by `, `; empty if the key arrived. */
  readonly possible: string;
  /** Sentences about what was seen, each after a space; or empty. */
  readonly seen: string;
}

const isAnsweredAlike = (one: Response, other: Response): boolean =>
  isSame(one, other) && challengesOf(one).join() === challengesOf(other).join();

/**
 * Whether the key reached the server. If it is lost on the way, the answer is that of a request
 * without a key. Two equal answers with the key that differ from that one show that it arrived.
 * Only header fields are quoted, since a body may hold data of the key's owner.
 */
const arrivalOf = (ask: Ask, subject: OperationSubject, controls: Controls): Arrival => {
  const [keyed, again] = controls.keyed.map(answerOf);
  const anonymous = answerOf(controls.anonymous);
  const unknown = { possible: lostOnTheWay(subject), seen: '' };
  if (!keyed || !anonymous || !again) return unknown;
  if (isAnsweredAlike(keyed, anonymous) || !isAnsweredAlike(keyed, again)) return unknown;
  const wrong = requestFor(subject, { name: 'with a random key', credential: 'random' });
  const [random, without] = ask.all([wrong, requestWithoutKey(subject, { round: 2 })]).map(answerOf);
  // Refusals that differ between requests show nothing.
  if (!without || !isAnsweredAlike(anonymous, without)) return unknown;
  const compared =
    random === undefined
      ? ''
      : isAnsweredAlike(keyed, random)
        ? ' A random key gets the same answer.'
        : ' A random key gets another answer: the server may know this key, and may hold it for expired, locked or without the right.';
  return {
    possible: '',
    seen: ` The key arrived: without one the answer is another.${quoted(keyed, anonymous)}${compared}`,
  };
};

/** The challenges that only this key gets (RFC 9110, section 11.6.1), shortened. */
const quoted = (keyed: Response, anonymous: Response): string => {
  const usual = challengesOf(anonymous);
  const said = challengesOf(keyed).filter((value) => !usual.includes(value));
  return said.length === 0
    ? ''
    : ` The server says: WWW-Authenticate: ${said.map((value) => clip(value, 120)).join(', ')}.`;
};

const challengesOf = ({ headers }: Response): readonly string[] =>
  headers.filter(([name]) => /^www-authenticate$/i.test(name)).map(([, value]) => value);

/** Names the possible reason that a proxy removes the key's header field. */
const lostOnTheWay = ({ operation }: OperationSubject): string => {
  const field = operation.security.find((scheme) => scheme.in === 'header')?.field;
  if (field === undefined) return '';
  const where = /^authorization$/i.test(field)
    ? 'in a proxy, or in mod_wsgi without WSGIPassAuthorization'
    : 'in a proxy';
  return `its field may be lost on the way (${where}), `;
};
