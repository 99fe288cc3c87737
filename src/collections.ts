/** Small helpers for every folder. */

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object without the members that are `undefined`: those that may be are optional. */
type Present<Members> = {
  [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
} & {
  [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<Members[Name], undefined>;
};

/** The members of an object that are not `undefined`, in their order. */
export const present = <const Members extends object>(members: Members): Present<Members> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<Members>;

/** Groups items by a key, in the order of first appearance. */
export const groupBy = <T, Key>(all: Iterable<T>, keyOf: (one: T) => Key): Map<Key, T[]> => {
  const groups = new Map<Key, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return groups;
};

/** The items that are not known, where the same key may be known as often as it is listed. */
export const beyond = <T, Key>(all: readonly T[], known: readonly Key[], keyOf: (one: T) => Key): readonly T[] => {
  const left = [...known];
  return all.filter((one) => {
    const at = left.indexOf(keyOf(one));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
};

/** The pairs in a list of names and values in turn. */
export const pairsIn = <T>(flat: readonly T[]): [name: T, value: T][] => {
  const pairs: [T, T][] = [];
  flat.forEach((value, index) => {
    const name = flat[index - 1];
    if (index % 2 === 1 && name !== undefined) pairs.push([name, value]);
  });
  return pairs;
};

/** The words of a text: a list that is read in lines. */
export const wordsIn = (text: string): readonly string[] => text.trim().split(/\s+/);

/** What is in each of the sets. */
export const intersection = <T>(sets: readonly ReadonlySet<T>[]): ReadonlySet<T> => {
  const [first, ...others] = sets;
  return new Set([...(first ?? [])].filter((one) => others.every((set) => set.has(one))));
};

export const sum = (numbers: Iterable<number>): number => {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
};

/** A value that is plain data, with every text in it changed. */
export const withTexts = <T>(value: T, change: (text: string, name: string) => string): T =>
  JSON.parse(JSON.stringify(value), (name, member: unknown) =>
    typeof member === 'string' ? change(member, name) : member,
  ) as T;

/** The result of `work`; `undefined` if it throws. */
export const orUndefined = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch {
    return undefined;
  }
};

/** A function that caches its results. */
export interface Memoized<Key, Made> {
  (key: Key): Made;
  /** Clears the cache. */
  forget(): void;
}

/**
 * Caches the results of a function by key. What was not used while `most` others were made is
 * dropped.
 * @param make must not return `undefined`
 * @param most half of the size of the cache
 */
export const memoize = <Key, Made>(make: (key: Key) => Made, most = 128): Memoized<Key, Made> => {
  let recent = new Map<Key, Made>();
  let older: Map<Key, Made> | undefined;
  const keep = (key: Key, made: Made): Made => {
    if (recent.size >= most) {
      older = recent;
      recent = new Map();
    }
    recent.set(key, made);
    return made;
  };
  const lookUp = (key: Key): Made => {
    const known = recent.get(key);
    if (known !== undefined) return known;
    const before = older?.get(key);
    return keep(key, before === undefined ? make(key) : before);
  };
  const forget = (): void => {
    recent.clear();
    older = undefined;
  };
  return Object.assign(lookUp, { forget });
};

/** Computes a value when it is first needed. */
export const lazy = <Made>(make: () => Made): (() => Made) => {
  let made: { readonly value: Made } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/**
 * Caches a result for each object, as long as the object lives.
 * @param make must not return `undefined`
 */
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

/** The same for each pair of objects. */
export const memoizePerPair = <One extends object, Other extends object, Made>(
  make: (one: One, other: Other) => Made,
): ((one: One, other: Other) => Made) => {
  const madeFor = memoizePerObject((one: One) => memoizePerObject((other: Other) => make(one, other)));
  return (one, other) => madeFor(one)(other);
};

/** Compares texts by their code units, for `sort`. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Runs `work` for every item, at most `most` at a time. */
export const forEachAtMost = async <T>(
  most: number,
  all: readonly T[],
  work: (one: T) => Promise<void>,
): Promise<void> => {
  const next = all.values();
  const lane = async (): Promise<void> => {
    for (const one of next) await work(one);
  };
  await Promise.all(Array.from({ length: most }, lane));
};

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** The same value with the members of every object sorted by name. */
export const canonical = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => byText(a, b))
      .map(([name, inner]) => [name, canonical(inner)]),
  );
};

/** The same text for equal values, whatever the order of their members. */
export const canonicalText = (value: Json): string => JSON.stringify(canonical(value));
