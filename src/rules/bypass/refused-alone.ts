import { because } from '../causes.js';
import { passed } from '../judgement.js';
import { aboutTheAsker, answerOf } from '../oracle/answers.js';
import { controlsOf } from '../oracle/controls.js';
import { isSame } from '../oracle/same.js';
import { isUsable, usable } from '../oracle/usable-controls.js';
import { rowsIn, viewIn } from '../oracle/view.js';
import type { Ask, Judgement, OperationSubject } from '../rule.js';

/**
 * The service itself fails; 502, 503 and 504 are an outage, behind which nobody knows what is
 * asked.
 */
const isOwnFailure = (status: number): boolean => status >= 500 && ![502, 503, 504].includes(status);

/** What such a judgement rests on. */
export const byRefusalAlone = (judgement: Judgement): Judgement => ({ ...judgement, cause: because('refusal-alone') });

/**
 * AUTH-3 where what the key opens fails (500, 501), so that there is no data to compare with. Who
 * sends no key or a random one is refused by a status that speaks of who asks, in one word or in two
 * ("missing", "wrong"), and the key gets past it, twice: the refusal is tied to the key. A body with
 * rows is no refusal.
 */
export const refusedAlone = (ask: Ask, subject: OperationSubject): Judgement | undefined => {
  const controls = controlsOf(ask, subject);
  if (isUsable(usable(controls))) return undefined;
  const [first, second] = controls.keyed.map(answerOf);
  const [anonymous, random, missing] = [controls.anonymous, controls.random, controls.missing].map(answerOf);
  if (!first || !second || !anonymous || !random) return undefined;
  const fails = first.status === second.status && isOwnFailure(first.status);
  const isRefused = [anonymous, random].every(
    ({ status, shape }) => aboutTheAsker.has(status) && rowsIn(viewIn(shape)).length === 0,
  );
  if (!fails || !isRefused) return undefined;
  // A wall in front of everything shows nothing of this operation, but it refuses all the same.
  const likeNowhere = missing !== undefined && isSame(anonymous, missing);
  return byRefusalAlone(
    passed(
      `Refused: ${anonymous.status}${likeNowhere ? ', as where nothing is' : ''}. A random key is refused too, and the key gets past it, to a failure of the service (${first.status}): judged by the refusal alone, since there is no data to compare with.`,
      [controls.anonymous],
      { comparedWith: controls.all },
    ),
  );
};
