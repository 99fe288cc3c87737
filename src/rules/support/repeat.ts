import type { Exchange, Response } from '../../wire/types.js';
import { answerOf, isRedirect } from '../oracle/answers.js';
import { differences, isSame, volatileIn } from '../oracle/same.js';
import type { Ask, Judgement } from '../rule.js';
import { because, inconclusive } from './judgement.js';
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

/**
 * A client may be shut out: it is banned, or has used up a limit that is not reported by 429. Its
 * refusals then show nothing about what was asked.
 */

/** The status of an answer, or the code of the error. */
export const statusOf = (exchange: Exchange): string =>
  String(answerOf(exchange)?.status ?? exchange.attempts.at(-1)?.error?.code ?? '');

/**
 * The judgement if a request that was answered otherwise before now gets the status of a refusal.
 * @param earlier requests without a key, one of which is enough
 */
export const shutOut = (
  ask: Ask,
  earlier: readonly Exchange[],
  refusal: Exchange,
  more: Pick<Judgement, 'comparedWith'> = {},
): Judgement | undefined => {
  const status = statusOf(refusal);
  const others = earlier.filter((exchange) => statusOf(exchange) !== status);
  const now = ask.all(others.map(({ probe }) => ({ ...probe, occasion: 'to see whether this client is shut out' })));
  const index = now.findIndex((exchange) => statusOf(exchange) === status);
  const [before, after] = [others[index], now[index]];
  return (
    before &&
    after &&
    inconclusive(
      because('client-refused', status),
      `This client is refused by now, whatever it asks: “${before.probe.name}” got ${statusOf(before)} at first and gets ${status} now. So these refusals say nothing of what was asked.`,
      [refusal, after],
      more,
    )
  );
};
