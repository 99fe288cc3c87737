import { type Memoized, memoize } from '../../collections.js';
import type { Ask, OperationSubject, Slice } from '../rule.js';

/** Subjects of which something is kept: more than are judged at a time. */
export const mostAtATime = 64;

/**
 * Memoizes a value for judgements that ask in one way: a judge is called again for each probe that
 * was not sent yet, and judges of one subject rest on the same answers.
 */
export const oncePerJudgement = <Key extends object, Made>(
  make: (key: Key, ask: Ask) => Made,
): ((ask: Ask, key: Key) => Made) => {
  const made = new WeakMap<Ask, Memoized<Key, Made>>();
  return (ask, key) => {
    const known = made.get(ask) ?? memoize((one: Key) => make(one, ask), mostAtATime);
    made.set(ask, known);
    return known(key);
  };
};

/** The same for each part of an operation's battery. */
export const oncePerSlice = <Made>(
  make: (subject: OperationSubject, ask: Ask, slice: Slice | undefined) => Made,
): ((ask: Ask, subject: OperationSubject, slice: Slice | undefined) => Made) => {
  const made = oncePerJudgement((subject: OperationSubject, ask) =>
    memoize((slice: Slice | undefined) => make(subject, ask, slice)),
  );
  return (ask, subject, slice) => made(ask, subject)(slice);
};
