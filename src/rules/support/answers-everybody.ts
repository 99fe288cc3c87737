import type { Response } from '../../wire/types.js';
import { answerOf, isSuccess } from '../oracle/answers.js';
import type { Controls } from '../oracle/controls.js';
import { isSame, sharedWithKeyed } from '../oracle/same.js';
import type { OperationSubject } from '../rule.js';
import { because, type Cause } from './causes.js';
import { asksForTheKey } from './judgement.js';

export interface AnswersEverybody {
  readonly status: number;
  /** What was seen, and what the document has to say if the operation is meant to be public. */
  readonly words: string;
}

/** Finds a 2xx answer that is the same with the key and without one. */
export const answersEverybody = (
  { keyed, anonymous, random }: Controls,
  { operation }: OperationSubject,
): AnswersEverybody | undefined => {
  const [first, second, without, wrong] = [...keyed, anonymous, random].map(answerOf);
  if (!first || !second || !without || !isSuccess(first) || !isTheSame(first, second, without)) return undefined;
  const whom =
    wrong && isTheSame(first, second, wrong) ? 'everybody' : 'a request without a key as it answers one with it';
  return {
    status: first.status,
    words: `It answers ${first.status} to ${whom}. ${asksForTheKey(operation)}: if the operation is public, the document has to say so with security: [].`,
  };
};

/** The cause of such a finding, if the key is known to be valid. The body is no refusal then. */
export const openToAll = ({ status }: AnswersEverybody): Cause => because('answers-everybody', status);

/** Whether two answers are equal, except for what differs between the keyed reads. */
const isTheSame = (first: Response, second: Response, other: Response): boolean =>
  isSame(first, other) ||
  (first.status === other.status && sharedWithKeyed(first.shape, second.shape, other.shape) !== undefined);
