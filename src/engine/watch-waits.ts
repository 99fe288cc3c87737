import type { Wire } from '../wire/types.js';
import type { RunInput } from './run-input.js';

/** Milliseconds between two looks, and how long a wait lasts before it is reported. */
const everyMs = 1_000;
const shortMs = 5_000;

/**
 * Reports while requests are held up for longer than a moment.
 * @returns a function that ends it
 */
export const watchWaits = (wire: Pick<Wire, 'wait'>, onProgress: RunInput['onProgress']): (() => void) => {
  if (!onProgress) return () => {};
  let isHeldUp = false;
  const timer = setInterval(() => {
    const { wait } = wire;
    const isLong = wait !== undefined && wait.forMs >= shortMs;
    if (isLong) onProgress({ type: 'waiting', wait });
    else if (isHeldUp) onProgress({ type: 'resumed' });
    isHeldUp = isLong;
  }, everyMs).unref();
  return () => clearInterval(timer);
};
