import type { Contract } from '../contract/model.js';
import { ProblemsError } from '../problems-error.js';
import { rules as shippedRules } from '../rules/index.js';
import type { Rule } from '../rules/rule.js';
import { firstOf } from '../words.js';

/** Rules that cannot be used as they are; a line each says which rule and why. */
export class RulesError extends ProblemsError {
  override readonly name = 'RulesError';
}

const problemsOf = (rule: Rule, contract: Contract): readonly string[] => {
  const named = [...rule.clauses, ...(rule.gaps ?? [])];
  const known = [...contract.clauses, ...contract.gaps].map(({ id }) => id);
  if (named.some((id) => known.includes(id))) return [];
  return [
    `${rule.id}: the contract has no ${named.join(' or ')}; it has ${firstOf(known, known.length)}, and a document adds clauses by x-access-clauses`,
  ];
};

/**
 * Checks rules that are not shipped against the contract: the run would pass without those that it
 * never applies.
 * @throws {RulesError} for an id that is there twice, and a rule without a clause or gap here
 */
export const checkOwnRules = (rules: readonly Rule[], contract: Contract): void => {
  const seen = new Set<string>();
  const problems = rules.flatMap((rule) => {
    const twice = seen.has(rule.id) ? [`${rule.id}: two rules have this id`] : [];
    seen.add(rule.id);
    return [...twice, ...(shippedRules.includes(rule) ? [] : problemsOf(rule, contract))];
  });
  if (problems.length > 0) throw new RulesError(problems);
};
