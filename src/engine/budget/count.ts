import type { Check } from '../plan.js';
import { requestsByOperation } from '../plan-size.js';
import type { Assigned } from './slices.js';

/** Requests of a plan; counting stops beyond `most`. */
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

/** Plans of so many operations are counted to the last request, which takes about a second. */
const mostCounted = 500;

/** Operations of a larger plan that are counted, about; the others are taken to have as many. */
const sampledOperations = 200;

/**
 * Requests of a plan; of a large one, those of some operations, evenly spaced over the document.
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
