import { hash } from 'node:crypto';
import { memoizePerObject } from '../collections.js';
import { type Probe, probeIdentity } from './types.js';

/** The id of a probe's exchange: twelve hex digits of the SHA-256 of its identity. */
export const exchangeId = memoizePerObject((probe: Probe): string =>
  hash('sha256', probeIdentity(probe), 'hex').slice(0, 12),
);
