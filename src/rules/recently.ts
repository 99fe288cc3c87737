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
