import { groupBy, sum } from '../../collections.js';
import type { Operation } from '../../contract/model.js';
import { isBetweenReads } from '../../rules/bypass/bypass-rule.js';
import type { Target } from '../../settings/target.js';
import type { Exchange } from '../../wire/types.js';
import type { Check } from '../plan.js';
import { type Gate, gatesOf } from './gates.js';
import { countRequests, estimatedRequests } from './request-counts.js';
import {
  type ArmedCheck,
  type Assigned,
  armedChecksOf,
  essentialTricks,
  leastCopies,
  spreadTricks,
} from './spread-tricks.js';

/**
 * What a run sends within PROBES and MAX_REQUESTS: the essential requests of every operation, then
 * tricks.
 */

/** `PROBES=auto` spreads plans with more requests than this. */
export const mostUnspread = 2_000;

/** The share of `MAX_REQUESTS` that a plan may use. The rest is for second tries and retries. */
const plannedPart = 0.9;

export type Budget = Pick<Target, 'probes' | 'maxRequests'>;

/** What a run sends: the tricks of each check, and the operations that are not asked. */
export interface Allotment {
  readonly gates: readonly Gate[];
  readonly armed: readonly ArmedCheck[];
  readonly assigned: Assigned;
  /** Ids of operations that are not asked because `MAX_REQUESTS` is too small. */
  readonly unaffordable: ReadonlySet<string>;
  /** `MAX_REQUESTS` left something out. */
  readonly isLimited: boolean;
}

export interface Allotting {
  readonly checks: readonly Check[];
  readonly operations: readonly Operation[];
  readonly budget: Budget;
  /** Whether a check, given by its id, sends its whole battery. */
  readonly isWhole?: ((check: string) => boolean) | undefined;
  /** Looks up the answer to a request without a key. */
  readonly refusalOf?: ((operation: Operation) => Exchange | undefined) | undefined;
}

/** Whether every operation gets its whole battery. */
export const isUnspread = (
  checks: readonly Check[],
  { probes, maxRequests = Number.POSITIVE_INFINITY }: Budget,
): boolean => {
  if (probes === 'spread') return false;
  const most = Math.min(probes === 'auto' ? mostUnspread : Number.POSITIVE_INFINITY, maxRequests);
  return most === Number.POSITIVE_INFINITY || countRequests(notExcluded(checks), { most }) <= most;
};

const notExcluded = (checks: readonly Check[]): readonly Check[] =>
  checks.filter(({ excluded }) => excluded === undefined);

/** Checks with a battery, and the operations that they belong to. */
export const gatedOperations = (
  checks: readonly Check[],
  operations: readonly Operation[],
): { readonly armed: readonly ArmedCheck[]; readonly gated: readonly Operation[] } => {
  const armed = armedChecksOf(checks);
  const ids = new Set(armed.map(({ check }) => check.operation));
  return { armed, gated: operations.filter(({ id }) => ids.has(id)) };
};

/** Chooses what is sent within a budget: the essential requests of all operations, then tricks. */
export const allot = ({ checks, operations, budget, isWhole, refusalOf }: Allotting): Allotment => {
  const { armed, gated } = gatedOperations(checks, operations);
  const gates = gatesOf(gated, refusalOf);
  const copies = budget.probes === 'spread' || budget.probes === 'auto' ? leastCopies : Number.POSITIVE_INFINITY;
  const whole = isWhole ? armed.filter(({ check }) => isWhole(check.id)) : [];
  const spread = (most?: number): Assigned => {
    const assigned = spreadTricks(gates, armed, { copies, ...(most === undefined ? {} : { most }) });
    for (const { check, tricks } of whole) assigned.set(check.id, new Set(tricks));
    return assigned;
  };
  const { maxRequests } = budget;
  const none: ReadonlySet<string> = new Set();
  if (maxRequests === undefined) return { gates, armed, assigned: spread(), unaffordable: none, isLimited: false };
  const limit = Math.floor(maxRequests * plannedPart);
  const least = essentialTricks(gates, armed);
  const base = essentialRequests(checks, least);
  if (base > limit)
    return { gates, armed, assigned: least, unaffordable: beyondShare(checks, gates, limit / base), isLimited: true };
  // Binary search for the largest number of tricks that fits.
  const isAffordable = (assigned: Assigned): boolean => base + costBeyond(least, assigned, armed) <= limit;
  let assigned = spread(limit - base);
  let [fits, fails] = [0, limit - base];
  if (isAffordable(assigned))
    return { gates, armed, assigned, unaffordable: none, isLimited: countTricks(assigned) < countTricks(spread()) };
  assigned = least;
  while (fails - fits > Math.max(1, limit / 100)) {
    const middle = Math.floor((fits + fails) / 2);
    const tried = spread(middle);
    if (isAffordable(tried)) {
      fits = middle;
      assigned = tried;
    } else fails = middle;
  }
  return { gates, armed, assigned, unaffordable: none, isLimited: true };
};

export const countTricks = (assigned: ReadonlyMap<string, ReadonlySet<string>>): number =>
  sum([...assigned.values()].map(({ size }) => size));

/**
 * Number of requests that tricks add to the essential ones: one for each trick, and one read with
 * the key where a check's first trick makes that read necessary.
 */
export const costBeyond = (least: Assigned, assigned: Assigned, armed: readonly ArmedCheck[]): number => {
  let cost = 0;
  for (const { check } of armed) {
    const [before, tricks] = [least.get(check.id)?.size ?? 0, assigned.get(check.id)?.size ?? 0];
    const isRead = isBetweenReads(check.rule, { has: () => true });
    cost += tricks - before + (before === 0 && tricks > 0 && !isRead ? 1 : 0);
  }
  return cost;
};

/** Number of requests of a plan whose batteries send only the essential tricks. */
export const essentialRequests = (checks: readonly Check[], least: Assigned): number =>
  estimatedRequests(
    notExcluded(checks).filter(({ operation }) => operation !== 'service'),
    least,
  ).requests;

/** Ids of the operations beyond an affordable share. Operations of all gates are dropped evenly. */
const beyondShare = (checks: readonly Check[], gates: readonly Gate[], share: number): ReadonlySet<string> => {
  const turn = new Map<string, number>();
  for (const { operations } of gates) for (const [index, { id }] of operations.entries()) turn.set(id, index);
  const order = [...new Set(notExcluded(checks).map(({ operation }) => operation))]
    .filter((id) => id !== 'service')
    .sort((a, b) => (turn.get(a) ?? -1) - (turn.get(b) ?? -1));
  return new Set(order.slice(Math.floor(order.length * share)));
};

/** The first request of a run, which shows whether the service answers. */
const hello = 1;

interface Sharing extends Pick<Allotting, 'checks' | 'operations'> {
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
  const whole = sum(costs.values());
  return new Map([...costs].map(([id, cost]) => [id, Math.floor((budget.maxRequests * cost) / Math.max(1, whole))]));
};
