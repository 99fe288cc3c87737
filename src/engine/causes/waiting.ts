import { groupBy } from '../../collections.js';
import type { Finding } from '../results.js';
import { blockingChecks } from '../verdict.js';

/** Outcomes of checks that may block others. */
const unsettled: ReadonlySet<string> = new Set(['failed', 'inconclusive', 'blocked']);

/**
 * Returns a function that follows the blockers of a blocked check to their root: a check that
 * failed or could not be judged, and is not blocked itself. `undefined` where the run has none.
 */
export const waitingIn = (checks: readonly Finding[]): ((blocked: Finding) => Finding | undefined) => {
  const byId = new Map(checks.map((finding) => [finding.id, finding]));
  const failedAt = groupBy(
    checks.filter(({ outcome }) => outcome === 'failed'),
    ({ operation }) => operation,
  );
  /** A failed check of the same operation with the same cause as the blocked one. */
  const sameSeen = ({ operation, cause }: Finding): Finding | undefined =>
    failedAt.get(operation)?.find((other) => other.cause?.id === cause?.id);

  return (blocked) => {
    const settled: Finding[] = [];
    const seen = new Set([blocked.id]);
    const open = [blocked];
    for (let next = open.pop(); next; next = open.pop())
      for (const id of blockingChecks(next)) {
        const found = byId.get(id);
        if (!found || seen.has(id) || !unsettled.has(found.outcome)) continue;
        seen.add(id);
        (found.outcome === 'blocked' ? open : settled).push(found);
      }
    return settled.find(({ outcome }) => outcome === 'failed') ?? settled[0] ?? sameSeen(blocked);
  };
};
