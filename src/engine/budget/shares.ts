import { groupBy } from '../../collections.js';
import type { Operation } from '../../contract/model.js';
import type { Check } from '../plan.js';
import { allot, type Budget, isUnspread } from './budget.js';
import { countRequests } from './count.js';

/** A run's first request, which shows whether anything answers. */
const hello = 1;

export interface Sharing {
  readonly checks: readonly Check[];
  readonly operations: readonly Operation[];
  readonly budget: Budget & { readonly maxRequests: number };
  /** Other parts of the run, each with the operation that costs about as much. */
  readonly beside?: ReadonlyMap<string, string> | undefined;
}

/**
 * What each operation may send of `MAX_REQUESTS` where each is judged in a run of its own: its part
 * of what the plan of the whole contract sends. Together they send no more than the limit. 0 for an
 * operation that the plan leaves out.
 */
export const sharesOf = ({ checks, operations, budget, beside = new Map() }: Sharing): ReadonlyMap<string, number> => {
  const { assigned, unaffordable } = isUnspread(checks, budget)
    ? { assigned: undefined, unaffordable: new Set<string>() }
    : allot({ checks, operations, budget });
  const asking = groupBy(
    checks.filter(({ excluded }) => excluded === undefined),
    ({ operation }) => operation,
  );
  const costs = new Map<string, number>();
  for (const [id, own] of asking) costs.set(id, unaffordable.has(id) ? 0 : hello + countRequests(own, { assigned }));
  for (const [part, id] of beside) costs.set(part, costs.get(id) ?? 0);
  const whole = [...costs.values()].reduce((sum, cost) => sum + cost, 0);
  return new Map([...costs].map(([id, cost]) => [id, Math.floor((budget.maxRequests * cost) / Math.max(1, whole))]));
};
