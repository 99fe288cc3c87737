import { counted } from '../words.js';
import { unarmed, uncontrolled } from './battery.js';
import { type ReadWith, readWithEnd } from './bypass.js';
import { readHeadOperation } from './head.js';
import { blocked, excluded, inconclusive, lenient, listed, passed } from './judgements.js';
import { oncePerLook } from './once-per-look.js';
import { answerOf, isSuccess } from './oracle/answers.js';
import {
  after,
  anonymousControls,
  controlsOf,
  healthRead,
  isHealthy,
  isUsable,
  keyedControls,
  usable,
} from './oracle/controls.js';
import { isSame } from './oracle/same.js';
import { isArmed, missingOf, read } from './probes.js';
import type { OperationSubject, Procedure, RuleWords } from './rule.js';
import { otherShapes, type Shape } from './shapes.js';

/**
 * AUTH-1, AUTH-2: the whole key in another shape. Who sends it has the key, so granting it serves its owner: lenient,
 * never failed (RFC 9110 section 11.1 makes the scheme's case and 11.4 the number of spaces the client's choice).
 * White space around a field value is no other shape: it is not part of the value (RFC 9110 section 5.5).
 */
export const takesNone =
  (shapesOf: (subject: OperationSubject) => readonly Shape[]) =>
  (rule: RuleWords): Procedure<OperationSubject> => {
    const sentIn = oncePerLook((subject: OperationSubject) =>
      shapesOf(subject).map((shape) => ({ shape, probe: shape.probe('valid') })),
    );
    return {
      probes: (subject) =>
        isArmed(subject)
          ? [
              ...anonymousControls(subject),
              ...keyedControls(subject),
              healthRead(subject, rule),
              ...shapesOf(subject).map(({ probe }) => probe('valid')),
            ]
          : anonymousControls(subject),
      judge: (look, subject) => {
        if (!isArmed(subject)) return unarmed(subject);
        const controls = controlsOf(look, subject);
        const good = usable(controls);
        if (!isUsable(good)) return uncontrolled(subject, good.words, controls);
        if (readWithEnd(look, good.anonymous, good).verdict === 'granted')
          return blocked(
            'It opens without any key, so it cannot be seen which shapes of one it takes.',
            [good.anonymous],
            {
              blockedBy: [`refuses-missing-key@${subject.operation.id}`],
              comparedWith: good.all,
            },
          );
        const readShape = subject.operation.method === 'HEAD' ? readHeadOperation : readAnyShape(subject);
        const shapes = sentIn(look, subject);
        if (shapes.length === 0) return excluded('No other shape fits the documented scheme.');
        const sent = look.all(shapes.map(({ probe }) => probe));
        const health = look(healthRead(subject, rule));
        const comparedWith = [...good.all, health];
        const taken = shapes.flatMap(({ shape }, index) => {
          const exchange = sent[index];
          return exchange && readShape(look, exchange, good).verdict === 'granted' ? [{ shape, exchange }] : [];
        });
        const unclear = sent.filter((exchange) => {
          const answer = answerOf(exchange);
          return answer !== undefined && isSuccess(answer) && readShape(look, exchange, good).verdict === 'unclear';
        });
        const [open] = taken.length > 0 ? look.inTurn([openingAgain(subject, after(rule))]) : [];
        if (open && readWithEnd(look, open, good).verdict === 'granted')
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
          return inconclusive(
            'Judging had to stop: after these requests the key no longer opened the operation.',
            sent,
            {
              comparedWith,
            },
          );
        if (unclear.length > 0)
          return inconclusive(
            `Of ${counted(shapes.length, 'other shape')}, ${unclear.length} got an answer that cannot be told from what the key opens.`,
            unclear,
            { comparedWith },
          );
        return passed(
          shapes.length === 1 ? 'The one other shape is not taken.' : `None of ${shapes.length} other shapes is taken.`,
          sent,
          { comparedWith },
        );
      },
    };
  };

/**
 * Odd forms of the key that get the connection closed each time are refused. An empty answer, as the key gets, is the
 * operation's where the same shape gets another one at a path that does not exist.
 */
const readAnyShape =
  (subject: OperationSubject): ReadWith =>
  (look, exchange, controls) => {
    const reading = readWithEnd(look, exchange, controls, { resetRefuses: true });
    const answer = answerOf(exchange);
    if (reading.line !== 0 || !answer) return reading;
    const nowhere = answerOf(look(missingOf(subject, exchange.probe)));
    const missingDiffers = nowhere !== undefined && !isSame(nowhere, answer, controls.background.volatile);
    return readWithEnd(look, exchange, controls, { resetRefuses: true, missingDiffers });
  };

/** The read without a key once more, after reads with it: a cache or a session may have been left open. */
const openingAgain = (subject: OperationSubject, occasion: string) =>
  read(subject, { name: 'without a key, after reads with it', credential: 'none', occasion });

/** Other shapes of the key, by the clause that speaks of them. */
export const shapesOf =
  (clause: Shape['clause']) =>
  (subject: OperationSubject): readonly Shape[] =>
    otherShapes(subject).filter((shape) => shape.clause === clause);
