import type { Check } from '../plan.js';
import { requestsByOperation } from '../plan-size.js';
import type { Assigned } from './slices.js';

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
