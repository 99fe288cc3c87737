import type { Operation } from '../../contract/model.js';
import { count, counted } from '../../words.js';
import type { Check } from '../plan.js';
import { durationEstimate, secondsOf } from '../plan-size.js';
import { allot, type Budget, isUnspread, mostUnspread } from './budget.js';
import { estimatedRequests } from './count.js';

/** What a plan sends, in figures. */
export interface Estimate {
  readonly requests: number;
  /** Counted at some of the operations. */
  readonly isRough: boolean;
  /** What it tries, as the end of a sentence. */
  readonly words: string;
}

/** `30,359 requests`, `about 30,359 requests` */
export const requestsIn = ({ requests, isRough }: Estimate): string =>
  `${isRough ? 'about ' : ''}${counted(requests, 'request')}`;

/** How large a plan is. */
export interface PlanSize {
  readonly requests: number;
  readonly seconds: number;
  /** Says how long a large plan takes, and what it leaves out; absent for one that is neither. */
  readonly warning?: string;
}

export const planSize = (
  checks: readonly Check[],
  operations: readonly Operation[],
  target: Budget & Parameters<typeof durationEstimate>[1],
): PlanSize => {
  const { probes, maxRequests } = target;
  const isWhole = isUnspread(checks, target);
  const plan = estimateOf(checks, operations, target);
  const size = { requests: plan.requests, seconds: secondsOf(plan.requests, target) };
  const planned = `${requestsIn(plan)} planned: ${durationEstimate(plan.requests, target)}`;
  if (isWhole)
    return plan.requests > mostUnspread ? { ...size, warning: `${planned}; PROBES=spread sends fewer` } : size;
  const why = maxRequests === undefined ? `PROBES=${probes}` : `MAX_REQUESTS=${maxRequests}`;
  const more =
    probes === 'auto' && maxRequests === undefined ? '; PROBES=extended sends everything to every operation' : '';
  return { ...size, warning: `${planned}; ${why}: ${plan.words}${more}` };
};

/** The plan with everything at every operation. */
export const unspreadEstimate = (checks: readonly Check[], words: string): Estimate => ({
  ...estimatedRequests(checks),
  words,
});

/**
 * The plan under a budget. Which operations are behind one gate is seen in answers: more gates cost
 * more.
 */
export const estimateOf = (checks: readonly Check[], operations: readonly Operation[], budget: Budget): Estimate => {
  if (isUnspread(checks, budget)) return unspreadEstimate(checks, 'every trick at every operation');
  const { gates, armed, assigned, unaffordable } = allot({ checks, operations, budget });
  const asked = checks.filter(({ operation }) => !unaffordable.has(operation));
  const tried = new Set<string>();
  const all = new Set<string>();
  for (const { check, tricks } of armed) {
    for (const trick of tricks) all.add(`${check.rule.id} ${trick}`);
    for (const trick of assigned.get(check.id) ?? []) tried.add(`${check.rule.id} ${trick}`);
  }
  const left = unaffordable.size === 0 ? '' : `; ${counted(unaffordable.size, 'operation')} not asked`;
  const tricks = tried.size === all.size ? 'every trick' : `${count(tried.size)} of ${counted(all.size, 'trick')}`;
  return {
    ...estimatedRequests(asked, assigned),
    words: `${tricks} at some operations of each of ${counted(gates.length, 'gate')} or more${left}`,
  };
};
