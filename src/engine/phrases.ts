import type { Finding } from './results.js';

/** Sentences that are remembered; a run whose sentences all differ gains nothing from more. */
const mostSentences = 5_000;

/** Lists of exchanges that are remembered: those of the operations that are judged at the moment. */
const mostLists = 256;

/** Gives for each value the first one of the same name, as long as it is remembered. */
const remembering = <T>(most: number, nameOf: (value: T) => string): ((value: T) => T) => {
  const known = new Map<string, T>();
  return (value) => {
    const name = nameOf(value);
    const before = known.get(name);
    if (before !== undefined) return before;
    if (known.size >= most) known.clear();
    known.set(name, value);
    return value;
  };
};

/** Holds once what thousands of findings say in the same words, and what those of one operation were compared with. */
export const createPhrases = (): ((finding: Finding) => Finding) => {
  const once = remembering<string>(mostSentences, (text) => text);
  const onceList = remembering<readonly string[]>(mostLists, (ids) => ids.join());
  return (finding) => ({
    ...finding,
    reason: once(finding.reason),
    comparedWith: onceList(finding.comparedWith),
    ...(finding.note === undefined ? {} : { note: once(finding.note) }),
    ...(finding.expected === undefined ? {} : { expected: once(finding.expected) }),
    ...(finding.seen === undefined ? {} : { seen: once(finding.seen) }),
  });
};
