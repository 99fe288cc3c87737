import { anonymousControls } from '../../rules/oracle/control-requests.js';
import type { OperationSubject } from '../../rules/rule.js';
import { exchangeId } from '../../wire/types.js';
import type { Sender } from '../ask.js';
import { type Allotment, type Allotting, allot, gatedOperations, isUnspread } from './budget.js';
import { SlicedChecks } from './sliced-checks.js';

/** Chooses what each check sends, by the gates that answers without a key show. */

interface Slicing extends Pick<Allotting, 'checks' | 'budget' | 'isWhole'> {
  readonly subjects: readonly OperationSubject[];
  readonly sender: Sender;
}

/** Returns the choice of `allotAsSeen` in the form that a run uses. */
export const sliceChecks = async (slicing: Slicing): Promise<SlicedChecks | undefined> => {
  const allotment = await allotAsSeen(slicing);
  return allotment && new SlicedChecks(allotment, slicing.budget.maxRequests !== undefined);
};

/**
 * Chooses what each check sends. First sends each operation a request without a key, to see which
 * operations share a gate. Returns `undefined` where every check sends everything.
 */
export const allotAsSeen = async ({
  checks,
  subjects,
  budget,
  isWhole,
  sender,
}: Slicing): Promise<Allotment | undefined> => {
  if (isUnspread(checks, budget)) return undefined;
  const operations = subjects.map(({ operation }) => operation);
  // Unaffordable operations are known before any answer, so nothing is sent to them.
  const unaffordable: ReadonlySet<string> =
    budget.maxRequests === undefined ? new Set() : allot({ checks, operations, budget }).unaffordable;
  const asked = checks.filter(({ operation }) => !unaffordable.has(operation));
  const { gated } = gatedOperations(asked, operations);
  const ids = new Set(gated.filter(({ access }) => access === 'protected').map(({ id }) => id));
  const reads = new Map(
    subjects
      .filter(({ operation: { id } }) => ids.has(id))
      .map((subject) => [subject.operation.id, anonymousControls(subject)[0]] as const),
  );
  await sender.send([...reads.values()].map((probe) => [probe]));
  const allotment = allot({
    checks: asked,
    operations,
    budget,
    isWhole,
    refusalOf: ({ id }) => {
      const read = reads.get(id);
      return read && sender.get(exchangeId(read));
    },
  });
  return {
    ...allotment,
    unaffordable: new Set([...unaffordable, ...allotment.unaffordable]),
    isLimited: allotment.isLimited || unaffordable.size > 0,
  };
};
