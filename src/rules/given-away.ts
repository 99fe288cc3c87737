import type { Exchange } from '../wire/types.js';
import { because } from './causes.js';
import { failed } from './judgement.js';
import { answerOf } from './oracle/answers.js';
import { controlsOf } from './oracle/controls.js';
import { again, canSendKey } from './requests.js';
import type { Ask, Judgement, OperationSubject } from './rule.js';

const givesKey = (exchange: Exchange): boolean => answerOf(exchange)?.givesKey === true;

/**
 * A key that another answer gives to anybody opens what it opens to anybody: the answer of a path
 * that does not exist, of the base path, or of a public operation. What the operation itself answers
 * is read by the table.
 */
export const orGivenAway = (judgement: Judgement, ask: Ask, subject: OperationSubject): Judgement => {
  if (judgement.outcome === 'failed' || !canSendKey(subject)) return judgement;
  const { missing, otherMissing, base, publics, all } = controlsOf(ask, subject);
  const places = [
    ...[missing, otherMissing].map((exchange) => ({ exchange, words: 'a path that does not exist' })),
    { exchange: base, words: 'the base path' },
    ...publics.map((exchange) => ({ exchange, words: `the public ${exchange.probe.operation}` })),
  ];
  const found = places.find(({ exchange }) => givesKey(exchange) && givesKey(ask(again(exchange.probe))));
  if (!found) return judgement;
  return failed(
    because('gives-the-key', found.words),
    `The answer of ${found.words} holds the key itself, and nothing of it was sent: anybody can read it there, and use it.`,
    [found.exchange],
    { expected: 'no answer that holds the key', comparedWith: all },
  );
};
