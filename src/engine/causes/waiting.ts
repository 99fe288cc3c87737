import { groupBy } from '../../collections.js';
import type { Finding } from '../results.js';
import { blockingChecks } from '../verdict.js';

/** Outcomes of what others may wait for. */
const unsettled: ReadonlySet<string> = new Set(['failed', 'inconclusive', 'blocked']);

/**
 * Says what a blocked check waits for in the end: the check that could not be judged, or failed,
 * and that is not blocked itself. `undefined` where the run has none.
 */
export const waitingIn = (checks: readonly Finding[]): ((blocked: Finding) => Finding | undefined) => {
  const byId = new Map(checks.map((finding) => [finding.id, finding]));
  const failedAt = groupBy(
    checks.filter(({ outcome }) => outcome === 'failed'),
    ({ operation }) => operation,
  );
  /** A check that failed at the operation for what the blocked one saw too. */
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
