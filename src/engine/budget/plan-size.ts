import type { Operation } from '../../contract/model.js';
import type { Target } from '../../settings/target.js';
import { count, counted } from '../../words.js';
import type { Check } from '../plan.js';
import { allot, type Budget, costBeyond, countTricks, isUnspread, mostUnspread } from './budget.js';
import { estimatedRequests } from './request-counts.js';
import { essentialTricks } from './spread-tricks.js';

/** How many requests a plan sends, how long that takes, and what it leaves out, for people. */

/** Assumed duration of a request in milliseconds, for estimates. */
const assumedLatency = 100;

/** Assumed concurrency if `CONCURRENCY` is `auto`. */
const leastInFlight = 8;

/** Approximate duration in seconds of a run with this many requests. */
const secondsOf = (
  requests: number,
  { concurrency, intervalMs = 0 }: Pick<Target, 'concurrency' | 'intervalMs'>,
): number =>
  (requests * Math.max(assumedLatency / (concurrency === 'auto' ? leastInFlight : concurrency), intervalMs)) / 1000;

/** `about 26 min at 8 in flight and 100 ms` */
export const durationEstimate = (requests: number, target: Pick<Target, 'concurrency' | 'intervalMs'>): string => {
  const { concurrency, intervalMs = 0 } = target;
  const inFlight = concurrency === 'auto' ? leastInFlight : concurrency;
  const seconds = secondsOf(requests, target);
  const duration = seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`;
  if (intervalMs > assumedLatency / inFlight) return `about ${duration} at the set RATE`;
  return `about ${duration} at ${inFlight} in flight and ${assumedLatency} ms`;
};

export interface Estimate {
  readonly requests: number;
  /** Extrapolated from a sample of operations. */
  readonly isRough: boolean;
  /** What the plan tries, as the end of a sentence. */
  readonly words: string;
}

/** `3,359 requests`, `about 30,000 requests` */
export const requestsIn = ({ requests, isRough }: Omit<Estimate, 'words'>): string =>
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
  // If a run finds no values for some parameters, its plan is smaller and may not be spread.
  const isUnsure = plan.requests < mostUnspread && operations.some(({ placeholders }) => placeholders !== undefined);
  const more =
    probes === 'auto' && maxRequests === undefined
      ? `; PROBES=extended sends everything to every operation${isUnsure ? `, and so does a run that finds few values for parameters, with up to ${count(mostUnspread)} requests` : ''}`
      : '';
  return { ...size, warning: `${planned}; ${why}: ${plan.words}${more}` };
};

/** The estimate of a plan in which every check sends its whole battery. */
export const unspreadEstimate = (checks: readonly Check[], words: string): Estimate => ({
  ...estimatedRequests(checks),
  words,
});

export const estimateOf = (checks: readonly Check[], operations: readonly Operation[], budget: Budget): Estimate =>
  isUnspread(checks, budget) ? wholeEstimate(checks) : spreadEstimate(checks, operations, budget);

const wholeEstimate = (checks: readonly Check[]): Estimate =>
  unspreadEstimate(checks, 'every trick at every operation');

/**
 * The estimate of a spread plan with the gates that the document shows. Operations of one gate may
 * be refused in several ways, which only answers show. Each way is a gate then, with its own
 * tricks.
 */
const spreadEstimate = (checks: readonly Check[], operations: readonly Operation[], budget: Budget): Estimate => {
  const { gates, armed, assigned, unaffordable } = allot({ checks, operations, budget });
  const asked = checks.filter(({ operation }) => !unaffordable.has(operation));
  const [tried, all] = [new Tricks(), new Tricks()];
  for (const { check, tricks } of armed) {
    all.add(check.rule.id, tricks);
    tried.add(check.rule.id, assigned.get(check.id) ?? []);
  }
  const left = unaffordable.size === 0 ? '' : `; ${counted(unaffordable.size, 'operation')} not asked`;
  const tricks = tried.size === all.size ? 'every trick' : `${count(tried.size)} of ${counted(all.size, 'trick')}`;
  const least = essentialTricks(gates, armed);
  const costs = gates.map((gate) => {
    const ids = new Set(gate.operations.map(({ id }) => id));
    return costBeyond(
      least,
      assigned,
      armed.filter(({ check }) => ids.has(check.operation)),
    );
  });
  const dearest = Math.max(0, ...costs);
  // Within MAX_REQUESTS, more gates get fewer tricks each.
  const more =
    budget.maxRequests === undefined && dearest > 0
      ? `; each further gate that answers show adds ${requestsIn({ requests: dearest, isRough: true })}`
      : '';
  return {
    ...estimatedRequests(asked, assigned),
    words: `${tricks} at some operations of each gate (those that are refused alike)${left}${more}`,
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
    return countTricks(this.#byRule);
  }

  add(rule: string, tricks: Iterable<string>): void {
    if (this.#added.get(tricks) === rule) return;
    this.#added.set(tricks, rule);
    const known = this.#byRule.get(rule) ?? new Set();
    this.#byRule.set(rule, known);
    for (const trick of tricks) known.add(trick);
  }
}
