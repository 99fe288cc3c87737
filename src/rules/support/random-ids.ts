import { hash } from 'node:crypto';
import type { Operation, RandomId } from '../../contract/model.js';
import type { Deployment } from '../rule.js';

/** A UUID of version 4 (RFC 9562, section 5.4) whose random bits are those of a digest in hex. */
export const uuidOf = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;

/** A number or a UUID. It is the same for a label within one run, and cannot be guessed before. */
const randomId = ({ kind, label }: RandomId, { seed }: Pick<Deployment, 'seed'>): string => {
  const hex = hash('sha256', `${seed} random id ${label}`, 'hex');
  if (kind === 'uuid') return uuidOf(hex);
  // From 10^14 to 8.2 * 10^14: larger than counters get, and exact as a double.
  return String(100_000_000_000_001n + (BigInt(`0x${hex.slice(0, 16)}`) % 720_000_000_000_000n));
};

/** Replaces the stand-ins in a target or field value with random ids. */
export const withRandomIds = (
  text: string,
  { randomIds = [] }: Pick<Operation, 'randomIds'>,
  deployment: Pick<Deployment, 'seed'>,
): string =>
  randomIds.reduce(
    (so, id) => (so.includes(id.standIn) ? so.replaceAll(id.standIn, randomId(id, deployment)) : so),
    text,
  );
