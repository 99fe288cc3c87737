import type { Exchange } from '../../wire/types.js';
import { isSuccess } from '../oracle/answers.js';
import type { SeenFact } from '../rule.js';
import { answerValue, refusalValue, seenFact, summaryOf } from '../support/observation.js';

/** Id of the fact about how a key is answered after it has ended. */
export const endedKeyFactId = 'ended-key';

/** The fact about how a key is answered after it has ended. */
export const endedKeyFact = (reads: readonly [Exchange, ...Exchange[]]): SeenFact =>
  seenFact({
    gap: 'GAP-KEY-LIFE',
    id: endedKeyFactId,
    words: `With a key that has ended: ${summaryOf(reads[0])}.`,
    reads,
    shows: (answer, exchange) => (isSuccess(answer) ? answerValue(answer) : refusalValue(answer, exchange)),
  });
