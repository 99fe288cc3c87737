import { hash } from 'node:crypto';
import { type Probe, probeIdentity } from './types.js';

const known = Symbol('exchange id');

/**
 * The id of a probe's exchange: twelve hex digits of the SHA-256 of its identity. It is stored on
 * the probe, and not enumerable, so that no changed copy of the probe has it. A `WeakMap` of all
 * probes would cost the garbage collector more than the requests themselves.
 */
export const exchangeId = (probe: Probe & { readonly [known]?: string }): string => {
  if (probe[known] !== undefined) return probe[known];
  const id = hash('sha256', probeIdentity(probe), 'hex').slice(0, 12);
  // Own rules may freeze what they make.
  if (Object.isExtensible(probe)) Object.defineProperty(probe, known, { value: id });
  return id;
};
