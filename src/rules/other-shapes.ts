import { isHealthy, unarmed, uncontrolled } from './battery.js';
import { blocked, excluded, inconclusive, lenient, listed, passed } from './judgements.js';
import { oncePerLook } from './once-per-look.js';
import { anonymousControls, controlsOf, keyedControl, keyedControls, usable } from './oracle/controls.js';
import { read as readAnswer } from './oracle/granted.js';
import { isArmed, read } from './probes.js';
import type { OperationRule, OperationSubject } from './rule.js';
import { nearlyTheKey, otherShapes, type Shape } from './shapes.js';
import { withKey } from './without-key.js';

/**
 * AUTH-1, AUTH-2: the whole key in another shape. Who sends it has the key, so granting it serves its owner: lenient,
 * never failed (RFC 9110 section 11.1 makes the scheme's case and 11.4 the number of spaces the client's choice).
 * White space around a field value is no other shape: it is not part of the value (RFC 9110 section 5.5).
 */
const rule = (
  words: Pick<OperationRule, 'id' | 'title' | 'clauses'>,
  healthRound: number,
  shapesOf: (subject: OperationSubject) => readonly Shape[],
): OperationRule => {
  const sentIn = oncePerLook((subject: OperationSubject) =>
    shapesOf(subject).map((shape) => ({ shape, probe: shape.probe('valid') })),
  );
  return {
    scope: 'operation',
    stage: 'shapes',
    appliesTo: withKey,
    ...words,
    probes: (subject) =>
      isArmed(subject)
        ? [
            ...anonymousControls(subject),
            ...keyedControls(subject),
            keyedControl(subject, healthRound),
            ...shapesOf(subject).map(({ probe }) => probe('valid')),
          ]
        : anonymousControls(subject),
    judge: (look, subject) => {
      if (!isArmed(subject)) return unarmed(subject);
      const controls = controlsOf(look, subject);
      const good = usable(controls);
      if (typeof good === 'string') return uncontrolled(subject, good, controls);
      if (readAnswer(good.anonymous, good).verdict === 'granted')
        return blocked(
          'It opens without any key, so it cannot be seen which shapes of one it takes.',
          [good.anonymous],
          {
            blockedBy: [`refuses-missing-key@${subject.operation.id}`],
            comparedWith: good.all,
          },
        );
      const shapes = sentIn(look, subject);
      if (shapes.length === 0) return excluded('No other shape fits the documented scheme.');
      const sent = look.all(shapes.map(({ probe }) => probe));
      const health = look(keyedControl(subject, healthRound));
      const comparedWith = [...good.all, health];
      const taken = shapes.flatMap(({ shape }, index) => {
        const exchange = sent[index];
        return exchange && readAnswer(exchange, good, { resetRefuses: true }).verdict === 'granted'
          ? [{ shape, exchange }]
          : [];
      });
      const [open] = taken.length > 0 ? look.inTurn([openingAgain(subject, healthRound)]) : [];
      if (open && readAnswer(open, good).verdict === 'granted')
        return blocked(
          'After the reads with the key it opens without any key, so it cannot be seen which shapes of one it takes.',
          [open],
          { blockedBy: [`refuses-leftovers@${subject.operation.id}`], comparedWith },
        );
      if (taken.length > 0)
        return lenient(
          `It also takes ${listed(
            taken.map(({ shape }) => shape.words),
            4,
          )}.`,
          taken.map(({ exchange }) => exchange),
          {
            comparedWith,
          },
        );
      if (!isHealthy(health, good))
        return inconclusive('Judging had to stop: after these requests the key no longer opened the operation.', sent, {
          comparedWith,
        });
      return passed(
        shapes.length === 1 ? 'The one other shape is not taken.' : `None of ${shapes.length} other shapes is taken.`,
        sent,
        { comparedWith },
      );
    },
  };
};

/** The read without a key once more, after reads with it: a cache or a session may have been left open. */
const openingAgain = (subject: OperationSubject, round: number) =>
  read(subject, { name: 'without a key, after reads with it', credential: 'none', round });

const shapesOf =
  (clause: Shape['clause']) =>
  (subject: OperationSubject): readonly Shape[] =>
    otherShapes(subject).filter((shape) => shape.clause === clause);

export const takesKeyNowhereElse = rule(
  { id: 'takes-key-nowhere-else', clauses: ['AUTH-1'], title: 'takes the key nowhere but in the documented place' },
  15,
  shapesOf('AUTH-1'),
);

export const takesNoOtherFormat = rule(
  { id: 'takes-no-other-format', clauses: ['AUTH-2'], title: 'takes the key in no other format' },
  16,
  (subject) => [...shapesOf('AUTH-2')(subject), ...nearlyTheKey(subject)],
);
