import { hash } from 'node:crypto';
import { memoize } from '../collections.js';
import { type Probe, probeIdentity } from './types.js';

/** More than the probes that are judged at a time. */
const mostRemembered = 4_096;

/** The id of a probe's exchange: twelve hex digits of the SHA-256 of its identity. */
export const exchangeId = memoize(
  (probe: Probe): string => hash('sha256', probeIdentity(probe), 'hex').slice(0, 12),
  mostRemembered,
);
