import { pathSegments } from '../../urls.js';
import type { Exchange, Probe, Response } from '../../wire/types.js';
import { answerOf, answersOf, header, isRedirect, isSuccess, redirectPathOf } from '../oracle/answers.js';
import { publicReads } from '../oracle/control-requests.js';
import { readExchange } from '../oracle/reading.js';
import { differences, isOfOneForm } from '../oracle/same.js';
import { usableFor } from '../oracle/usable-controls.js';
import { filledListsIn, viewIn } from '../oracle/view.js';
import type { Ask, OperationSubject } from '../rule.js';
import { follow } from '../support/follow-up.js';
import { again, missingOf, requestFor, requestWithNothing, roundsToMeetOneInThree } from '../support/requests.js';
import { keysOf, operationIn, subjectFor } from '../support/subjects.js';
import { onItsOwnQuery, targetOf } from '../support/targets.js';
import { holdsNothing, isOneOf, type KeylessAnswers, refusedWithoutKey } from './withheld.js';

/** Requests for a public resource, and what single answers show. */

/** The same read again: a server may refuse some reads only. */
export const moreReads = (subject: OperationSubject): readonly [Probe, Probe] => {
  const open = requestWithNothing(subject);
  return [again(open), requestWithNothing(subject, { round: 2, occasion: 'to see whether it opens each time' })];
};

/**
 * The request with the key, if one was given that may be sent. `isStrict`: the service refuses a
 * query that it does not know, so none is added.
 */
export const withTheKey = (subject: OperationSubject, isStrict: boolean, round = 1): readonly Probe[] => {
  const security = keysOf(subject);
  if (security.length === 0) return [];
  const operation = { ...subject.operation, security };
  const target = isStrict ? targetOf(subject) : onItsOwnQuery(subject, 'public with the key');
  return [requestFor({ ...subject, operation }, { name: 'with the key', credential: 'valid', target, round })];
};

/**
 * More requests with the key, on new connections: a balancer may choose the server by connection.
 */
export const moreWithTheKey = (subject: OperationSubject, isStrict: boolean): readonly Probe[] =>
  roundsToMeetOneInThree(3)
    .flatMap((round) => withTheKey(subject, isStrict, round))
    .map((probe): Probe => ({ ...probe, connection: 'fresh' }));

/** The end of a redirect, if it has the form of the keyed answer; else the exchange. */
export const endOfRedirect = (ask: Ask, exchange: Exchange, keyed?: Response): Exchange => {
  const end = follow(ask, exchange).at(-1);
  const answer = end && answerOf(end);
  if (!end || !isSuccess(answer)) return exchange;
  return keyed && !isOfOneForm(answer.shape, keyed.shape) ? exchange : end;
};

/**
 * Whether a read ends as protected operations refuse: in the same body, or in the same structure
 * behind a redirect to the same place. An empty body is no refusal.
 */
export const endsAsRefused = (ask: Ask, exchange: Exchange, refusals: readonly Exchange[]): boolean => {
  const endIn = (read: Exchange): Response | undefined => {
    const end = answerOf(endOfRedirect(ask, read));
    return end && isSuccess(end) && !holdsNothing(end.shape) ? end : undefined;
  };
  const answer = answerOf(exchange);
  if (!answer) return false;
  if (!isRedirect(answer)) return endIn(exchange) !== undefined && isOneOf(answer, answersOf(refusals));
  return refusals
    .filter((refusal) => redirectPathOf(answerOf(refusal) ?? answer) === redirectPathOf(answer))
    .some((refusal) => {
      const [own, theirs] = [endIn(exchange), endIn(refusal)];
      return own !== undefined && theirs !== undefined && differences(own.shape, theirs.shape) !== undefined;
    });
};

/**
 * Whether what a redirect leads to may be the resource: it gives no answer here, or rows that are
 * no refusal. A redirect to where protected operations redirect is a refusal.
 */
export const leadsToData = (ask: Ask, exchange: Exchange, keyed: Response, known: KeylessAnswers): boolean => {
  const [answer, end] = [answerOf(exchange), follow(ask, exchange).at(-1)];
  if (!answer || !end || known.refusals.some((one) => redirectPathOf(one) === redirectPathOf(answer))) return false;
  const last = answerOf(end);
  if (!last) return true;
  return (
    isSuccess(last) &&
    last.shape.kind === keyed.shape.kind &&
    filledListsIn(viewIn(last.shape)).length > 0 &&
    !isOneOf(last, [...known.nothing, ...known.refusals]) &&
    refusedWithoutKey(last, keyed, known) === undefined
  );
};

/**
 * Whether a redirect that is not documented leads away from a resource: to a path without its name,
 * and to an answer without rows, or to where another public resource leads.
 * @param answer the end of the redirect
 */
export const leadsAway = (ask: Ask, subject: OperationSubject, exchange: Exchange, answer: Response): boolean => {
  const { operation } = subject;
  const redirect = answerOf(exchange)?.status;
  if (operation.responses.some(({ status }) => status === '3XX' || status === String(redirect))) return false;
  const placeOf = (read: Exchange): string | undefined => follow(ask, read).at(-1)?.probe.target.split('?', 1)[0];
  const [place, name] = [placeOf(exchange), pathSegments(operation.path).findLast((each) => !each.startsWith('{'))];
  if (place === undefined || name === undefined) return false;
  if (pathSegments(place).some((each) => each.toLowerCase().startsWith(name.toLowerCase()))) return false;
  const others = publicReads(subject).filter(({ operation: id }) => id !== operation.id);
  return filledListsIn(viewIn(answer.shape)).length === 0 || ask.all(others).some((read) => placeOf(read) === place);
};

/** Whether a protected operation opens without a key, so that it shows no refusal. */
export const isOpenToAll = (ask: Ask, subject: OperationSubject, refusal: Exchange): boolean => {
  const answer = answerOf(refusal);
  const operation = operationIn(subject.contract, refusal.probe.operation);
  if (!isSuccess(answer) || !operation) return false;
  const controls = usableFor(ask, subjectFor(subject, operation));
  return controls !== undefined && readExchange(refusal, controls.background).verdict === 'granted';
};

/** The answer with the key, unless it is a refusal or that of a missing path. */
export const openedBy = (ask: Ask, keyed: Exchange, { nothing, refusals }: KeylessAnswers): Response | undefined => {
  const answer = answerOf(endOfRedirect(ask, keyed));
  return isSuccess(answer) && !isOneOf(answer, nothing) && !isOneOf(answer, refusals) ? answer : undefined;
};

/** Whether the key gets a similar answer at a missing path, such as a greeting. */
export const isEverywhere = (ask: Ask, subject: OperationSubject, keyed: Exchange, opened: Response): boolean => {
  const missing = missingOf(subject, { ...keyed.probe, name: 'a path that does not exist, with the key' });
  const nowhere = answerOf(ask(missing));
  return isSuccess(nowhere) && differences(nowhere.shape, opened.shape) !== undefined;
};

/** Client errors that may be temporary, or that are about the connection. */
const passingStatuses: ReadonlySet<number> = new Set([408, 421, 425, 429]);

/** A refusal with Retry-After is a limit, whatever its status. */
export const isRefusedNow = (exchange: Exchange): boolean => {
  const answer = answerOf(exchange);
  if (!answer || answer.status < 400 || answer.status >= 500) return false;
  return !passingStatuses.has(answer.status) && header(answer, 'retry-after') === undefined;
};
