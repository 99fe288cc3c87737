import { groupBy, sum } from '../../collections.js';
import type { Operation } from '../../contract/model.js';
import { isBetweenReads } from '../../rules/bypass/bypass-rule.js';
import type { Target } from '../../settings/target.js';
import type { Exchange } from '../../wire/types.js';
import { count, counted } from '../../words.js';
import type { Check } from '../plan.js';
import { type Gate, gatesOf } from './gates.js';
import { countRequests, durationEstimate, estimatedRequests, secondsOf } from './plan-size.js';
import { type ArmedCheck, type Assigned, armedChecksOf, essentialSlices, leastCopies, spreadSlices } from './slices.js';

/** `PROBES=auto` spreads plans with more requests than this. */
export const mostUnspread = 2_000;

/** The share of `MAX_REQUESTS` that a plan may use. The rest is for second looks and retries. */
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
    const assigned = spreadSlices(gates, armed, { copies, ...(most === undefined ? {} : { most }) });
    for (const { check, tricks } of whole) assigned.set(check.id, new Set(tricks));
    return assigned;
  };
  const { maxRequests } = budget;
  const none: ReadonlySet<string> = new Set();
  if (maxRequests === undefined) return { gates, armed, assigned: spread(), unaffordable: none, isLimited: false };
  const limit = Math.floor(maxRequests * plannedPart);
  const least = essentialSlices(gates, armed);
  const base = essentialRequests(checks, least);
  if (base > limit)
    return { gates, armed, assigned: least, unaffordable: beyondShare(checks, gates, limit / base), isLimited: true };
  // Binary search for the largest number of tricks that fits.
  const isAffordable = (assigned: Assigned): boolean => base + costBeyond(least, assigned, armed) <= limit;
  let assigned = spread(limit - base);
  let [fits, fails] = [0, limit - base];
  if (isAffordable(assigned))
    return { gates, armed, assigned, unaffordable: none, isLimited: tricksIn(assigned) < tricksIn(spread()) };
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

const tricksIn = (assigned: ReadonlyMap<string, ReadonlySet<string>>): number =>
  sum([...assigned.values()].map(({ size }) => size));

/**
 * Number of requests that slices add to the essential ones: one for each trick, and one read with
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
  const whole = sum(costs.values());
  return new Map([...costs].map(([id, cost]) => [id, Math.floor((budget.maxRequests * cost) / Math.max(1, whole))]));
};

export interface Estimate {
  readonly requests: number;
  /** Extrapolated from a sample of operations. */
  readonly isRough: boolean;
  /** What the plan tries, as the end of a sentence. */
  readonly words: string;
}

/** `3,359 requests`, `about 30,000 requests` */
export const requestsIn = ({ requests, isRough }: Estimate): string =>
  isRough ? `about ${counted(Number(requests.toPrecision(2)), 'request')}` : counted(requests, 'request');

export interface PlanSize {
  readonly requests: number;
  readonly seconds: number;
  /** States how long a large plan takes and what it leaves out; absent for a small, whole plan. */
  readonly warning?: string;
}

export const planSize = (
  checks: readonly Check[],
  operations: readonly Operation[],
  target: Budget & Parameters<typeof durationEstimate>[1],
): PlanSize => {
  const { probes, maxRequests } = target;
  const isWhole = isUnspread(checks, target);
  const plan = isWhole ? wholeEstimate(checks) : spreadEstimate(checks, operations, target);
  const size = { requests: plan.requests, seconds: secondsOf(plan.requests, target) };
  const planned = `${requestsIn(plan)} planned: ${durationEstimate(plan.requests, target)}`;
  if (isWhole)
    return plan.requests > mostUnspread ? { ...size, warning: `${planned}; PROBES=spread sends fewer` } : size;
  const why = maxRequests === undefined ? `PROBES=${probes}` : `MAX_REQUESTS=${maxRequests}`;
  // A run that finds no values for some parameters has a smaller plan, which may not be spread.
  const isUnsure = plan.requests < mostUnspread && operations.some(({ placeholders }) => placeholders !== undefined);
  const more =
    probes === 'auto' && maxRequests === undefined
      ? `; PROBES=extended sends everything to every operation${isUnsure ? `, and so does a run that finds few values for parameters, with up to ${count(mostUnspread)} requests` : ''}`
      : '';
  return { ...size, warning: `${planned}; ${why}: ${plan.words}${more}` };
};

/** Estimate of a plan that sends every trick to every operation. */
export const unspreadEstimate = (checks: readonly Check[], words: string): Estimate => ({
  ...estimatedRequests(checks),
  words,
});

export const estimateOf = (checks: readonly Check[], operations: readonly Operation[], budget: Budget): Estimate =>
  isUnspread(checks, budget) ? wholeEstimate(checks) : spreadEstimate(checks, operations, budget);

const wholeEstimate = (checks: readonly Check[]): Estimate =>
  unspreadEstimate(checks, 'every trick at every operation');

/** Gates are only known from answers. A run may have more gates, and send more, than estimated. */
const spreadEstimate = (checks: readonly Check[], operations: readonly Operation[], budget: Budget): Estimate => {
  const { armed, assigned, unaffordable } = allot({ checks, operations, budget });
  const asked = checks.filter(({ operation }) => !unaffordable.has(operation));
  const [tried, all] = [new Tricks(), new Tricks()];
  for (const { check, tricks } of armed) {
    all.add(check.rule.id, tricks);
    tried.add(check.rule.id, assigned.get(check.id) ?? []);
  }
  const left = unaffordable.size === 0 ? '' : `; ${counted(unaffordable.size, 'operation')} not asked`;
  const tricks = tried.size === all.size ? 'every trick' : `${count(tried.size)} of ${counted(all.size, 'trick')}`;
  return {
    ...estimatedRequests(asked, assigned),
    words: `${tricks} at some operations of each gate (those that are refused alike)${left}`,
  };
};

/**
 * Counts distinct tricks by rule. Operations with paths of the same form share one list of tricks,
 * which is counted once.
 */
class Tricks {
  readonly #byRule = new Map<string, Set<string>>();
  readonly #added = new Map<Iterable<string>, string>();

  get size(): number {
    return tricksIn(this.#byRule);
  }

  add(rule: string, tricks: Iterable<string>): void {
    if (this.#added.get(tricks) === rule) return;
    this.#added.set(tricks, rule);
    const known = this.#byRule.get(rule) ?? new Set();
    this.#byRule.set(rule, known);
    for (const trick of tricks) known.add(trick);
  }
}
