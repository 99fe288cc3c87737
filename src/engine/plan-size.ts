import type { Target } from '../settings/target.js';
import { exchangeId } from '../wire/exchange-id.js';
import type { Probe } from '../wire/types.js';
import { count } from '../words.js';
import { DigestIndex, hexNumber } from './digest-index.js';
import type { Check } from './plan.js';

/**
 * Each request once, with those of its operation. One operation is in memory at a time: a document
 * of 20,000 has three million requests.
 */
export function* requestsByOperation(
  checks: readonly Check[],
): Generator<readonly [operation: string, probes: readonly Probe[]]> {
  const seen = new DigestIndex(hexNumber);
  const waiting = new Map<string, Probe[]>();
  const taken = (operation: string): readonly (readonly [string, readonly Probe[]])[] => {
    const own = waiting.get(operation);
    waiting.delete(operation);
    return own ? [[operation, own]] : [];
  };
  let current: string | undefined;
  for (const check of checks) {
    if (current !== undefined && check.operation !== current) yield* taken(current);
    current = check.operation;
    for (const probe of check.probes()) {
      const id = exchangeId(probe);
      if (seen.has(id)) continue;
      seen.set(id, 0);
      const own = waiting.get(probe.operation);
      if (own) own.push(probe);
      else waiting.set(probe.operation, [probe]);
    }
  }
  // What a check asks of another operation than its own.
  for (const operation of [...waiting.keys()]) yield* taken(operation);
}

/** A run of more requests is announced with its duration. */
const manyRequests = 2_000;

/** Milliseconds of one request, for estimates. */
const assumedLatency = 100;

/** Seconds that a run of so many requests takes, about. */
const secondsOf = (requests: number, { concurrency }: Pick<Target, 'concurrency'>): number =>
  (requests * assumedLatency) / 1000 / concurrency;

/** `about 26 min at 8 in flight and 100 ms` */
export const durationEstimate = (requests: number, target: Pick<Target, 'concurrency'>): string => {
  const seconds = secondsOf(requests, target);
  const duration = seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`;
  return `about ${duration} at ${target.concurrency} in flight and ${assumedLatency} ms`;
};

/** Requests of more operations are estimated from these. */
const sampledOperations = 500;

/** How large a plan is. */
export interface PlanSize {
  readonly requests: number;
  readonly seconds: number;
  /** Says how long a large plan takes; absent for one that is not large. */
  readonly warning?: string;
}

export const planSize = (checks: readonly Check[], target: Pick<Target, 'concurrency'>): PlanSize => {
  const operations = new Set(checks.map(({ operation }) => operation));
  const sample = new Set([...operations].slice(0, sampledOperations));
  const sampled = checks.filter(({ operation }) => sample.has(operation));
  let sent = 0;
  for (const [, probes] of requestsByOperation(sampled)) sent += probes.length;
  const requests = sample.size === 0 ? 0 : Math.round(sent * (operations.size / sample.size));
  const size = { requests, seconds: secondsOf(requests, target) };
  if (requests <= manyRequests) return size;
  const about = operations.size > sample.size ? 'about ' : '';
  return {
    ...size,
    warning: `${about}${count(requests)} requests planned: ${durationEstimate(requests, target)}; --only chooses checks, PROBES=standard sends fewer`,
  };
};
