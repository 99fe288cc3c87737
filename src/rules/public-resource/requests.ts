import type { Probe } from '../../wire/types.js';
import type { OperationSubject } from '../rule.js';
import {
  again,
  baseOf,
  missingOf,
  nonce,
  readWithNothing,
  requestFor,
  targetOf,
  withQuery,
} from '../support/requests.js';
import { keysOf } from '../support/subjects.js';

/** What is asked of a public resource. */

export const openProbes = (subject: OperationSubject): readonly [Probe, Probe, Probe, Probe] => {
  const open = readWithNothing(subject);
  const missing = { ...open, name: 'a path that does not exist' };
  return [
    open,
    missingOf(subject, missing),
    baseOf(subject, { ...open, name: 'the base path' }),
    missingOf(subject, { ...missing, name: 'another path that does not exist' }, 'other'),
  ];
};

/** The same read again: a server may refuse some reads only. */
export const moreReads = (subject: OperationSubject): readonly [Probe, Probe] => {
  const open = readWithNothing(subject);
  return [again(open), readWithNothing(subject, { round: 2, occasion: 'to see whether it opens each time' })];
};

/** The target with a query of its own, so that no cache gives the answer to others. */
export const onItsOwnQuery = (subject: OperationSubject, label: string): string =>
  withQuery(targetOf(subject), [`nothing-${nonce(subject.deployment, `${label} ${subject.operation.id}`)}=1`]);

/**
 * The request with the key, if one was given that may be sent. `isStrict`: the service refuses a
 * query that it does not know, so none is added.
 */
export const withTheKey = (subject: OperationSubject, isStrict: boolean, round = 1): readonly Probe[] => {
  const security = keysOf(subject);
  if (security.length === 0) return [];
  const operation = { ...subject.operation, security };
  const target = isStrict ? targetOf(subject) : onItsOwnQuery(subject, 'public with the key');
  return [requestFor({ ...subject, operation }, { name: 'with the key', credential: 'valid', target, round })];
};

/** Enough to meet one server of three with a probability of 96 %. */
const laterRounds = [3, 4, 5, 6, 7, 8, 9, 10] as const;

/** More requests with the key, on new connections: a balancer may choose the server by connection. */
export const moreWithTheKey = (subject: OperationSubject, isStrict: boolean): readonly Probe[] =>
  laterRounds
    .flatMap((round) => withTheKey(subject, isStrict, round))
    .map((probe): Probe => ({ ...probe, connection: 'fresh' }));
