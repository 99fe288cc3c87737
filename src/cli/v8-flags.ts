import { setFlagsFromString } from 'node:v8';

/** Operations from which memory matters, and from which it matters more than time. */
const many = 500;
const veryMany = 5_000;

/**
 * Bytes of code that a function runs before V8 compiles it for speed; seven times the default. A
 * run is short and uses much code a little: by default a fifth of its processor time goes into
 * compiling what it has nearly done with.
 */
const interruptBudget = 500_000;

/**
 * Sets V8 up for a run over so many operations. Garbage is collected when the heap has doubled, or
 * sooner: by default V8 lets a heap grow to several times its size while the machine has free
 * memory, and a run over thousands of operations would take the memory that other processes need.
 * Only for processes that the suite started.
 */
export const setV8Flags = (operations: number): void => {
  setFlagsFromString(`--interrupt-budget=${interruptBudget}`);
  if (operations > many) setFlagsFromString(`--heap-growing-percent=${operations > veryMany ? 15 : 100}`);
};
