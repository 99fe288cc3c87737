import type { Exchange, Probe, Response } from '../../wire/types.js';
import { optionsProbe, readByHead } from '../bypass/other-methods.js';
import { answerOf, isRedirect, isSuccess, partialAnswerOf } from '../oracle/answers.js';
import { publicOperations } from '../oracle/control-requests.js';
import { sameFields } from '../oracle/same.js';
import type { Reading } from '../oracle/table.js';
import { usableFor } from '../oracle/usable-controls.js';
import type { Ask, OperationSubject } from '../rule.js';
import { follow, isAnswerTo } from '../support/follow-up.js';
import { because } from '../support/judgement.js';
import { again, missingOf, requestWithoutKey } from '../support/requests.js';
import { isServedWhereHttpsLeads, refusedByApi, representationIn } from './from-the-api.js';
import {
  type ClassifyPlain,
  httpsAnswers,
  isPlainHttp,
  isToHttps,
  lastWithin,
  type PlainAnswer,
  type PlainReading,
  type PlainRequest,
  type PlainSeen,
  whyFromProxy,
  whyNotReached,
} from './plain-answer.js';

/** Classifies an answer over plain HTTP, beside those over HTTPS. */

export const classifyPlainHttp: ClassifyPlain = (ask, subject, request, exchange) => {
  const known = httpsAnswers(ask, subject);
  const chain = request.isReadAlone ? [] : follow(ask, exchange, isPlainHttp);
  const reached = [exchange, ...chain];
  let doubt: Reading | undefined;
  const nothing = (seen: string): PlainSeen => ({ kind: 'nothing', seen });
  for (const step of reached) {
    const answer = answerOf(step);
    if (!answer) {
      const part = partialAnswerOf(step);
      return part && representationIn({ ask, subject, known, request, step, answer: part }) === 'served'
        ? { kind: 'served', seen: `${part.status} with a part of what HTTPS serves` }
        : noAnswer(step, known.anonymous);
    }
    if (answer.status === 429) return { kind: 'unclear', cause: because('rate-limit'), seen: '429 to the end' };
    if (answer.givesKey) return { kind: 'served', seen: `${answer.status} with the key itself` };
    const plain: PlainAnswer = { ask, subject, known, request, step, answer };
    const shown = representationIn(plain);
    if (shown === 'served') return { kind: 'served', seen: `${answer.status} with what HTTPS serves` };
    if (isServedWhereHttpsLeads(plain))
      return {
        kind: isSuccess(answer) ? 'served' : 'refused-by-api',
        seen: `${answer.status} at the place that HTTPS redirects to`,
      };
    doubt ??= shown;
    const toHttps = isToHttps(answer);
    const refusedBy = toHttps ? undefined : refusedByApi(plain);
    if (refusedBy === 'as-of-public') return nothing(`${answer.status}, as of what HTTPS opens to everybody`);
    if (refusedBy === 'not-compared')
      return {
        kind: 'unclear',
        cause: because('no-answer'),
        seen: `${answer.status}, as over HTTPS; a path that does not exist got no answer there to compare with`,
      };
    if (refusedBy) return { kind: 'refused-by-api', seen: `${answer.status}, the API's own answer as over HTTPS` };
    if (toHttps) return { kind: 'nothing', seen: `${answer.status} to https`, forCertain: true };
  }
  const end = reached.at(-1) ?? exchange;
  const proxys = whyFromProxy(end, known.anonymous);
  if (proxys) return { kind: 'unclear', cause: proxys.cause, seen: proxys.words };
  if (doubt) return { kind: 'unclear', cause: because('unclear-answer', String(doubt.line)), seen: doubt.seen };
  const last = answerOf(end);
  return isSuccess(last)
    ? { ...nothing(`${last.status} of another kind`), success: true }
    : nothing(`${last?.status ?? 'nothing'}`);
};

const noAnswer = (exchange: Exchange, https: Exchange): PlainReading => {
  const error = exchange.attempts.at(-1)?.error;
  if (error === undefined || error.code === 'aborted')
    return { kind: 'unclear', cause: because('run-stopped'), seen: 'the run was stopped' };
  const unreached = whyNotReached(exchange, https);
  if (unreached) return { kind: 'unclear', cause: unreached.cause, seen: unreached.words };
  return { kind: 'nothing', seen: `no answer (${error.code})`, forCertain: true };
};

/**
 * Classifies an answer to HEAD over plain HTTP: a redirect to https may exist for GET only. There
 * is no body, so Content-Type and Content-Length or ETag are compared. They have to equal those of
 * HTTPS, and differ from those of missing paths on both sides.
 */
