import { because } from '../causes.js';
import { passed } from '../judgement.js';
import { answerOf } from '../oracle/answers.js';
import { controlsOf } from '../oracle/controls.js';
import { pastRefusal } from '../oracle/past-refusal.js';
import { isSame } from '../oracle/same.js';
import { isUsable, usable } from '../oracle/usable-controls.js';
import type { Ask, Judgement, OperationSubject } from '../rule.js';

/** What such a judgement rests on. */
export const byRefusalAlone = (judgement: Judgement): Judgement => ({ ...judgement, cause: because('refusal-alone') });

/**
 * AUTH-3 where the key opens nothing (400, 403, 500), so that there is no data to compare with, and
 * gets past what refuses others.
 */
export const refusedAlone = (ask: Ask, subject: OperationSubject): Judgement | undefined => {
  const controls = controlsOf(ask, subject);
  if (isUsable(usable(controls))) return undefined;
  const past = pastRefusal(controls);
  if (!past) return undefined;
  const { refusal, answer } = past;
  // A wall in front of everything shows nothing of this operation, but it refuses all the same.
  const missing = answerOf(controls.missing);
  const likeNowhere = missing !== undefined && isSame(refusal, missing);
  const what = answer.status >= 500 ? 'a failure of the service' : 'another answer';
  return byRefusalAlone(
    passed(
      `Refused: ${refusal.status}${likeNowhere ? ', as where nothing is' : ''}. A random key is refused too, and the key gets past it, to ${what} (${answer.status}): judged by the refusal alone, since there is no data to compare with.`,
      [controls.anonymous],
      { comparedWith: controls.all },
    ),
  );
};
