import type { Explanation } from '../rules/rule.js';

export type { Explanation };

/** Gives the text of a rule id, `undefined` for a rule that it does not know. */
export type Explain = (ruleId: string) => Explanation | undefined;

export const explanationParts = ({ asks, sends, judged, causes, fixes }: Explanation) =>
  [
    ['What it asks', asks],
    ['What is sent', sends],
    ['How it is judged', judged],
    ['What usually causes a failure', causes],
    ['How servers fix it', fixes],
  ] as const;
