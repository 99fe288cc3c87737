import { type Memoized, memoize } from '../collections.js';
import type { Ask } from './rule.js';

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
