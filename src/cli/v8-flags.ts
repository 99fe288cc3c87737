import { setFlagsFromString } from 'node:v8';

/** Operations from which memory matters, and from which it matters more than time. */
const many = 500;
const veryMany = 5_000;

/**
 * Bytes of code that a function runs before V8 compiles it for speed: seven times the default, with
 * which a fifth of a run's processor time goes into compiling.
 */
const interruptBudget = 500_000;

/**
 * Sets V8 up for a run over so many operations, in a process of the suite. Garbage is collected when
 * the heap has doubled, or sooner: by default it would grow to several times its size.
 */
export const setV8Flags = (operations: number): void => {
  setFlagsFromString(`--interrupt-budget=${interruptBudget}`);
  if (operations > many) setFlagsFromString(`--heap-growing-percent=${operations > veryMany ? 15 : 100}`);
};
