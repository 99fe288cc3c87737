/** Parts in which a deadline is counted. */
const steps = 4;

/**
 * Calls `late` when `milliseconds` are over. It is about the peer: a standstill of this process,
 * however long, counts as one part of it, and what came meanwhile is read first.
 * @returns what calls it off
 */
export const deadline = (milliseconds: number, late: () => void): (() => void) => {
  let left = steps;
  let timer: NodeJS.Timeout;
  let last: NodeJS.Immediate | undefined;
  const wait = (): void => {
    timer = setTimeout(
      () => {
        left -= 1;
        if (left > 0) wait();
        // Timers come before what has arrived; this comes after it.
        else last = setImmediate(late);
      },
      Math.ceil(milliseconds / steps),
    );
  };
  wait();
  return () => {
    clearTimeout(timer);
    clearImmediate(last);
  };
};
