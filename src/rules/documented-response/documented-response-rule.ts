import type { Exchange, Probe, Response } from '../../wire/types.js';
import { documentedRequest } from '../documented-request/documented-request.js';
import { answerOf, saysNothing } from '../oracle/answers.js';
import { anonymousControls, controlRequests, keyedControl } from '../oracle/control-requests.js';
import { isSame } from '../oracle/same.js';
import type { Ask, Judgement, OperationSubject, Procedure } from '../rule.js';
import { failedAgain, statusOf } from '../support/follow-up.js';
import { because, blockedBy, excluded, onCheck, onControl } from '../support/judgement.js';
import { requestWithNothing } from '../support/requests.js';
import { canSendKey } from '../support/subjects.js';
import { responseFor } from './response-description.js';

/**
 * DOC-1 and DOC-2: the answer to the documented request, with the documented credentials, fits the
 * documented responses. Refusals are not judged here.
 */

/** The read with the documented credentials; `undefined` if it cannot be sent. */
export const documentedRead = (subject: OperationSubject, round = 1): Probe | undefined => {
  if (subject.operation.access === 'public') return requestWithNothing(subject, { round });
  return subject.operation.access === 'protected' && canSendKey(subject) ? keyedControl(subject, round) : undefined;
};

const probes = (subject: OperationSubject): readonly Probe[] =>
  subject.operation.access === 'protected' ? controlRequests(subject) : anonymousControls(subject);

interface Served {
  readonly first: Exchange;
  readonly answer: Response;
  /** Sent only if the first answer does not fit. */
  readonly second: () => Exchange;
  readonly comparedWith: readonly Exchange[];
}

/** The answer to the documented request, or a judgement if there is none to compare. */
const served = (ask: Ask, subject: OperationSubject): Served | Judgement => {
  const { operation } = subject;
  if (operation.access === 'protected') {
    const request = documentedRequest(ask, subject);
    if (request.state === 'open') {
      const [first, second] = request.controls.keyed;
      return { first, answer: request.controls.first, second: () => second, comparedWith: [request.controls.missing] };
    }
    const words = 'The documented request did not open the operation, so there is no answer to look at.';
    return blockedBy(onControl(operation.id), because('key-opens-nothing'), words, [], {
      comparedWith: 'all' in request.controls ? request.controls.all : request.controls,
    });
  }
  const probe = documentedRead(subject);
  if (!probe) return excluded('The document does not say whether it needs credentials.');
  const first = ask(probe);
  const [read, missing, base] = anonymousControls(subject);
  const [, ...nothing] = ask.all([read, missing, base]);
  const answer = answerOf(first);
  const refuses = !answer || saysNothing(answer) || answer.status >= 520;
  const nowhere = nothing.some((other) => isSame(answer, answerOf(other)));
  if (refuses || nowhere || (answer.status >= 300 && answer.status < 500 && !responseFor(operation, answer.status)))
    return blockedBy(
      onCheck('opens-without-credentials', operation.id),
      because('undocumented-answer', statusOf(first), nowhere ? 'missing' : ''),
      `The documented request was answered with ${statusOf(first) || 'nothing'}${nowhere ? ', as a path that does not exist is' : ''}, so there is no documented answer to look at.`,
      [first],
      { comparedWith: nothing },
    );
  return { first, answer, second: () => ask({ ...probe, round: 2 }), comparedWith: nothing };
};

/** How an answer fits the document. A failure has to be seen again in a second read. */
export type FitOf = (subject: OperationSubject, exchange: Exchange, answer: Response) => Judgement;

const judged =
  (fitOf: FitOf) =>
  (ask: Ask, subject: OperationSubject): Judgement => {
    const found = served(ask, subject);
    if ('outcome' in found) return found;
    const { first, answer, second, comparedWith } = found;
    const fitsSubject = (exchange: Exchange, seen: Response): Judgement => fitOf(subject, exchange, seen);
    const fit = fitsSubject(first, answer);
    if (fit.outcome === 'excluded') return fit;
    const judgement =
      fit.outcome === 'failed' ? failedAgain(fit, second(), fitsSubject, 'A second read did not show it again.') : fit;
    return { ...judgement, comparedWith };
  };

/** The procedure that judges how the answer to the documented request fits the document. */
export const answersFit = (fitOf: FitOf) => (): Procedure<OperationSubject> => ({ probes, judge: judged(fitOf) });
