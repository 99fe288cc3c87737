import type { Finding, Observation } from './results.js';

/** Cache size for strings and for values that hold them. */
const mostStrings = 5_000;

/**
 * Cache size for what operations have of their own: enough for those that are judged at one time.
 */
const mostOfOperations = 256;

/** Returns, for equal values, the first one that was seen. The cache is cleared when it is full. */
const interner = <T>(most: number, nameOf: (value: T) => string): ((value: T) => T) => {
  const known = new Map<string, T>();
  return (value) => {
    const name = nameOf(value);
    const first = known.get(name);
    if (first !== undefined) return first;
    if (known.size >= most) known.clear();
    known.set(name, value);
    return value;
  };
};

/** Keeps what repeats in findings and observations once. */
export interface Interner {
  readonly finding: (finding: Finding) => Finding;
  readonly observation: (observation: Observation) => Observation;
}

/**
 * Interns the repeated strings, lists and values of findings to save memory: thousands of them
 * share a few sentences.
 */
export const createInterner = (): Interner => {
  const text = interner<string>(mostStrings, (value) => value);
  const cause = interner<NonNullable<Finding['cause']>>(mostStrings, (value) => JSON.stringify(value));
  const asked = interner<NonNullable<Finding['asked']>>(mostOfOperations, (value) => JSON.stringify(value));
  const headline = interner<NonNullable<Finding['headline']>>(mostStrings, (value) => JSON.stringify(value));
  const fact = interner<NonNullable<Observation['value']>>(mostOfOperations, (value) => JSON.stringify(value));
  const ids = interner<readonly string[]>(mostOfOperations, (list) => list.join());
  return {
    finding: (finding) => {
      const kept: { -readonly [Name in keyof Finding]: Finding[Name] } = { ...finding };
      kept.reason = text(finding.reason);
      kept.exchanges = ids(finding.exchanges);
      kept.comparedWith = ids(finding.comparedWith);
      if (kept.cause) kept.cause = cause(kept.cause);
      if (kept.asked) kept.asked = asked(kept.asked);
      if (kept.headline) kept.headline = headline(kept.headline);
      if (kept.note !== undefined) kept.note = text(kept.note);
      if (kept.expected !== undefined) kept.expected = text(kept.expected);
      if (kept.seen !== undefined) kept.seen = text(kept.seen);
      return kept;
    },
    observation: (observation) => ({
      ...observation,
      fact: text(observation.fact),
      ...(observation.value === undefined || observation.value === null ? {} : { value: fact(observation.value) }),
      exchanges: ids(observation.exchanges),
    }),
  };
};
