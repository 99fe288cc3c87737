import { memoize } from '../../collections.js';
import type { Operation } from '../../contract/model.js';
import { answerOf, isSuccess } from '../oracle/answers.js';
import { anonymousControls, keyedControl } from '../oracle/control-requests.js';
import { isSame } from '../oracle/same.js';
import type { Ask, OperationSubject } from '../rule.js';
import { canSendKey, subjectFor } from '../support/subjects.js';

const mostReads = 8;

/**
 * The settings of an operation's keys, as a comparable string. A guessed API_KEY counts by scheme.
 */
const settingsOf = ({ security }: Operation): string =>
  JSON.stringify(security.map(({ setting, guessed, name }) => (guessed ? `${setting} as ${name}` : setting)).sort());

/** Other protected reads with the same keys. */
const otherReads = memoize((subject: OperationSubject): readonly OperationSubject[] =>
  subject.contract.operations
    .filter(({ access, method, id }) => access === 'protected' && method === 'GET' && id !== subject.operation.id)
    .map((operation) => subjectFor(subject, operation))
    .filter((other) => settingsOf(other.operation) === settingsOf(subject.operation) && canSendKey(other))
    .slice(0, mostReads),
);

/**
 * The id of another operation that this key opens and that refuses a missing key by status. If
 * there is one, the key is neither wrong nor expired. With `--only` or in a shard, none is asked.
 */
export const openedElsewhere = (ask: Ask, subject: OperationSubject): string | undefined => {
  if (subject.deployment.isPart) return undefined;
  const reads = otherReads(subject).flatMap((other) => {
    const [keyless, missing] = anonymousControls(other);
    return keyless && missing ? [{ id: other.operation.id, probes: [keyless, missing, keyedControl(other, 1)] }] : [];
  });
  const sent = ask.all(reads.flatMap(({ probes }) => probes)).map(answerOf);
  return reads.find((_, index) => {
    const [keyless, missing, keyed] = sent.slice(3 * index, 3 * index + 3);
    return keyless && missing && keyed && !isSuccess(keyless) && isSuccess(keyed) && !isSame(keyed, missing);
  })?.id;
};
