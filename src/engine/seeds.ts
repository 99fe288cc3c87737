import { randomBytes } from 'node:crypto';

/** The seed of the random parts of probes; stored in the results. */
export const newSeed = (): string => randomBytes(16).toString('hex');

/** The secret salt of digests. */
export const newSalt = (seed: string): string => `${seed}${randomBytes(16).toString('hex')}`;
