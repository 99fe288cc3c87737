import { otherPlacements } from '../documented-request/key-placements.js';
import { controlsOf } from '../oracle/controls.js';
import { isUsable, usable } from '../oracle/usable-controls.js';
import { missingOf } from '../requests.js';
import type { Ask, OperationSubject } from '../rule.js';
import { type Bypass, readWithEnd } from './bypass.js';

/** Its name in the battery. */
export const takenShapes = 'a random key in a shape that the right one opens in';

/**
 * Where the right key opens the operation in another shape too, code of its own may take that
 * shape: a random key in it opens nothing.
 */
export const inTakenShapes = (
  ask: Ask,
  subject: OperationSubject,
  isChosen: (trick: string) => boolean,
): readonly Bypass[] => {
  if (!isChosen(takenShapes) || subject.operation.method === 'HEAD') return [];
  const controls = usable(controlsOf(ask, subject));
  if (!isUsable(controls)) return [];
  const placements = otherPlacements(subject).filter(({ isDocumented }) => isDocumented !== true);
  const answers = ask.all(placements.map(({ probe }) => probe('valid')));
  return placements.flatMap(({ words, probe }, index): readonly Bypass[] => {
    const exchange = answers[index];
    if (!exchange || readWithEnd(ask, exchange, controls, { resetRefuses: true }).verdict !== 'granted') return [];
    const random = probe('random');
    return [
      {
        words: `a random key as ${words}`,
        how: `with a random key as ${words}`,
        trick: takenShapes,
        probe: { ...random, name: `a random key as ${words}` },
        missing: () => missingOf(subject, random),
      },
    ];
  });
};
