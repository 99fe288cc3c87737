/** Milliseconds, from what a quiet machine needs to what a machine with other work may need. */
const deadlines = [400, 4_000, 40_000] as const;

/**
 * Runs `part` with a deadline for the thing under test, and with longer ones while it throws. For
 * parts in which something has to happen before the deadline and something else never happens: a
 * quiet machine waits no longer than it must, and a slow one passes too.
 */
export const atSomeDeadline = async <T>(
  part: (deadlineMs: number) => Promise<T>,
  each: readonly number[] = deadlines,
): Promise<T> => {
  const [deadline, ...longer] = each;
  if (deadline === undefined) throw new RangeError('no deadline to try');
  if (longer.length === 0) return part(deadline);
  try {
    return await part(deadline);
  } catch {
    return atSomeDeadline(part, longer);
  }
};
