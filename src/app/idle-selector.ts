import { type PlannedCheck, selects } from '../engine/plan.js';
import { nearestName } from '../names.js';

/**
 * Selectors that select no check: typing errors, without which a run would pass for the wrong
 * reason.
 */

interface IdleSelector {
  readonly selector: string;
  /** `did you mean …?`, or `''`. */
  readonly hint: string;
}

/** The first selector that selects none of the checks. */
export const idleSelector = (only: readonly string[], all: readonly PlannedCheck[]): IdleSelector | undefined => {
  const selector = only.find((each) => !all.some((check) => selects(each, check)));
  if (selector === undefined) return undefined;
  const meant = meantBy(selector, all);
  return { selector, hint: meant === undefined ? '' : `did you mean ${meant}?` };
};

/** The operation is compared alone if what stands before it selects checks, as `refuses-*` does. */
const meantBy = (selector: string, all: readonly PlannedCheck[]): string | undefined => {
  const [before = '', operation] = selector.split('@');
  const checks = operation === undefined ? [] : all.filter((check) => selects(`${before}@*`, check));
  const near = nearestName(
    operation ?? '',
    checks.map((check) => check.operation),
  );
  if (near !== undefined) return `${before}@${near}`;
  return nearestName(
    selector,
    all.flatMap((check) => [check.id, check.rule.id, `@${check.operation}`, ...check.rule.clauses]),
  );
};
