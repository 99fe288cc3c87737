import type { Keyless } from '../../contract/model.js';
import type { Exchange, Probe, Response } from '../../wire/types.js';
import { foundBelowServer, isPageInstead } from '../documented-request/base-path.js';
import { answerOf, authOrProxyStatuses, isRedirect, isSuccess, redirectPathOf } from '../oracle/answers.js';
import { anonymousControls, keyedControl } from '../oracle/control-requests.js';
import { controlsOf } from '../oracle/controls.js';
import { pastRefusal } from '../oracle/past-refusal.js';
import { isSame } from '../oracle/same.js';
import { isUsable, usable } from '../oracle/usable-controls.js';
import type { Ask, Judgement, OperationSubject } from '../rule.js';
import { because, inconclusive, passed } from '../support/judgement.js';
import { protectedRequests, requestWithoutKey } from '../support/requests.js';
import { canSendKey, protectedSubjects } from '../support/subjects.js';

/**
 * AUTH-3 for operations that get no key: a parameter value was made up and most likely names
 * nothing, only a redirect is documented, or the key might be lost. There is no keyed answer to
 * compare with, so only a refusal can be recognised.
 */

export const keylessProbes = (subject: OperationSubject): readonly [Probe, Probe, ...Probe[]] => {
  const [read, missing] = anonymousControls(subject);
  return [read, missing, ...protectedRequests(subject)];
};

export const judgeKeyless = (ask: Ask, subject: OperationSubject, keyless: Keyless): Judgement => {
  const [exchange, nowhere, ...refusals] = ask.all(keylessProbes(subject));
  return {
    ...judgeAnswer(ask, subject, exchange, { keyless, nowhere }),
    comparedWith: [nowhere, ...refusals],
  };
};

/**
 * Whether an answer is the refusal of another operation, where the key gets something else: so it
 * is about the key. An answer that everybody gets, as to a wrong host, is not.
 */
const isRefusalOf =
  (ask: Ask, answer: Response) =>
  (other: OperationSubject): boolean => {
    const without = answerOf(ask(requestWithoutKey(other)));
    if (!without || isSuccess(without) || without.status === 404 || !isSameRefusal(answer, without)) return false;
    const keyed = canSendKey(other) ? answerOf(ask(keyedControl(other, 1))) : undefined;
    return keyed !== undefined && !isSameRefusal(keyed, without);
  };

const judgeAnswer = (
  ask: Ask,
  subject: OperationSubject,
  exchange: Exchange,
  { keyless, nowhere }: { readonly keyless: Keyless; readonly nowhere: Exchange },
): Judgement => {
  const { cause, why, advice } = keyless;
  const answer = answerOf(exchange);
  if (!answer) return inconclusive(because('no-answer'), 'The request got no answer to judge.', [exchange]);
  const { status } = answer;
  const likeNowhere = isSame(answer, answerOf(nowhere));
  const isOfAnother = (): boolean => protectedSubjects(subject).some(isRefusalOf(ask, answer));
  // A service that refuses every path by status (such as a firewall) refuses this one too.
  if (authOrProxyStatuses.has(status) || (!likeNowhere && !isSuccess(answer) && isOfAnother()))
    return byRefusalAlone(`Refused: ${status}${likeNowhere ? ', as where nothing is' : ''}; ${why}.`, exchange);
  const hint = likeNowhere || isPageInstead(answer, subject.operation) ? foundBelowServer(ask, subject) : undefined;
  if (hint) return inconclusive(because('no-path', 'BASE_URL'), `${hint.says} ${hint.advice}`, [exchange]);
  if (status >= 500)
    return inconclusive(
      because('server-error', status),
      `Answered with ${status}, and ${why}: a server error shows no refusal. ${advice}`,
      [exchange],
    );
  return inconclusive(
    because(cause, status),
    `Answered with ${status}, and ${why}: only a refusal can be read from it. ${advice}`,
    [exchange],
  );
};

/** Whether two refusals are equal, or redirect to the same path. */
export const isSameRefusal = (answer: Response, other: Response): boolean =>
  isSame(answer, other) ||
  (isRedirect(answer) && isRedirect(other) && redirectPathOf(answer) === redirectPathOf(other));

/** Passed, without a keyed answer to compare with. */
const byRefusalAlone = (reason: string, exchange: Exchange): Judgement => ({
  ...passed(reason, [exchange]),
  cause: because('refusal-alone'),
});

/**
 * AUTH-3 for operations that the key does not open, but where it gets past the refusal that others
 * get.
 */
export const refusedAlone = (ask: Ask, subject: OperationSubject): Judgement | undefined => {
  const controls = controlsOf(ask, subject);
  if (isUsable(usable(controls))) return undefined;
  const past = pastRefusal(controls);
  if (!past) return undefined;
  const { refusal, answer } = past;
  // A guard in front of every path refuses this operation too, which shows nothing about it.
  const likeNowhere = isSame(refusal, answerOf(controls.missing));
  const what = answer.status >= 500 ? 'a failure of the service' : 'another answer';
  return {
    ...byRefusalAlone(
      `Refused: ${refusal.status}${likeNowhere ? ', as where nothing is' : ''}. A random key is refused too, and the key gets past it, to ${what} (${answer.status}): judged by the refusal alone, since there is no data to compare with.`,
      controls.anonymous,
    ),
    comparedWith: controls.all,
  };
};
