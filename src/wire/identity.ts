import { hash } from 'node:crypto';
import { type Probe, probeIdentity } from './types.js';

const known = new WeakMap<Probe, string>();

/** What the exchange of a probe is called: twelve hex digits of the SHA-256 of its identity. */
export const exchangeId = (probe: Probe): string => {
  const before = known.get(probe);
  if (before !== undefined) return before;
  const id = hash('sha256', probeIdentity(probe), 'hex').slice(0, 12);
  known.set(probe, id);
  return id;
};
