import type { Exchange, Response } from '../../wire/types.js';
import { answerOf, isRedirect } from '../oracle/answers.js';
import { differences, isSame, volatileIn } from '../oracle/same.js';
import type { Ask } from '../rule.js';
import { again } from './requests.js';

/**
 * Repeats a request. The new answer is later than the one it is compared with, so values that
 * follow the clock differ.
 */
export const repeated = (ask: Ask, exchange: Exchange): Exchange => ask(again(exchange.probe));

/**
 * Whether `other` equals the answer to an exchange's request. If their structures match, the
 * request is repeated to find volatile values.
 */
export const isAnswerTo = (ask: Ask, exchange: Exchange, other: Response): boolean => {
  const first = answerOf(exchange);
  if (!first || first.status !== other.status) return false;
  if (isSame(first, other)) return true;
  const found = differences(first.shape, other.shape);
  if (found === undefined || isRedirect(other)) return false;
  const second = answerOf(repeated(ask, exchange));
  return second !== undefined && isSame(first, other, volatileIn(first, second));
};
