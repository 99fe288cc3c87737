import type { Exchange, Response } from '../../wire/types.js';
import { answerOf, saysNothing } from '../oracle/answers.js';
import {
  type Ask,
  defineRule,
  type Explanation,
  type Judgement,
  type OperationRule,
  type OperationSubject,
} from '../rule.js';
import { failedAgain } from './follow-up.js';
import { because, failed, inconclusive, passed } from './judgement.js';
import { again, requestWithoutKey } from './requests.js';

/** A rule about the answer to the documented request without a key. */
export interface AnswerRuleDefinition
  extends Pick<OperationRule, 'id' | 'title' | 'appliesTo'>,
    Pick<Explanation, 'causes' | 'fixes'> {
  readonly clauses: readonly [string, ...string[]];
  /** What is wrong with an answer, as a sentence; `undefined` if nothing is. */
  readonly wrong: (answer: Response) => string | undefined;
}

const judgeAnswers = (ask: Ask, subject: OperationSubject, { id, wrong }: AnswerRuleDefinition): Judgement => {
  const probe = requestWithoutKey(subject);
  const first = ask(probe);
  const answer = answerOf(first);
  if (!answer || saysNothing(answer))
    return inconclusive(
      because(answer?.status === 429 ? 'rate-limit' : 'no-answer', answer?.status),
      'The request got no answer to judge.',
      [first],
    );
  const judgeAnswer = (exchange: Exchange, seen: Response): Judgement => {
    const fault = wrong(seen);
    return fault === undefined
      ? passed('Nothing is wrong with the answer.', [exchange])
      : failed(because(`x-${id}`), fault, [exchange]);
  };
  const found = judgeAnswer(first, answer);
  return found.outcome === 'passed'
    ? found
    : failedAgain(found, ask(again(probe)), judgeAnswer, 'Not so on a second try.');
};

/** Makes a rule that fails if `wrong` finds a fault in two answers to the same request. */
export const answerRule = (definition: AnswerRuleDefinition): OperationRule => {
  const { id, clauses, title, appliesTo, causes, fixes } = definition;
  return defineRule({
    ...{ scope: 'operation', stage: 'anonymous', id, clauses, title, appliesTo },
    probes: (subject) => [requestWithoutKey(subject)],
    judge: (ask, subject) => judgeAnswers(ask, subject, definition),
    explanation: {
      asks: `An answer to a client without a key is as the title says: the operation ${title}.`,
      sends: 'The documented request without a key, and again where the answer is wrong.',
      judged: 'Failed where both answers are wrong; inconclusive where they differ, or where there is none to judge.',
      causes,
      fixes,
    },
  });
};
