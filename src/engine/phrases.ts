import type { Finding } from './results.js';

/** Sentences that are remembered; a run whose sentences all differ gains nothing from more. */
const most = 5_000;

/** Lists of exchanges that are remembered: those of the operations that are judged at the moment. */
const mostLists = 256;

/** Holds once what thousands of findings say in the same words, and what those of one operation were compared with. */
export const createPhrases = (): ((finding: Finding) => Finding) => {
  const lists = new Map<string, readonly string[]>();
  const onceList = (ids: readonly string[]): readonly string[] => {
    const name = ids.join();
    const before = lists.get(name);
    if (before !== undefined) return before;
    if (lists.size >= mostLists) lists.clear();
    lists.set(name, ids);
    return ids;
  };
  const known = new Map<string, string>();
  const once = (text: string): string => {
    const before = known.get(text);
    if (before !== undefined) return before;
    if (known.size < most) known.set(text, text);
    return text;
  };
  return (finding) => ({
    ...finding,
    reason: once(finding.reason),
    comparedWith: onceList(finding.comparedWith),
    ...(finding.note === undefined ? {} : { note: once(finding.note) }),
    ...(finding.expected === undefined ? {} : { expected: once(finding.expected) }),
    ...(finding.seen === undefined ? {} : { seen: once(finding.seen) }),
  });
};
