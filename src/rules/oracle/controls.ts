import { lazy } from '../../collections.js';
import type { Exchange } from '../../wire/types.js';
import type { Ask, OperationSubject } from '../rule.js';
import { oncePerJudgement } from '../support/once-per-judgement.js';
import { requestWithoutKey, requestWithRandomKey } from '../support/requests.js';
import { canSendKey, protectedSubjects } from '../support/subjects.js';
import { targetOf } from '../support/targets.js';
import { answerOf, answersOf, isServerError, isSuccess } from './answers.js';
import { anonymousControls, keyedControl, keyedControls, laterReads, publicReads } from './control-requests.js';
import { isDocumentedData } from './documented-data.js';
import {
  givesAnyKeyData,
  isOfOneResource,
  listsIt,
  type OtherOperations,
  openToAnyKey,
  refusesByStatus,
  takesTheKey,
} from './other-operations.js';
import { isOfOneForm, isSame } from './same.js';

/** How a protected operation answers with the key, and how it answers where there is nothing. */
export interface Controls {
  readonly keyed: readonly [Exchange, Exchange];
  /** Other keyed reads have another form than these two. */
  readonly variesInForm: boolean;
  readonly anonymous: Exchange;
  /** With a random key of the same length and alphabet. */
  readonly random: Exchange;
  readonly missing: Exchange;
  /** Another missing path. What differs between the two is volatile. */
  readonly otherMissing: Exchange;
  /** The missing path with the key. Keyed reads that equal it show nothing. */
  readonly keyedMissing: Exchange;
  readonly base: Exchange;
  /** The keyed answer fits its documented schema, and the answers that open nothing do not. */
  readonly isDocumentedData: boolean;
  /** Reads of a few public operations. */
  readonly publics: readonly Exchange[];
  /** Reads of other protected operations without a key that are refused. */
  readonly refusals: readonly Exchange[];
  readonly all: readonly Exchange[];
  /** What other operations show. Computed only on demand. */
  readonly elsewhere: OtherOperations;
}

/** Sends the controls: those without a key first. */
export const controlsOf = oncePerJudgement((subject: OperationSubject, ask): Controls => {
  const others = protectedSubjects(subject).filter(({ operation }) => operation.id !== subject.operation.id);
  const anonymous = anonymousControls(subject);
  // With `--only` or in a shard, keys are sent only to the chosen operations.
  const askableOthers = subject.deployment.isPart ? [] : others.filter(canSendKey);
  const publicProbes = publicReads(subject);
  const [without, missing, base, otherMissing, random] = ask.all([
    ...anonymous,
    ...publicProbes,
    ...others.map((other) => requestWithoutKey(other)),
    ...askableOthers.map(requestWithRandomKey),
  ]);
  const [read, repeatedRead, keyedMissing, ...keyedOthers] = ask.all([
    ...keyedControls(subject),
    ...askableOthers.map((other) => keyedControl(other, 1)),
  ]);
  if (!random) throw new TypeError('a random key is sent wherever the key may be');
  const [first, second] = ofOneForm(ask, subject, [read, repeatedRead]);
  const [answer, repeated] = [first, second].map(answerOf);
  const nowhere = answersOf([missing, keyedMissing, base]);
  // A list and its items are one resource: if both leak a record, it is not everybody's.
  const isOfAnotherResource = (other: OperationSubject): boolean =>
    !isOfOneResource(subject.operation, other.operation);
  return {
    keyed: [first, second],
    variesInForm: [read, repeatedRead].every(isOpened) && (first !== read || second !== repeatedRead),
    anonymous: without,
    random,
    missing,
    otherMissing,
    keyedMissing,
    base,
    isDocumentedData:
      answer !== undefined && repeated !== undefined && isDocumentedData(subject, answer, repeated, nowhere),
    publics: ask.all(publicProbes),
    refusals: [
      ...ask.all(others.filter(isOfAnotherResource).map((other) => requestWithoutKey(other))),
      // A gate may leave it to what is behind it to refuse a key, in a form of its own.
      ...ask
        .all(askableOthers.filter(isOfAnotherResource).map(requestWithRandomKey))
        .filter((exchange) => !isSuccess(answerOf(exchange))),
      // An answer that equals what the key gets is no refusal.
    ].filter((exchange) => ![first, ...keyedOthers].some((keyed) => isSame(answerOf(keyed), answerOf(exchange)))),
    all: [first, second, without, random, missing, otherMissing, keyedMissing, base],
    elsewhere: {
      refusesByStatus: lazy(() => refusesByStatus(ask, subject)),
      takesTheKey: lazy(() => takesTheKey(ask, subject)),
      givesAnyKeyData: lazy(() => givesAnyKeyData(ask, subject)),
      listsIt: (record) => listsIt(ask, subject, record),
      openToAnyKey: lazy(() =>
        openToAnyKey(
          ask,
          askableOthers.filter((other) => targetOf(other) !== targetOf(subject)),
        ),
      ),
    },
  };
});

type ReadPair = readonly [Exchange, Exchange];

const areOfOneForm = ([first, second]: ReadPair): boolean => {
  const [one, other] = [first, second].map(answerOf);
  return one !== undefined && other !== undefined && isOfOneForm(one.shape, other.shape);
};

const isOpened = (exchange: Exchange): boolean => isSuccess(answerOf(exchange));

/**
 * The two keyed reads. If one is a server error, or they have different forms, several servers may
 * answer: then two of one form, if more reads have them.
 */
const ofOneForm = (ask: Ask, subject: OperationSubject, reads: ReadPair): ReadPair => {
  const mayVary = reads.some(isOpened) && reads.every((one) => isOpened(one) || isServerError(one));
  if (!mayVary || (reads.every(isOpened) && areOfOneForm(reads))) return reads;
  const all = [...reads, ...ask.all(laterReads(subject))].filter(isOpened);
  const pairs = all.flatMap((one, index) => all.slice(index + 1).map((other): ReadPair => [one, other]));
  return pairs.find(areOfOneForm) ?? reads;
};
