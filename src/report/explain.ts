import type { Explanation } from '../rules/rule.js';

export type { Explanation };

/** Gives the text of a rule id, `undefined` for a rule that it does not know. */
export type Explain = (ruleId: string) => Explanation | undefined;
