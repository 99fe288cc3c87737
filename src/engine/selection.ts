import type { Rule } from '../rules/rule.js';
import { wildcard } from '../wildcard.js';

/** Which checks to plan: selectors of which at least one has to match, or a predicate. */
export type Selection = readonly string[] | ((check: Selectable) => boolean);

export const isSelected = (only: Selection, one: Selectable): boolean =>
  typeof only === 'function' ? only(one) : only.some((selector) => selects(selector, one));

/** The members of a check that selectors match. */
export interface Selectable {
  readonly id: string;
  readonly operation: string;
  readonly rule: Pick<Rule, 'id' | 'clauses' | 'gaps'>;
}

/**
 * Whether a selector matches: `AUTH-3`, `refuses-missing-key`, `refuses-missing-key@listWorkouts`,
 * `@listWorkouts`. `*` matches any characters.
 */
export const selects = (selector: string, { id, rule, operation }: Selectable): boolean => {
  const pattern = wildcard(selector, 'is');
  const names = [id, rule.id, `@${operation}`, ...rule.clauses, ...(rule.gaps ?? [])];
  return names.some((name) => pattern.test(name));
};
