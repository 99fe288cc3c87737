import { memoize } from '../../collections.js';
import type { Contract, Operation } from '../../contract/model.js';
import type { Probe } from '../../wire/types.js';
import type { OperationRule, OperationSubject, Slice } from '../rule.js';
import { baseOf, missingOf, requestFor, requestWithoutKey, requestWithRandomKey } from '../support/requests.js';
import { canSendKey, subjectFor } from '../support/subjects.js';

/** The control requests of an operation. All other answers are compared with theirs. */

const mostPublics = 3;

const firstPublic = memoize((contract: Contract): readonly Operation[] =>
  contract.operations.filter(({ access, method }) => access === 'public' && method === 'GET').slice(0, mostPublics),
);

export const publicOperations = ({ contract }: OperationSubject): readonly Operation[] => firstPublic(contract);

type Unkeyed = readonly [read: Probe, missing: Probe, base: Probe, otherMissing: Probe];

/** A read, and the same request where nothing is: at two missing paths and at the base path. */
export const besideNothing = (subject: OperationSubject, read: Probe): Unkeyed => [
  read,
  missingOf(subject, { ...read, name: 'a path that does not exist' }),
  baseOf(subject, { ...read, name: 'the base path' }),
  missingOf(subject, { ...read, name: 'another path that does not exist' }, 'other'),
];

/**
 * The control requests without the key. They are sent before the first keyed request. The last one
 * carries a random key, if the operation's key could be sent.
 */
export const anonymousControls = memoize((subject: OperationSubject): readonly [...Unkeyed, ...random: Probe[]] => [
  ...besideNothing(subject, requestWithoutKey(subject)),
  ...(canSendKey(subject) ? [requestWithRandomKey(subject)] : []),
]);

const keyedReads = memoize((subject: OperationSubject) =>
  memoize((occasion: string) =>
    memoize((round: number) =>
      requestFor(subject, {
        name: 'with the key',
        credential: 'valid',
        round,
        ...(occasion === '' ? {} : { occasion }),
      }),
    ),
  ),
);

/**
 * The documented request with the key. `occasion` keeps a read apart from equal reads of other
 * rules, so that they do not share an answer.
 */
export const keyedControl = (subject: OperationSubject, round: number, occasion = ''): Probe =>
  keyedReads(subject)(occasion)(round);

/** The occasion of keyed reads that follow a rule's requests. */
export const after = ({ id }: Pick<OperationRule, 'id'>): string => `after ${id}`;

/**
 * The keyed read that follows a rule's requests. If it does not open the operation, refusals of
 * those requests prove nothing. Rules of the stage `keyed` use the second keyed control, which is
 * sent after their requests.
 */
export const healthRead = (
  subject: OperationSubject,
  rule: Pick<OperationRule, 'id' | 'stage'>,
  slice?: Pick<Slice, 'occasion'>,
): Probe => {
  if (rule.stage === 'keyed') return keyedControl(subject, 2);
  return keyedControl(subject, 1, [after(rule), ...(slice?.occasion ? [slice.occasion] : [])].join(', '));
};

/** More keyed reads. They show values that change although the first two reads agree on them. */
export const laterReads = memoize((subject: OperationSubject): readonly Probe[] =>
  [1, 2, 3].map((round) => keyedControl(subject, round, 'to see what changes')),
);

/** Two keyed reads, and a missing path with the key. */
export const keyedControls = memoize((subject: OperationSubject): readonly [Probe, Probe, missing: Probe] => [
  keyedControl(subject, 1),
  keyedControl(subject, 2),
  missingOf(subject, { ...keyedControl(subject, 1), name: 'a path that does not exist, with the key' }),
]);

/** The control requests that may be sent. */
export const controlRequests = (subject: OperationSubject): readonly Probe[] => [
  ...anonymousControls(subject),
  ...(canSendKey(subject) ? keyedControls(subject) : []),
];

const publicRead = memoize((subject: OperationSubject) =>
  requestWithoutKey(subject, { name: `the public ${subject.operation.id}` }),
);

export const publicReads = (subject: OperationSubject): readonly Probe[] =>
  publicOperations(subject).map((operation) => publicRead(subjectFor(subject, operation)));
