import { allKeyPageChecks } from '../app/key-page.js';
import { planWithoutKeys } from '../app/prepare.js';
import type { Contract } from '../contract/model.js';
import { nearestName } from '../did-you-mean.js';
import { type Selectable, selects } from '../engine/plan.js';
import type { Target } from '../settings/target.js';
import { UsageError } from './command.js';

/**
 * Makes sure that every selector selects a check. One that selects none is a typing error, and a
 * run without its checks would pass for the wrong reason.
 * @throws {UsageError} with the nearest names
 */
export const checkSelectors = (
  only: readonly string[],
  { contract, target }: { readonly contract: Contract; readonly target: Target },
): void => {
  const all: readonly Selectable[] = [...planWithoutKeys(contract, target), ...allKeyPageChecks];
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
