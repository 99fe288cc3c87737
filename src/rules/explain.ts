import { rules as shippedRules } from './index.js';
import type { Explanation, Rule } from './rule.js';

/** The explanations by rule id. */
export const explanationsOf = (rules: readonly Rule[]): ReadonlyMap<string, Explanation> =>
  new Map(rules.map(({ id, explanation }) => [id, explanation]));

export const explanations = explanationsOf(shippedRules);

export const explain = (ruleId: string): Explanation | undefined => explanations.get(ruleId);
