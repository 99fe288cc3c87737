import type { Exchange, Probe, Response } from '../../wire/types.js';
import { documentedRequest } from '../documented-request/documented-request.js';
import { answerOf, saysNothing } from '../oracle/answers.js';
import { anonymousControls, controlRequests, keyedControl } from '../oracle/control-requests.js';
import { isSame } from '../oracle/same.js';
import type { Ask, Judgement, OperationSubject, Procedure } from '../rule.js';
import { statusOf } from '../support/follow-up.js';
import {
  because,
  blockedBy,
  type Cause,
  excluded,
  failed,
  inconclusive,
  observed,
  onCheck,
  onControl,
  passed,
  shownTwice,
} from '../support/judgement.js';
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
    const way = documentedRequest(ask, subject);
    if (way.state === 'open') {
      const [first, second] = way.controls.keyed;
      return { first, answer: way.controls.first, second: () => second, comparedWith: [way.controls.missing] };
    }
    const words = 'The documented request did not open the operation, so there is no answer to look at.';
    return blockedBy(onControl(operation.id), because('key-opens-nothing'), words, [], {
      comparedWith: 'all' in way.controls ? way.controls.all : way.controls,
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

/** How an answer fits the document. */
export type Fit =
  | { readonly state: 'fits'; readonly reason: string; readonly note?: string }
  | { readonly state: 'silent'; readonly reason: string }
  /** The document leaves it open: reported, but not judged. */
  | { readonly state: 'open'; readonly reason: string }
  | { readonly state: 'unclear'; readonly cause: Cause; readonly reason: string }
  | {
      readonly state: 'differs';
      readonly cause: Cause;
      readonly reason: string;
      readonly expected: string;
      readonly seen: string;
    };

export type FitOf = (subject: OperationSubject, answer: Response) => Fit;

const judged =
  (fitOf: FitOf) =>
  (ask: Ask, subject: OperationSubject): Judgement => {
    const found = served(ask, subject);
    if ('outcome' in found) return found;
    const { first, answer, second, comparedWith } = found;
    const fit = fitOf(subject, answer);
    if (fit.state === 'silent') return excluded(fit.reason);
    return { ...judgeFit(fit, first, second, (other) => fitOf(subject, other)), comparedWith };
  };

const judgeFit = (
  fit: Exclude<Fit, { readonly state: 'silent' }>,
  first: Exchange,
  second: () => Exchange,
  fitAgain: (answer: Response) => Fit,
): Judgement => {
  const { reason } = fit;
  if (fit.state === 'open') return observed(reason, [first]);
  if (fit.state === 'unclear') return inconclusive(fit.cause, reason, [first]);
  if (fit.state === 'fits') return passed(reason, [first], fit.note === undefined ? {} : { note: fit.note });
  const exchanges = [first, second()];
  const answer = exchanges[1] && answerOf(exchanges[1]);
  const again = answer && !saysNothing(answer) ? fitAgain(answer) : undefined;
  if (again?.state === 'unclear')
    return inconclusive(again.cause, `${reason} A second read could not be checked: ${again.reason}`, exchanges);
  return shownTwice(
    again?.state === 'differs',
    failed(fit.cause, reason, exchanges, { expected: fit.expected, seen: fit.seen }),
    `${reason} A second read did not show it again.`,
  );
};

/** The procedure that judges how the answer to the documented request fits the document. */
export const answersFit = (fitOf: FitOf) => (): Procedure<OperationSubject> => ({ probes, judge: judged(fitOf) });
