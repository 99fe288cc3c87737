import type { Probe, Response } from '../../wire/types.js';
import { answerOf, isSuccess } from '../oracle/answers.js';
import type { Background } from '../oracle/background.js';
import { comparisonsIn } from '../oracle/comparisons.js';
import { digestsIn } from '../oracle/contents.js';
import { keyedOf } from '../oracle/keyed.js';
import { isHealthy, settledBy } from '../oracle/later-reads.js';
import { differsInValuesAlone } from '../oracle/outside.js';
import { ownedIn } from '../oracle/records.js';
import { isSame, volatileIn } from '../oracle/same.js';
import { type Reading, remarkable } from '../oracle/table.js';
import { isOfOneForm, type UsableControls } from '../oracle/usable-controls.js';
import type { Ask, OperationSubject } from '../rule.js';
import { again, formControl } from '../support/requests.js';
import { type Attempted, type Bypass, excusing, type Judging, readWithEnd } from './bypass.js';

/**
 * The bypass asks for a form, and the answer has one of its own, neither that of the keyed answer
 * nor that of a refusal told in a body: what it holds is seen only beside what the key gets in that
 * form.
 */
export const isInAnotherForm = (
  { bypass, exchange, reading }: Attempted,
  { first, anonymous }: UsableControls,
): boolean => {
  const answer = answerOf(exchange);
  if (!bypass.changesForm || !answer || !isSuccess(answer) || reading.line === 2) return false;
  const refusal = answerOf(anonymous);
  return [first, ...(refusal && isSuccess(refusal) ? [refusal] : [])].every(
    ({ shape }) => shape.mediaType !== answer.shape.mediaType,
  );
};

/**
 * A second look at what was not refused, or is in a form of its own: the bypass at a path that does
 * not exist, everything that shows nothing read again, and where the bypass changes the form of the
 * answer, what the key gets in that form.
 */
export const lookCloser = (judging: Judging, attempted: Attempted): Attempted => {
  const { ask, subject, controls } = judging;
  const { bypass, exchange, reading } = attempted;
  // A second look changes nothing about a missing or late answer.
  if (bypass.readWith || reading.line === 3) return attempted;
  if (reading.verdict === 'refused' && !isInAnotherForm(attempted, controls)) return attempted;
  const answer = answerOf(exchange);
  if (!answer) return attempted;
  const missing = bypass.missing?.();
  const places = placesOf(judging, bypass, answer);
  const first = ask.all(places).map(answerOf);
  const second = ask.all(places.map((probe) => again(probe))).map(answerOf);
  const nothing = excusing(
    [...first, ...second].filter((one) => one !== undefined),
    controls,
  );
  const volatile = new Set([
    ...controls.background.volatile,
    ...first.flatMap((one, index) => (one ? [...volatileIn(one, second[index])] : [])),
  ]);
  const nowhere = missing && answerOf(ask(missing));
  const background: Background = {
    ...controls.background,
    volatile,
    missingDiffers: nowhere !== undefined && !isSame(nowhere, answer, volatile),
  };
  const closer: UsableControls = { ...controls, background };
  const options = { nothing };
  const plain = readWithEnd(ask, exchange, closer, options);
  const seen = { ...attempted, reading: plain };
  if (!bypass.changesForm || !isSuccess(answer) || (plain.verdict === 'refused' && !isInAnotherForm(seen, controls)))
    return seen;
  // A key that ended, or was banned, shows nothing in another form.
  const inForm = isHealthy(judging.health, controls) ? formOf(ask, subject, bypass, closer, nowhere) : undefined;
  if (!inForm) return seen;
  const inItsForm = readWithEnd(ask, exchange, steadyIn(ask, subject, bypass, answer, inForm), options);
  const isForm = isFormOfData(inForm, closer);
  if ((inItsForm.verdict === 'granted' && !isForm) || isFrameAlone(inItsForm, plain, inForm)) {
    const keyed = [controls.first, ...(isForm ? [inForm.background.keyed.first] : [])];
    return {
      ...attempted,
      reading: repeatsRefusal(answer, controls, keyed) ? toldInForm(answer) : doubtful(inItsForm),
    };
  }
  return { ...attempted, reading: isAskedForm(answer, inForm) ? notRefused(inItsForm) : inItsForm };
};

/**
 * A page without a structure has much of what the key gets in that form, and nothing of what the key
 * gets in the documented one: menus and headings that are around the data and around a refusal too.
 */
