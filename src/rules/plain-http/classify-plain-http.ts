import type { Exchange } from '../../wire/types.js';
import { answerOf, isSuccess } from '../oracle/answers.js';
import type { Reading } from '../oracle/table.js';
import { follow } from '../support/follow-redirects.js';
import { because } from '../support/judgement.js';
import {
  type ClassifyPlain,
  httpsAnswers,
  isPlainHttp,
  isToHttps,
  type PlainAnswer,
  type PlainReading,
  type PlainSeen,
} from './plain-answer.js';
import { whyFromProxy, whyNotReached } from './plain-http-reachability.js';
import { refusedByApi } from './refused-by-api.js';
import { representationIn } from './served-as-https.js';

/**
 * Classifies an answer over plain HTTP: nothing of the API, what HTTPS serves, or the API's own
 * refusal.
 */

export const classifyPlainHttp: ClassifyPlain = (ask, subject, request, exchange) => {
  const known = httpsAnswers(ask, subject);
  const chain = request.isReadAlone ? [] : follow(ask, exchange, isPlainHttp);
  const reached = [exchange, ...chain];
  let doubt: Reading | undefined;
  const nothing = (seen: string): PlainSeen => ({ kind: 'nothing', seen });
  for (const step of reached) {
    const answer = answerOf(step);
    if (!answer) return noAnswer(step, known.anonymous);
    if (answer.status === 429) return { kind: 'unclear', cause: because('rate-limit'), seen: '429 to the end' };
    if (answer.givesKey) return { kind: 'served', seen: `${answer.status} with the key itself` };
    const plain: PlainAnswer = { ask, subject, known, request, step, answer };
    const shown = representationIn(plain);
    if (shown === 'served') return { kind: 'served', seen: `${answer.status} with what HTTPS serves` };
    doubt ??= shown;
    const toHttps = isToHttps(answer);
    const refusedBy = toHttps ? undefined : refusedByApi(plain);
    if (refusedBy === 'as-of-public') return nothing(`${answer.status}, as of what HTTPS opens to everybody`);
    if (refusedBy) return { kind: 'refused-by-api', seen: `${answer.status}, the API's own answer as over HTTPS` };
    if (toHttps) return { kind: 'nothing', seen: `${answer.status} to https`, forCertain: true };
  }
  const end = reached.at(-1) ?? exchange;
  const proxys = whyFromProxy(end, known.anonymous);
  if (proxys) return { kind: 'unclear', cause: proxys.cause, seen: proxys.words };
  if (doubt) return { kind: 'unclear', cause: because('unclear-answer', String(doubt.line)), seen: doubt.seen };
  const last = answerOf(end);
  return last && isSuccess(last)
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
