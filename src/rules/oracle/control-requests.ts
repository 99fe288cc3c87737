import { memoize } from '../../collections.js';
import type { Contract, Operation } from '../../contract/model.js';
import type { Probe } from '../../wire/types.js';
import type { OperationRule, OperationSubject, Slice } from '../rule.js';
import { readWithoutKey, requestFor } from '../support/requests.js';
import { canSendKey, subjectFor } from '../support/subjects.js';
import { baseOf, missingOf } from '../support/targets.js';

/** The requests that are compared with others. */

const mostPublics = 3;

const firstPublic = memoize((contract: Contract): readonly Operation[] =>
  contract.operations.filter(({ access, method }) => access === 'public' && method === 'GET').slice(0, mostPublics),
);

export const publicOperations = ({ contract }: OperationSubject): readonly Operation[] => firstPublic(contract);

/**
 * The probes of everything that is read without the key before it is sent; a random one where there
 * is a key to imitate.
 */
export const anonymousControls = memoize((subject: OperationSubject): readonly Probe[] => {
  const missing = requestFor(subject, { name: 'a path that does not exist', credential: 'none' });
  return [
    readWithoutKey(subject),
    missingOf(subject, missing),
    baseOf(subject, requestFor(subject, { name: 'the base path', credential: 'none' })),
    missingOf(subject, { ...missing, name: 'another path that does not exist' }, 'other'),
    ...(canSendKey(subject)
      ? [requestFor(subject, { name: 'a random key of the same length and alphabet', credential: 'random' })]
      : []),
  ];
});

const keyedReads = memoize((_subject: OperationSubject) => new Map<string, Probe>());

/**
 * The documented read. `occasion` tells it from the same read at other times: what was sent for one
 * rule is not read for another.
 */
export const keyedControl = (subject: OperationSubject, round: number, occasion?: string): Probe => {
  const reads = keyedReads(subject);
  const called = `${round} ${occasion ?? ''}`;
  const probe =
    reads.get(called) ??
    requestFor(subject, {
      name: 'with the key',
      credential: 'valid',
      round,
      ...(occasion === undefined ? {} : { occasion }),
    });
  reads.set(called, probe);
  return probe;
};

/** What tells the reads that follow a rule's requests from all others. */
export const after = ({ id }: Pick<OperationRule, 'id'>): string => `after ${id}`;

/**
 * The read with the key after a rule's requests: where it no longer opens, their refusals say
 * nothing. Nothing but reads goes out before the controls, so the second of these stands behind the
 * rules of their own stage.
 */
export const healthRead = (
  subject: OperationSubject,
  rule: Pick<OperationRule, 'id' | 'stage'>,
  slice?: Pick<Slice, 'occasion'>,
): Probe => {
  if (rule.stage === 'keyed') return keyedControl(subject, 2);
  return keyedControl(subject, 1, [after(rule), ...(slice?.occasion ? [slice.occasion] : [])].join(', '));
};

/** More reads with the key, for what was equal in the first ones by chance. */
export const laterReads = memoize((subject: OperationSubject): readonly Probe[] =>
  [1, 2, 3].map((round) => keyedControl(subject, round, 'to see what changes')),
);

/** Two reads with the key, and a path that does not exist with it. */
export const keyedControls = memoize((subject: OperationSubject): readonly Probe[] => [
  keyedControl(subject, 1),
  keyedControl(subject, 2),
  missingOf(subject, { ...keyedControl(subject, 1), name: 'a path that does not exist, with the key' }),
]);

const publicRead = memoize(
  (subject: OperationSubject): Probe =>
    requestFor(subject, { name: `the public ${subject.operation.id}`, credential: 'none' }),
);

export const publicReads = (subject: OperationSubject): readonly Probe[] =>
  publicOperations(subject).map((operation) => publicRead(subjectFor(subject, operation)));
