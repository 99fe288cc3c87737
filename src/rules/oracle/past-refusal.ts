import type { Response } from '../../wire/types.js';
import { answerOf, authStatuses, isRedirect, isSuccess, isUnavailable } from './answers.js';
import type { Controls } from './controls.js';
import { isOfOneForm, isSame, volatileIn } from './same.js';
import { isFormatted, rowsIn, viewIn } from './view.js';

/** The refusal that clients without the key get, and the answer that the key gets instead. */
interface PastRefusal {
  readonly refusal: Response;
  readonly answer: Response;
}

/**
 * Whether an error is about the operation and not about the key: it is a server error of the
 * service itself, or a missing path gets another answer. During an outage the missing path gets the
 * same.
 */
const isAboutOperation = (answer: Response, nowhere: Response | undefined): boolean =>
  (answer.status >= 500 && !isUnavailable(answer)) || (nowhere !== undefined && !isSame(answer, nowhere));

/**
 * Whether the key gets past the refusal although it opens nothing.
 *
 * Without a key and with a random one, the answer is 401 or 403; with the key it is another status,
 * twice, or another body where the key is known to be good. So the refusal depends on the key. The
 * two refusals may have different statuses ("missing", "wrong"). If they have rows with numbers,
 * times or ids, they may be data and do not count.
 */
export const pastRefusal = (controls: Controls): PastRefusal | undefined => {
  const [first, second, nowhere] = [...controls.keyed, controls.keyedMissing].map(answerOf);
  const [refusal, random] = [controls.anonymous, controls.random].map(answerOf);
  if (!first || !second || !refusal || !random || first.status !== second.status) return undefined;
  if (isSuccess(first) || isRedirect(first) || first.status === 429 || first.status === 407) return undefined;
  const isAsKeyed = (answer: Response): boolean =>
    answer.status === first.status &&
    (isSame(first, answer, volatileIn(first, second)) || !controls.elsewhere.takesTheKey());
  const isRefused = [refusal, random].every(
    (answer) =>
      authStatuses.has(answer.status) &&
      !isAsKeyed(answer) &&
      rowsIn(viewIn(answer.shape)).every(({ all }) => !all.some(isFormatted)),
  );
  return isRefused && isAboutOperation(first, nowhere) ? { refusal, answer: first } : undefined;
};

/**
 * Whether the server reads the key where the document has it: with the key the answer has a status
 * or structure, twice, that it has neither without a key nor with a random one in that place.
 */
export const isKeyRead = ({ keyed, anonymous, random }: Controls): boolean => {
  const [first, second, ...others] = [...keyed, anonymous, random].map(answerOf);
  const isLike = (one: Response | undefined): boolean =>
    one !== undefined && first?.status === one.status && isOfOneForm(first.shape, one.shape);
  return isLike(second) && others.every((other) => other !== undefined && !isLike(other));
};
