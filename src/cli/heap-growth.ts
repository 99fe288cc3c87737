import { setFlagsFromString } from 'node:v8';

/** Operations above which memory matters, and above which it matters more than time. */
const many = 500;
const veryMany = 5_000;

/**
 * Tells V8 to collect garbage when the heap has doubled, or sooner: by itself it lets a heap grow to several times its size while the machine
 * has memory to spare, and a run over thousands of operations would take what its neighbours need. For processes of our own alone.
 */
export const limitHeapGrowth = (operations: number): void => {
  if (operations > many) setFlagsFromString(`--heap-growing-percent=${operations > veryMany ? 15 : 100}`);
};
