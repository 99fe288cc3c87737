import { setFlagsFromString } from 'node:v8';

/** Operations from which memory matters, and from which it matters more than time. */
const many = 500;
const veryMany = 5_000;

/**
 * Makes V8 collect garbage when the heap has doubled, or sooner. By default V8 lets a heap grow to
 * several times its size while the machine has free memory, and a run over thousands of operations
 * would take the memory that other processes need. Only for processes that the suite started.
 */
export const limitHeapGrowth = (operations: number): void => {
  if (operations > many) setFlagsFromString(`--heap-growing-percent=${operations > veryMany ? 15 : 100}`);
};
