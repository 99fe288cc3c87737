import { type Memoized, memoize } from '../../collections.js';
import type { Ask, OperationSubject, Slice } from '../rule.js';

/** Caches what judges compute, since a judge is called again whenever a probe was sent. */

/** Half of the size of a cache: as many operations as the engine judges together at first. */
export const mostAtATime = 24;

/**
 * Caches a value for each `ask` and key. A judge is called again whenever a probe was sent, and the
 * judges of one subject need the same values.
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

/** Caches a value for each `ask`, operation and part of its battery. */
export const oncePerSlice = <Made>(
  make: (subject: OperationSubject, ask: Ask, slice: Slice | undefined) => Made,
): ((ask: Ask, subject: OperationSubject, slice: Slice | undefined) => Made) => {
  const made = oncePerJudgement((subject: OperationSubject, ask) =>
    memoize((slice: Slice | undefined) => make(subject, ask, slice)),
  );
  return (ask, subject, slice) => made(ask, subject)(slice);
};
