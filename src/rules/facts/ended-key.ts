import type { Exchange } from '../../wire/types.js';
import { isSuccess } from '../oracle/answers.js';
import type { SeenFact } from '../rule.js';
import { answerValue, refusalValue, seenFact, summaryOf } from '../support/observation.js';

/** Id of the fact how a key is answered that opened once, or has ended by its own word. */
export const endedKeyFactId = 'ended-key';

/** How a key that has ended is answered. It is seen only where one ends. */
export const endedKeyFact = (reads: readonly [Exchange, ...Exchange[]]): SeenFact =>
  seenFact({
    gap: 'GAP-KEY-LIFE',
    id: endedKeyFactId,
    words: `With a key that has ended: ${summaryOf(reads[0])}.`,
    reads,
    shows: (answer, exchange) => (isSuccess(answer) ? answerValue(answer) : refusalValue(answer, exchange)),
  });
