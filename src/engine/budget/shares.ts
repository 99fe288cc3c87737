import { groupBy } from '../../collections.js';
import type { Operation } from '../../contract/model.js';
import type { Check } from '../plan.js';
import { allot, type Budget, isUnspread } from './budget.js';
import { countRequests } from './count.js';

/** The first request of a run, which shows whether the service answers. */
const hello = 1;

export interface Sharing {
  readonly checks: readonly Check[];
  readonly operations: readonly Operation[];
  readonly budget: Budget & { readonly maxRequests: number };
}

/**
 * Divides `MAX_REQUESTS` among operations that are judged in separate runs, in proportion to the
 * planned requests of each. The shares add up to no more than the limit. An operation that the plan
 * leaves out gets 0.
 */
export const sharesOf = ({ checks, operations, budget }: Sharing): ReadonlyMap<string, number> => {
  const { assigned, unaffordable } = isUnspread(checks, budget)
    ? { assigned: undefined, unaffordable: new Set<string>() }
    : allot({ checks, operations, budget });
  const asking = groupBy(
    checks.filter(({ excluded }) => excluded === undefined),
    ({ operation }) => operation,
  );
  const costs = new Map<string, number>();
  for (const [id, own] of asking) costs.set(id, unaffordable.has(id) ? 0 : hello + countRequests(own, { assigned }));
  const whole = [...costs.values()].reduce((sum, cost) => sum + cost, 0);
  return new Map([...costs].map(([id, cost]) => [id, Math.floor((budget.maxRequests * cost) / Math.max(1, whole))]));
};
