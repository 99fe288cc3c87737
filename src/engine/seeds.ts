import { randomBytes } from 'node:crypto';

/** Of the random parts of probes; it is kept with the results. */
export const newSeed = (): string => randomBytes(16).toString('hex');

/** Of digests; a secret. */
export const newSalt = (seed: string): string => `${seed}${randomBytes(16).toString('hex')}`;
