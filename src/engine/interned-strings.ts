import type { Finding } from './results.js';

/** Cache size for strings. */
const mostStrings = 5_000;

/** Cache size for lists of exchange ids: enough for the operations that are judged at one time. */
const mostLists = 256;

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

/**
 * Interns the repeated strings and lists of findings to save memory: thousands of findings share a
 * few sentences.
 */
export const createInterner = (): ((finding: Finding) => Finding) => {
  const text = interner<string>(mostStrings, (value) => value);
  const cause = interner<NonNullable<Finding['cause']>>(mostStrings, (value) => JSON.stringify(value));
  const asked = interner<NonNullable<Finding['asked']>>(mostLists, (value) => JSON.stringify(value));
  const headline = interner<NonNullable<Finding['headline']>>(mostStrings, (value) => JSON.stringify(value));
  const list = interner<readonly string[]>(mostLists, (ids) => ids.join());
  return (finding) => ({
    ...finding,
    reason: text(finding.reason),
    ...(finding.cause === undefined ? {} : { cause: cause(finding.cause) }),
    ...(finding.asked === undefined ? {} : { asked: asked(finding.asked) }),
    ...(finding.headline === undefined ? {} : { headline: headline(finding.headline) }),
    comparedWith: list(finding.comparedWith),
    ...(finding.note === undefined ? {} : { note: text(finding.note) }),
    ...(finding.expected === undefined ? {} : { expected: text(finding.expected) }),
    ...(finding.seen === undefined ? {} : { seen: text(finding.seen) }),
  });
};
