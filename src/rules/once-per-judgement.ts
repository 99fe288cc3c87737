import type { Ask } from './rule.js';

/**
 * Memoizes a value for one judgement: a judge is called again for each probe that was not sent yet.
 */
export const oncePerJudgement = <Key extends object, Made>(
  make: (key: Key, ask: Ask) => Made,
): ((ask: Ask, key: Key) => Made) => {
  const made = new WeakMap<Ask, { readonly key: Key; readonly now: Made }>();
  return (ask, key) => {
    const before = made.get(ask);
    if (before?.key === key) return before.now;
    const now = make(key, ask);
    made.set(ask, { key, now });
    return now;
  };
};
