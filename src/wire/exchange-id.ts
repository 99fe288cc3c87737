import { hash } from 'node:crypto';
import { memoize } from '../collections.js';
import { type Probe, probeIdentity } from './types.js';

/** Of probes that are judged at a time, and some more. */
const mostRemembered = 4_096;

/** What the exchange of a probe is called: twelve hex digits of the SHA-256 of its identity. */
export const exchangeId = memoize(
  (probe: Probe): string => hash('sha256', probeIdentity(probe), 'hex').slice(0, 12),
  mostRemembered,
);