export const classifyPlainHead = (
  ask: Ask,
  subject: OperationSubject,
  request: PlainRequest,
  exchange: Exchange,
): PlainReading => {
  const end = lastWithin(ask, exchange);
  const answer = answerOf(end);
  if (!answer || isRedirect(answer) || answer.status === 429) return classifyPlainHttp(ask, subject, request, exchange);
  if (isAnswerToGet(ask, subject, request, answer))
    return { kind: 'nothing', seen: `${answer.status} to HEAD, as to GET` };
  const head = requestWithoutKey(subject, { name: 'HEAD without a key', method: 'HEAD' });
  const onPlain = { ...missingOf(subject, end.probe), name: `${end.probe.name}, a path that does not exist` };
  const nowhere = [missingOf(subject, head), onPlain];
  const others = [...nowhere, ...publicOperations(subject).map((operation) => request.forOperation(operation))];
  const anonymous = ask(head);
  if (isSuccess(answer)) {
    const served =
      subject.operation.access === 'protected' ? isGranted(ask, subject, end) : isHeadOf(ask, anonymous, answer);
    if (served && !ask.all(nowhere).some((other) => isSame(other, answer)))
      return { kind: 'served', seen: `${answer.status} to HEAD with the fields that HTTPS gives` };
  } else if (isHeadOf(ask, anonymous, answer) && !isSaidOf(ask, others, answer))
    return { kind: 'refused-by-api', seen: `${answer.status} to HEAD, the API's own answer as over HTTPS` };
  return { kind: 'nothing', seen: `${answer.status} to HEAD` };
};

/**
 * Whether GET over plain HTTP gets this answer too and shows that it is not the API's. Then HEAD
 * shows no more. A success has to have the same fields.
 */
const isAnswerToGet = (ask: Ask, subject: OperationSubject, request: PlainRequest, answer: Response): boolean => {
  const byGet = (probe: Probe): Probe => ({ ...probe, method: 'GET' });
  const probe = byGet(request.probe);
  const get: PlainRequest = {
    ...request,
    probe,
    bare: byGet(request.bare),
    forOperation: (operation) => byGet(request.forOperation(operation)),
  };
  const exchange = ask(probe);
  const first = answerOf(lastWithin(ask, exchange));
  if (first?.status !== answer.status) return false;
  if (isSuccess(answer) && sameFields(first, undefined, answer) !== true) return false;
  return classifyPlainHttp(ask, subject, get, exchange).kind === 'nothing';
};

const isGranted = (ask: Ask, subject: OperationSubject, end: Exchange): boolean => {
  const good = usableFor(ask, subject);
  return good !== undefined && readByHead(subject)(ask, end, good).verdict === 'granted';
};

/** Whether an answer to HEAD equals that of HTTPS in status and header fields. */
const isHeadOf = (ask: Ask, https: Exchange, answer: Response): boolean => {
  const first = answerOf(https);
  return first?.status === answer.status && sameFields(first, answerOf(ask(again(https.probe))), answer) === true;
};

/** Whether status and header fields are equal. Without fields, the status decides. */
const isSame = (exchange: Exchange, answer: Response): boolean => {
  const other = answerOf(exchange);
  return other?.status === answer.status && sameFields(other, undefined, answer) !== false;
};

/**
 * Whether missing paths or public operations get the same status. Then the answer is about plain
 * HTTP and not about a missing key. Only the status is compared, since a refusal that repeats the
 * path has a different length for each.
 */
const isSaidOf = (ask: Ask, others: readonly Probe[], { status }: Response): boolean =>
  ask.all(others).some((exchange) => answerOf(lastWithin(ask, exchange))?.status === status);

/**
 * Classifies an answer to OPTIONS over plain HTTP: a redirect to https may exist for GET only.
 *
 * A proxy may answer OPTIONS itself for every client, so a success counts only where it describes
 * the operation: it has content, is that of HTTPS, and neither missing paths nor public operations
 * get it.
 */
export const classifyPlainOptions: ClassifyPlain = (ask, subject, request, exchange) => {
  const plain = classifyPlainHttp(ask, subject, request, exchange);
  const answer = answerOf(exchange);
  if (plain.kind !== 'nothing' || !isSuccess(answer) || answer.shape.kind === 'empty') return plain;
  const isTheirs = (probe: Probe): boolean => isAnswerTo(ask, ask(probe), answer);
  const https = optionsProbe(subject);
  const others = [
    missingOf(subject, https),
    missingOf(subject, request.probe),
    ...publicOperations(subject).map((operation) => request.forOperation(operation)),
  ];
  return isTheirs(https) && !others.some(isTheirs)
    ? { kind: 'refused-by-api', seen: `${answer.status} to OPTIONS, the API's own answer as over HTTPS` }
    : plain;
};