const isFrameAlone = ({ verdict, line }: Reading, plain: Reading, { background }: UsableControls): boolean =>
  verdict === 'granted' && line === 1 && plain.line === 12 && background.keyed.view === undefined;

/**
 * Whether what the key gets in that form holds something of its own that it gets in the documented
 * one, where that has any: else it may be a refusal in that form, which is told to every key.
 */
const isFormOfData = ({ background: inForm }: UsableControls, { background }: UsableControls): boolean => {
  const { isOpen } = comparisonsIn(background);
  const ownIn = ({ shape }: Response): number => ownedIn(background.keyed, shape, isOpen);
  return ownIn(background.keyed.first) === 0 || ownIn(inForm.keyed.first) > 0;
};

/** Whether it has what a request without a key is told, and none of these answers to the key. */
const repeatsRefusal = (answer: Response, { anonymous }: UsableControls, keyed: readonly Response[]): boolean => {
  const refusal = answerOf(anonymous)?.shape;
  const there = digestsIn(answer.shape);
  const known = keyed.map(({ shape }) => digestsIn(shape));
  return (refusal?.values ?? []).some((value) => there.has(value) && !known.some((own) => own.has(value)));
};

const toldInForm = ({ status }: Response): Reading => ({
  verdict: 'refused',
  line: 12,
  seen: `${status}, what a request without a key is told, in the form that was asked for`,
  ...remarkable,
});

const doubtful = (reading: Reading): Reading => ({
  ...reading,
  verdict: 'unclear',
  line: 11,
  seen: 'what the key gets in that form, with nothing of what it gets in the documented one',
});

/**
 * The answer is the CSV or XML that the key gets for the same bypass, in a service that refuses by
 * status.
 */
const isAskedForm = ({ shape }: Response, { first, background }: UsableControls): boolean =>
  background.anonymousRefused &&
  (shape.kind === 'csv' || shape.kind === 'xml') &&
  first.shape.mediaType !== background.keyed.first.shape.mediaType &&
  shape.mediaType === background.keyed.first.shape.mediaType;

/** Of a body in the form that was asked for nobody knows whether it is an empty one. */
const notRefused = (reading: Reading): Reading =>
  reading.verdict === 'refused' && reading.line !== 2
    ? { verdict: 'unclear', line: 11, seen: `${reading.seen}, in the form that was asked for` }
    : reading;

/**
 * The bypass with the key: what it gets is what the key opens in the form that the bypass asks for.
 */
const formOf = (
  ask: Ask,
  subject: OperationSubject,
  { probe }: Bypass,
  controls: UsableControls,
  nowhere: Response | undefined,
): UsableControls | undefined => {
  // Of an account without rows no form shows any.
  if (controls.background.keyed.isHollow) return undefined;
  const keyed = formControl(subject, probe);
  const reads = ask.all([keyed, again(keyed)]);
  const [first, second] = reads.map(answerOf);
  if (!first || !second || !isSuccess(first) || !isSuccess(second) || !isOfOneForm(first.shape, second.shape))
    return undefined;
  if (nowhere && isSame(first, nowhere)) return undefined;
  const refusal = answerOf(controls.anonymous);
  if (refusal && isSame(first, refusal, volatileIn(first, second))) return undefined;
  // What any two reads with the key show to change, changes.
  const settled = settledBy(reads, controls);
  return { ...settled, background: { ...settled.background, keyed: keyedOf(first, second) } };
};

/**
 * What stays in two reads of that form by chance shows in more of them, as in the keyed answer
 * itself.
 */
const steadyIn = (
  ask: Ask,
  subject: OperationSubject,
  { probe }: Bypass,
  answer: Response,
  inForm: UsableControls,
): UsableControls => {
  const { first, second } = inForm.background.keyed;
  const isOfPlainForm = first.shape.mediaType === inForm.first.shape.mediaType;
  if (isOfPlainForm || !differsInValuesAlone(answer, inForm.background)) return inForm;
  const keyed = formControl(subject, probe);
  const { background } = settledBy(ask.all([3, 4, 5].map((round) => again(keyed, round))), {
    ...inForm,
    first,
    second,
  });
  return { ...inForm, background };
};

/** Where the bypass and the request without it are asked once more to see what shows nothing. */
const placesOf = ({ ask, controls }: Judging, bypass: Bypass, { status }: Response): readonly Probe[] => [
  ...(bypass.missing ? [bypass.missing()] : []),
  ...[...(bypass.baseline ?? []), controls.missing.probe, controls.base.probe].filter(
    (probe) => answerOf(ask(probe))?.status === status,
  ),
];
