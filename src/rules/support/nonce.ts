import { hash } from 'node:crypto';
import { memoize, memoizePerObject } from '../../collections.js';
import type { Deployment } from '../rule.js';

/** Random names that a run can repeat. */

/** Twelve hex digits that are the same for a label within one run, and cannot be guessed before. */
export const nonce = (deployment: Deployment, label: string): string => noncesOf(deployment)(label);

const noncesOf = memoizePerObject(({ seed }: Deployment) =>
  memoize((label: string): string => hash('sha256', `${seed} ${label}`, 'hex').slice(0, 12)),
);

/** Decimal digits that are those of a digest in hex, each without its tens. */
export const digitsOf = (hex: string, count: number): string =>
  [...hex.slice(0, count)].map((digit) => Number.parseInt(digit, 16) % 10).join('');

/** A UUID of version 4 (RFC 9562, section 5.4) whose random bits are those of a digest in hex. */
export const uuidOf = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
