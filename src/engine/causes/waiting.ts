import type { Finding } from '../results.js';
import { blockingChecks } from '../verdict.js';

/** Outcomes of what others may wait for. */
const unsettled: ReadonlySet<string> = new Set(['failed', 'inconclusive', 'blocked']);

/**
 * What a blocked check waits for in the end: the check that could not be judged, or failed, and
 * that is not blocked itself. `undefined` where the run has none.
 */
export const rootOf = (blocked: Finding, byId: ReadonlyMap<string, Finding>): Finding | undefined => {
  const seen = new Set<string>();
  let roots: readonly Finding[] = [blocked];
  while (roots.some(({ outcome }) => outcome === 'blocked')) {
    const [next] = roots.filter(({ outcome, id }) => outcome === 'blocked' && !seen.has(id));
    if (!next) break;
    seen.add(next.id);
    const found = blockingChecks(next)
      .flatMap((id) => byId.get(id) ?? [])
      .filter(({ outcome }) => unsettled.has(outcome));
    roots = [...roots.filter((each) => each !== next), ...found];
  }
  const settled = roots.filter(({ outcome }) => outcome !== 'blocked');
  return settled.find(({ outcome }) => outcome === 'failed') ?? settled[0] ?? sameSeen(blocked, byId);
};

/** A check that failed at the operation for what the blocked one saw too. */
const sameSeen = ({ operation, cause }: Finding, byId: ReadonlyMap<string, Finding>): Finding | undefined =>
  [...byId.values()].find(
    (other) => other.operation === operation && other.outcome === 'failed' && other.cause?.id === cause?.id,
  );
