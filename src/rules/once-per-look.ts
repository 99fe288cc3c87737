import type { Look } from './rule.js';

/** Makes a thing once for each time that something is judged: a judge is called again for every look that was open. */
export const oncePerLook = <Key extends object, Made>(
  make: (key: Key, look: Look) => Made,
): ((look: Look, key: Key) => Made) => {
  const made = new WeakMap<Look, { readonly key: Key; readonly now: Made }>();
  return (look, key) => {
    const before = made.get(look);
    if (before?.key === key) return before.now;
    const now = make(key, look);
    made.set(look, { key, now });
    return now;
  };
};
