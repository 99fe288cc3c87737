import { exchangeId, type Probe } from '../../wire/types.js';
import type { Check } from '../plan.js';
import { DigestIndex, hexNumber } from '../store/digest-index.js';
import type { Assigned } from './spread-tricks.js';

/** Counts the requests of a plan. */

/**
 * Yields the distinct requests of each operation. Only one operation is in memory at a time: a
 * document of 20,000 operations has three million requests.
 * @param assigned the tricks of each check that sends only a part of its battery
 */
export function* requestsByOperation(
  checks: readonly Check[],
  assigned?: ReadonlyMap<string, ReadonlySet<string>>,
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
    const own = assigned?.get(check.id);
    if (own?.size === 0) continue;
    for (const probe of check.probes(own && { has: (trick) => own.has(trick) })) {
      const id = exchangeId(probe);
      if (seen.has(id)) continue;
      seen.set(id, 0);
      const before = waiting.get(probe.operation);
      if (before) before.push(probe);
      else waiting.set(probe.operation, [probe]);
    }
  }
  // Requests to operations that are planned by checks of other operations.
  for (const operation of [...waiting.keys()]) yield* taken(operation);
}

/** Number of requests of a plan. Counting stops once it exceeds `most`. */
export const countRequests = (
  checks: readonly Check[],
  {
    most = Number.POSITIVE_INFINITY,
    assigned,
  }: { readonly most?: number; readonly assigned?: Assigned | undefined } = {},
): number => {
  let sum = 0;
  for (const [, probes] of requestsByOperation(checks, assigned)) {
    sum += probes.length;
    if (sum > most) return sum;
  }
  return sum;
};

/** Plans of up to this many operations are counted exactly, which takes about a second. */
const mostCounted = 500;

/** Approximate number of operations that are counted in a larger plan. */
const sampledOperations = 200;

/**
 * Number of requests of a plan. For a large plan it is extrapolated from a sample of operations
 * that is evenly spaced over the document.
 */
export const estimatedRequests = (
  checks: readonly Check[],
  assigned?: Assigned,
): { readonly requests: number; readonly isRough: boolean } => {
  const operations = [...new Set(checks.map(({ operation }) => operation))].filter((id) => id !== 'service');
  if (operations.length <= mostCounted) return { requests: countRequests(checks, { assigned }), isRough: false };
  const step = Math.ceil(operations.length / sampledOperations);
  const sample = new Set(operations.filter((_, index) => index % step === 0));
  const count = (isCounted: (operation: string) => boolean): number =>
    countRequests(
      checks.filter(({ operation }) => isCounted(operation)),
      { assigned },
    );
  const factor = operations.length / sample.size;
  return {
    requests: Math.round(count((id) => sample.has(id)) * factor) + count((id) => id === 'service'),
    isRough: true,
  };
};
