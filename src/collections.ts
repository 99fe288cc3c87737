/** What every folder may use; it knows of none. */

/** Things by the name that each has, in the order of first appearance. */
export const groupBy = <T>(all: Iterable<T>, nameOf: (one: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const name = nameOf(one);
    const group = groups.get(name);
    if (group) group.push(one);
    else groups.set(name, [one]);
  }
  return groups;
};

/** Looks up what was made of a key not long ago, and makes what was not. */
export interface Memoized<Key, Made> {
  (key: Key): Made;
  /** Everything is made anew from now on. */
  forget(): void;
}

/**
 * Makes a thing once for each key that is in use.
 * @param make gives something else than `undefined`
 * @param most things that are remembered; with one more, none is. As it stands: more than are judged at a time, and few enough to be no burden.
 */
export const memoize = <Key, Made>(make: (key: Key) => Made, most = 256): Memoized<Key, Made> => {
  const known = new Map<Key, Made>();
  const lookUp = (key: Key): Made => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const made = make(key);
    if (known.size >= most) known.clear();
    known.set(key, made);
    return made;
  };
  return Object.assign(lookUp, { forget: () => known.clear() });
};

/** Makes a thing once, when it is first asked for. */
export const lazy = <Made>(make: () => Made): (() => Made) => {
  let made: { readonly value: Made } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** Makes a thing once for each object, and forgets it with the object. `make` gives something else than `undefined`. */
export const memoizePerObject = <Key extends object, Made>(make: (key: Key) => Made): ((key: Key) => Made) => {
  const made = new WeakMap<Key, Made>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
};
