import type { Operation } from '../contract/model.js';
import type { Exchange, Response } from '../wire/types.js';
import { readWithEnd } from './bypass/bypass.js';
import { bodyFit } from './documented-body.js';
import { responseFor } from './documented-response/response-description.js';
import { answerOf, header, saysNothing } from './oracle/answers.js';
import { anonymousControls, keyedControls } from './oracle/control-requests.js';
import { controlsOf } from './oracle/controls.js';
import { isUsable, usable } from './oracle/usable-controls.js';
import { type Ask, defineRule, type Judgement, type OperationSubject } from './rule.js';
import { because, onCheck } from './support/causes.js';
import { about } from './support/headlines.js';
import { blocked, failed, inconclusive, lineOf, passed } from './support/judgement.js';
import { again, readWithoutKey } from './support/requests.js';
import { canSendKey } from './support/subjects.js';

const refusalsOf = ({ responses }: Operation) => responses.filter(({ refusal }) => refusal === true);

/** How an answer differs from the documented refusals; `undefined` if it does not. */
const differenceOf = (subject: OperationSubject, answer: Response) => {
  const refusals = refusalsOf(subject.operation);
  const listed = refusals.map(({ status }) => status).join(', ');
  const at = lineOf(refusals[0]?.position ?? subject.operation.position);
  const range = `${String(answer.status).charAt(0)}XX`;
  const isListed = refusals.some(({ status }) => status === String(answer.status) || status === range);
  if (!isListed && responseFor(subject.operation, answer.status)?.refusal !== true)
    return {
      cause: because('undocumented-status', answer.status, at),
      reason: `Without a key it answers ${answer.status}, and the document says ${listed} (${at}).`,
      expected: listed,
      seen: String(answer.status),
    };
  const fit = bodyFit(subject, answer);
  if (fit.state === 'differs') return fit;
  const missing = responseFor(subject.operation, answer.status)?.fields?.find(
    (name) => header(answer, name.toLowerCase()) === undefined,
  );
  if (missing === undefined) return undefined;
  return {
    cause: because('undocumented-answer', missing, at),
    reason: `Without a key it answers ${answer.status} without ${missing}, which the document requires (${at}).`,
    expected: missing,
    seen: `no ${missing}`,
  };
};

const judge = (ask: Ask, subject: OperationSubject): Judgement => {
  const first = ask(readWithoutKey(subject));
  const answer = answerOf(first);
  const opened = canSendKey(subject) ? usable(controlsOf(ask, subject)) : undefined;
  if (opened && isUsable(opened) && readWithEnd(ask, first, opened).verdict === 'granted')
    return blocked(
      because('opens-without-key'),
      'It opens without a key, so there is no refusal to look at.',
      [first],
      {
        blockedBy: [onCheck('refuses-missing-key', subject.operation.id)],
      },
    );
  if (!answer)
    return inconclusive(
      because('no-answer', first.attempts.at(-1)?.error?.code),
      'The request without a key got no answer to look at.',
      [first],
    );
  const difference = differenceOf(subject, answer);
  if (difference && saysNothing(answer))
    return inconclusive(
      answer.status === 429 ? because('rate-limit') : because('server-error', answer.status),
      `The request without a key was answered with ${answer.status}, which is no refusal.`,
      [first],
    );
  return difference
    ? seenAgain(ask, subject, first, difference)
    : passed(`Refused with ${answer.status}, as the document says.`, [first]);
};

const seenAgain = (
  ask: Ask,
  subject: OperationSubject,
  first: Exchange,
  { cause, reason, expected, seen }: NonNullable<ReturnType<typeof differenceOf>>,
): Judgement => {
  const repeated = ask(again(readWithoutKey(subject)));
  const answer = answerOf(repeated);
  return answer && !saysNothing(answer) && differenceOf(subject, answer)
    ? failed(cause, reason, [first, repeated], { expected, seen })
    : inconclusive(
        because('changes-between-tries', ...(cause.values ?? [])),
        `${reason} A second request did not show it again.`,
        [first, repeated],
      );
};

/**
 * DOC-3: a documented refusal. Only responses with `x-access-refusal: true` promise how a request
 * without a key is answered; a 401 that is merely listed does not.
 */
export const documentedRefusal = defineRule({
  scope: 'operation',
  id: 'documented-refusal',
  clauses: ['DOC-3'],
  title: 'refuses a request without a key as documented',
  headline: () => about('document', 'refuses/refuse a request without a key otherwise than documented'),
  stage: 'keyed',
  appliesTo: ({ operation }) => operation.access === 'protected' && refusalsOf(operation).length > 0,
  probes: (subject) => [
    ...anonymousControls(subject),
    ...(canSendKey(subject) ? keyedControls(subject) : []),
    readWithoutKey(subject),
  ],
  judge,
  explanation: {
    asks: 'A request without a key gets the response that the document marks with x-access-refusal: true.',
    sends: 'Nothing of its own: it looks at the request without a key that other checks made.',
    judged:
      'Failed: another status, another media type, a body that its schema refuses, or a required header field that is missing. Responses without the mark are no promise, and are not looked at.',
    causes: 'The service changed and the document did not.',
    fixes: 'Bring the two together: answer as the document says, or propose the document anew.',
  },
});
