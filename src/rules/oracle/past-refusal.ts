import type { Response } from '../../wire/types.js';
import { aboutTheAsker, answerOf, isRedirect, isSuccess, isUnavailable } from './answers.js';
import type { Controls } from './controls.js';
import { isSame } from './same.js';
import { isMute, rowsIn, viewIn } from './view.js';

/** What nobody gets, and what the key gets. */
export interface PastRefusal {
  readonly refusal: Response;
  readonly answer: Response;
}

/**
 * A failure of the service itself. Other answers speak of the operation only if a missing path gets
 * another one.
 */
const speaksOfOperation = (answer: Response, nowhere: Response | undefined): boolean =>
  answer.status >= 500 ? !isUnavailable(answer) : nowhere !== undefined && !isSame(answer, nowhere);

/**
 * Where the key opens nothing, and gets past what refuses others all the same: a request with no
 * key or a random one is refused by a status that speaks of who asks, in one word or in two
 * ("missing", "wrong"), and the key gets another status, twice. So the refusal is tied to the key.
 * Rows with numbers, times or ids in them are no words of a refusal.
 */
export const pastRefusal = (controls: Controls): PastRefusal | undefined => {
  const [first, second, nowhere] = [...controls.keyed, controls.keyedMissing].map(answerOf);
  const [refusal, random] = [controls.anonymous, controls.random].map(answerOf);
  if (!first || !second || !refusal || !random || first.status !== second.status) return undefined;
  if (isSuccess(first) || isRedirect(first) || first.status === 429 || first.status === 407) return undefined;
  const isRefused = [refusal, random].every(
    ({ status, shape }) =>
      aboutTheAsker.has(status) &&
      status !== first.status &&
      rowsIn(viewIn(shape)).every(({ all }) => !all.some(isMute)),
  );
  return isRefused && speaksOfOperation(first, nowhere) ? { refusal, answer: first } : undefined;
};
