import { groupBy, memoizePerObject } from '../../collections.js';
import type { Contract, Operation } from '../../contract/model.js';
import type { Response } from '../../wire/types.js';
import { answerOf, isSuccess } from '../oracle/answers.js';
import { type Controls, controlsOf } from '../oracle/controls.js';
import { isAsKeyed } from '../oracle/keyed.js';
import { differences, isSame } from '../oracle/same.js';
import { isUsable, usable } from '../oracle/usable-controls.js';
import type { Ask, OperationSubject } from '../rule.js';
import { asksForTheKey, because, type Cause } from '../support/judgement.js';
import { canSendKey, protectedReads, subjectFor } from '../support/subjects.js';

/** Whether the key opens other operations, and whether everybody gets what it gets. */

const mostReads = 8;

/**
 * Names the settings of an operation's keys. If API_KEY was only assumed for a scheme, the scheme
 * is named.
 */
const requirementOf = ({ security }: Operation): string =>
  JSON.stringify(security.map(({ setting, guessed, name }) => (guessed ? `${setting} as ${name}` : setting)).sort());

const readsByKeys = memoizePerObject((contract: Contract) => groupBy(protectedReads(contract), requirementOf));

/**
 * Protected reads with the same keys, from all over the document: neighbours often need the same
 * right.
 */
export const someReads = (subject: OperationSubject): readonly OperationSubject[] => {
  const reads = readsByKeys(subject.contract).get(requirementOf(subject.operation)) ?? [];
  const step = Math.max(1, reads.length / mostReads);
  return reads
    .filter((_, index) => Math.floor(index % step) === 0)
    .map((operation) => subjectFor(subject, operation))
    .filter(canSendKey);
};

/**
 * Whether the key makes a difference: without it and with a random one, the status is no success,
 * or the answer has another structure.
 */
const isOpenedByKey = (controls: Controls): boolean => {
  const [first, second] = controls.keyed.map(answerOf);
  if (!first || !second || !isUsable(usable(controls))) return false;
  const isAlike = ({ shape }: Response): boolean => differences(first.shape, shape) !== undefined;
  const isRefusal = (answer: Response): boolean => !isSuccess(answer) || (isAlike(second) && !isAlike(answer));
  const [anonymous, random] = [controls.anonymous, controls.random].map(answerOf);
  return anonymous !== undefined && isRefusal(anonymous) && (random === undefined || isRefusal(random));
};

/**
 * The id of another operation that this key opens. If there is one, the key is neither wrong nor
 * expired. With `--only` or in a shard, none is asked.
 */
export const openedElsewhere = (ask: Ask, subject: OperationSubject): string | undefined => {
  if (subject.deployment.isPart) return undefined;
  const others = someReads(subject).filter(({ operation }) => operation.id !== subject.operation.id);
  return ask
    .each(others, (other) => (isOpenedByKey(controlsOf(ask, other)) ? other.operation.id : undefined))
    .find((id) => id !== undefined);
};

interface AnswersEverybody {
  readonly status: number;
  /** What was seen, and what the document has to say if the operation is meant to be public. */
  readonly words: string;
}

/** Finds a 2xx answer that is the same with the key and without one. */
export const answersEverybody = (
  { keyed, anonymous, random }: Controls,
  { operation }: OperationSubject,
): AnswersEverybody | undefined => {
  const [first, second, without, wrong] = [...keyed, anonymous, random].map(answerOf);
  if (!isSuccess(first) || !second || !without || !isTheSame(first, second, without)) return undefined;
  const whom =
    wrong && isTheSame(first, second, wrong) ? 'everybody' : 'a request without a key as it answers one with it';
  return {
    status: first.status,
    words: `It answers ${first.status} to ${whom}. ${asksForTheKey(operation)}: if the operation is public, the document has to say so with security: [].`,
  };
};

/** The cause of such a finding, if the key is known to be valid. The body is no refusal then. */
export const openToAll = ({ status }: AnswersEverybody): Cause => because('answers-everybody', status);

/** Whether two answers are equal, except for what differs between the keyed reads. */
const isTheSame = (first: Response, second: Response, other: Response): boolean =>
  isSame(first, other) || (first.status === other.status && isAsKeyed({ first, second }, other));
