import type { Look } from './rule.js';

/** More than are judged at a time, and few enough that their probes are no burden. */
const most = 256;

/**
 * Makes a thing once for each key that is in use: rules ask for the same controls again and again, and a document may have
 * ten thousand operations.
 */
export const recently = <Key extends object, Made>(make: (key: Key) => Made): ((key: Key) => Made) => {
  const made = new Map<Key, Made>();
  return (key) => {
    const before = made.get(key);
    if (before !== undefined) return before;
    const now = make(key);
    if (made.size >= most) made.clear();
    made.set(key, now);
    return now;
  };
};

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
