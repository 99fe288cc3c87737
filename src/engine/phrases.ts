import type { Finding } from './results.js';

/** Sentences that are remembered; a run whose sentences all differ gains nothing from more. */
const most = 5_000;

/** Holds once what thousands of findings say in the same words. */
export const createPhrases = (): ((finding: Finding) => Finding) => {
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
    ...(finding.note === undefined ? {} : { note: once(finding.note) }),
    ...(finding.expected === undefined ? {} : { expected: once(finding.expected) }),
    ...(finding.seen === undefined ? {} : { seen: once(finding.seen) }),
  });
};
