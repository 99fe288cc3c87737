import type { Exchange } from '../../wire/types.js';
import { answerOf } from '../oracle/answers.js';
import type { Ask, Judgement } from '../rule.js';
import { because } from './causes.js';
import { inconclusive } from './judgement.js';

/**
 * A client that is shut out is refused by now, whatever it asks: it is banned, or has used up a
 * limit that is not told by 429. Its refusals say nothing of what was asked.
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
