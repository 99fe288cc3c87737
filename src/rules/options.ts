import type { BodyFacts } from '../wire/facts.js';
import { followedElsewhere, type Trick } from './battery.js';
import { isSuccess, sameAnswer } from './oracle/compare.js';
import { answerOf, publicOperations } from './oracle/controls.js';
import { type Reading, read as readAnswer } from './oracle/granted.js';
import { outlineOf } from './oracle/outline.js';
import { structureOf } from './oracle/structure.js';
import { missingOf, read } from './probes.js';
import type { OperationSubject } from './rule.js';

/**
 * OPTIONS asks what may be asked (RFC 9110, section 9.3.7), and a route that takes every method serves the data to it. Most
 * frameworks answer it by themselves, whoever asks: with nothing, with an empty list or object, with a description of the
 * resource. None of these is what the key opens, however much an empty list looks like one.
 */
export const optionsTrick = (subject: OperationSubject): Trick => {
  const probe = read(subject, { name: 'OPTIONS, without a key', credential: 'none', method: 'OPTIONS' });
  const missing = missingOf(subject, probe);
  return {
    words: 'an OPTIONS request without a key',
    probe,
    missing: () => missing,
    readWith: (look, exchange, controls) => {
      const reading = readAnswer(exchange, controls, {
        followed: followedElsewhere(look, exchange, controls),
        resetRefuses: true,
      });
      const answer = answerOf(exchange);
      if (!answer || !isSuccess(answer)) return reading;
      const refused = (seen: string): Reading => ({ verdict: 'refused', seen: `${answer.status} to OPTIONS, ${seen}` });
      if (reading.verdict === 'refused') return refused('unlike with the key');
      const [keyed, second, seen] = [controls.first, controls.second, answer].map(({ facts }) => facts.shape);
      if (reading.verdict === 'unclear' && keyed && second && seen && structureOf(keyed, second, seen) === 'other')
        return refused('with a description');
      const { values, parts = [] } = answer.facts;
      if ([...values, ...parts].some((value) => controls.protectedValues.has(value))) return reading;
      if (isEmpty(answer.facts)) return refused('with nothing in it');
      const elsewhere = publicOperations(subject)
        .slice(0, 1)
        .map((operation) =>
          read({ ...subject, operation }, { ...open, name: `OPTIONS of the public ${operation.id}` }),
        );
      return look.all([missing, ...elsewhere]).some((other) => {
        const there = answerOf(other);
        return there !== undefined && sameAnswer(there, answer);
      })
        ? refused('as elsewhere')
        : reading;
    },
  };
};

const isEmpty = ({ kind, shape }: BodyFacts): boolean => {
  if (!shape) return kind === 'empty';
  const { scalars, lists } = outlineOf(shape);
  return scalars.size === 0 && [...lists.values()].every((items) => items.length === 0);
};

const open = { credential: 'none', method: 'OPTIONS' } as const;
