import type { Probe, Response } from '../../wire/types.js';
import { answerOf, isSuccess } from '../oracle/answers.js';
import { isOfOneResource } from '../oracle/other-operations.js';
import { isSame } from '../oracle/same.js';
import type { OperationSubject } from '../rule.js';
import { changeOf, formControl, requestFor } from '../support/requests.js';
import { canSendKey, protectedReads, subjectFor } from '../support/subjects.js';
import { targetOf } from '../support/targets.js';
import type { Bypass, Judging } from './bypass.js';

/** Maximum number of other operations that are asked. */
const mostOthers = 2;

const othersOf = (subject: OperationSubject): readonly OperationSubject[] =>
  subject.deployment.isPart
    ? []
    : protectedReads(subject.contract)
        .filter((other) => other.id !== subject.operation.id && !isOfOneResource(subject.operation, other))
        .map((other) => subjectFor(subject, other))
        .filter((other) => targetOf(other) !== targetOf(subject) && canSendKey(other))
        .slice(0, mostOthers);

/** The same change of the documented request of another operation. */
const changedAt = (other: OperationSubject, subject: OperationSubject, probe: Probe): Probe =>
  requestFor(other, {
    ...changeOf(subject, probe),
    name: `${probe.name}, at another operation`,
    credential: 'none',
  });

/**
 * Whether a page is given at another operation too, by the same change and without the key, while
 * the key gets another page there. Then it holds nothing of what either operation gives: it is a
 * page to log in, or a word for the script that asks. Empty lists of two operations may be equal
 * although both opened, so only pages are compared.
 */
export const isSaidElsewhere = (
  { ask, subject }: Judging,
  { probe }: Bypass,
  answer: Response,
  inForm: Response,
): boolean =>
  isSuccess(answer) &&
  answer.shape.kind === 'html' &&
  probe.target === targetOf(subject) &&
  othersOf(subject).some((other) => {
    const changed = changedAt(other, subject, probe);
    if (!isSame(answerOf(ask(changed)), answer)) return false;
    const keyed = answerOf(ask(formControl(other, changed)));
    return isSuccess(keyed) && !isSame(keyed, answer) && !isSame(keyed, inForm);
  });
