import type { Contract } from '../contract/model.js';
import { type Plan, planOf, type Selectable, selects } from '../engine/plan.js';
import { deploymentOf } from '../engine/run.js';
import { keyPageChecks } from '../keypage/judge.js';
import { nearestName } from '../settings/did-you-mean.js';
import type { Target } from '../settings/target.js';
import { UsageError } from './command.js';
import { selectable } from './key-page.js';

/** Everything that a run would judge. No request is made, and no key is needed: traits are those of a usual key. */
export const wholePlan = (contract: Contract, target: Target): Plan =>
  planOf(
    contract,
    deploymentOf(
      target,
      Object.fromEntries(Object.keys(target.keys).map((name) => [name, { mixesCase: false }])),
      'plan',
    ),
  );

/**
 * Makes sure that every selector chooses something: one that chooses nothing is a typing error, and a run without it would be green for nothing.
 * @throws {UsageError} with the nearest names
 */
export const checkSelectors = (only: readonly string[], plan: Plan): void => {
  const pages = keyPageChecks.map(({ rule, clauses }) => selectable(rule, clauses));
  const all: readonly Selectable[] = [...plan.checks, ...pages];
  for (const selector of only) {
    if (all.some((check) => selects(selector, check))) continue;
    const names = all.flatMap((check) => [check.id, check.rule.id, `@${check.operation}`, ...check.rule.clauses]);
    const meant = nearestName(
      selector,
      [...new Set(names)].map((name) => ({ name })),
    );
    throw new UsageError(
      `--only ${selector} selects no check.`,
      `${meant ? `did you mean ${meant}? ` : ''}access-conformance list names every check`,
    );
  }
};
