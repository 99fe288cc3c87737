import type { Probe, Response } from '../../wire/types.js';
import { answerOf, isBadGatewayEachTime, isSuccess } from '../oracle/answers.js';
import { type Background, givenToAnybody } from '../oracle/background.js';
import { digestsIn } from '../oracle/contents.js';
import { keyedOf } from '../oracle/keyed.js';
import { keyStillOpens, withMovingPathsOf } from '../oracle/later-reads.js';
import { isOfOneResource } from '../oracle/other-operations.js';
import { differsInValuesAlone } from '../oracle/outside.js';
import { ownedIn } from '../oracle/owned-values.js';
import { isOfOneForm, isSame, volatileIn } from '../oracle/same.js';
import { type Reading, remarkable } from '../oracle/table.js';
import { isTableOfKind } from '../oracle/tables.js';
import type { UsableControls } from '../oracle/usable-controls.js';
import type { Ask, OperationSubject } from '../rule.js';
import { follow } from '../support/follow-up.js';
import { again, changeOf, formControl, requestFor } from '../support/requests.js';
import { canSendKey, protectedReads, subjectFor } from '../support/subjects.js';
import { targetOf } from '../support/targets.js';
import { type Attempted, type Bypass, type Judging, readWithEnd, withoutRecords } from './bypass.js';
import { unlessOfChangingList } from './changing-lists.js';

/**
 * Whether the bypass asked for a format and got one that neither the keyed answer nor a refusal in
 * a 2xx body has. Such an answer can only be compared with what the key gets in that format.
 */
export const isInAnotherForm = (
  { bypass, exchange, reading }: Attempted,
  { first, anonymous }: UsableControls,
): boolean => {
  const answer = answerOf(exchange);
  if (!bypass.changesForm || !isSuccess(answer) || reading.line === 2) return false;
  const refusal = answerOf(anonymous);
  return [first, ...(isSuccess(refusal) ? [refusal] : [])].every(
    ({ shape }) => shape.mediaType !== answer.shape.mediaType,
  );
};

const byGateway: Reading = { verdict: 'refused', line: 3, seen: '502 each time, also where nothing is' };

/**
 * Whether a gateway answers a bypass with 502 each time, wherever it is sent. The service behind it
 * closes the connection at such a request, so nobody gets an answer by it.
 */
const isGatewaysRefusal = ({ ask, plan }: Judging, { bypass, exchange }: Attempted): boolean => {
  const missing = plan.inSeries ? undefined : bypass.missing?.();
  return (
    missing !== undefined &&
    isBadGatewayEachTime(exchange) &&
    ask.all([again(bypass.probe), missing]).every(isBadGatewayEachTime)
  );
};

/**
 * Reads an answer again, with more comparison answers, if it was not refused or is in another
 * format. The bypass is sent to a missing path. Requests that open nothing are sent again, to find
 * what is volatile. For another format, the bypass is sent with the key.
 */
export const confirmReading = (judging: Judging, attempted: Attempted): Attempted => {
  const { ask, controls } = judging;
  const { bypass, exchange, reading } = attempted;
  if (bypass.readWith) return attempted;
  // More requests would not help with a missing answer or a rate limit.
  if (reading.line === 3)
    return isGatewaysRefusal(judging, attempted) ? { ...attempted, reading: byGateway } : attempted;
  if (reading.verdict === 'refused' && !isInAnotherForm(attempted, controls)) return attempted;
  const answer = answerOf(exchange);
  if (!answer) return attempted;
  const missing = bypass.missing?.() ?? (reading.line === 0 ? bypass.missingIfEmpty?.() : undefined);
  const places = requestsOfNothing(judging, bypass, answer);
  const first = withEnds(ask, places);
  const second = withEnds(
    ask,
    places.map((probe) => again(probe)),
  );
  const nothing = withoutRecords(
    [...first, ...second].filter((one) => one !== undefined),
    controls,
  );
  const volatile = new Set([
    ...controls.background.volatile,
    ...first.flatMap((one, index) => [...volatileIn(one, second[index])]),
  ]);
  const nowhere = missing && answerOf(ask(missing));
  const background: Background = {
    ...controls.background,
    volatile,
    missingDiffers: () => nowhere !== undefined && !isSame(nowhere, answer, volatile),
  };
  const closer: UsableControls = { ...controls, background };
  const readAgainst = (against: UsableControls): Reading =>
    unlessOfChangingList(judging, bypass, exchange, (more) =>
      readWithEnd(ask, exchange, against, { nothing: [...nothing, ...more] }),
    );
  const plain = readAgainst(closer);
  const seen = { ...attempted, reading: plain };
  if (!bypass.changesForm || !isSuccess(answer) || (plain.verdict === 'refused' && !isInAnotherForm(seen, controls)))
    return seen;
  // If the key no longer opens the operation, its answer in another format proves nothing.
  const inForm = keyStillOpens(judging.health, controls) ? controlsInForm(judging, bypass, closer, nowhere) : undefined;
  if (!inForm) return seen;
  const inItsForm = readAgainst(steadyIn(judging, bypass, answer, inForm));
  const isForm = isFormOfData(inForm, closer);
  if ((inItsForm.verdict === 'granted' && !isForm) || isFrameAlone(inItsForm, plain, inForm)) {
    const keyed = [controls.first, ...(isForm ? [inForm.background.keyed.first] : [])];
    return {
      ...attempted,
      reading: repeatsRefusal(answer, controls, keyed)
        ? told(answer, 'a request without a key is told, in the form that was asked for')
        : doubtful(inItsForm),
    };
  }
  if (inItsForm.verdict === 'unclear' && isSaidElsewhere(judging, bypass, answer, inForm.background.keyed.first))
    return { ...attempted, reading: told(answer, 'another operation answers too, where the key gets something else') };
  return { ...attempted, reading: isAskedForm(answer, inForm) ? notRefused(inItsForm) : inItsForm };
};

/**
 * Whether a page shares only menus and headings with the key's page in that format. These surround
 * refusals too: the page has no structure, and no text of the documented answer.
 */
const isFrameAlone = ({ verdict, line }: Reading, plain: Reading, { background }: UsableControls): boolean =>
  verdict === 'granted' && line === 1 && plain.line === 12 && background.keyed.view === undefined;

/**
 * Whether the key's answer in that format holds a value of the documented keyed answer, if that has
 * owned values, or other rows of their kind, such as those of a later page. If not, it may be a
 * refusal that every key gets.
 */
const isFormOfData = ({ background: inForm }: UsableControls, { background }: UsableControls): boolean => {
  const { open } = givenToAnybody(background);
  const ownIn = ({ shape }: Response): number => ownedIn(background.keyed, shape, open.has);
  return (
    ownIn(background.keyed.first) === 0 ||
    ownIn(inForm.keyed.first) > 0 ||
    [...(inForm.keyed.view?.lists ?? [])].some(([path, { rows }]) => isTableOfKind(background.keyed, path, rows))
  );
};

/** Whether an answer holds a value of the refusal without a key that no keyed answer has. */
const repeatsRefusal = (answer: Response, { anonymous }: UsableControls, keyed: readonly Response[]): boolean => {
  const refusal = answerOf(anonymous)?.shape;
  const there = digestsIn(answer.shape);
  const known = keyed.map(({ shape }) => digestsIn(shape));
  return (refusal?.values ?? []).some((value) => there.has(value) && !known.some((own) => own.has(value)));
};

/** @param what the answer is, so that it is a refusal */
const told = ({ status }: Response, what: string): Reading => ({
  verdict: 'refused',
  line: 12,
  seen: `${status}, what ${what}`,
  ...remarkable,
});

const doubtful = (reading: Reading): Reading => ({
  ...reading,
  verdict: 'unclear',
  line: 11,
  seen: 'what the key gets in that form, with nothing of what it gets in the documented one',
});

/**
 * Whether an answer is in the format that was asked for (CSV or XML), as the key's is, in a service
 * that refuses by status.
 */
const isAskedForm = ({ shape }: Response, { first, background }: UsableControls): boolean =>
  background.anonymousRefused &&
  (shape.kind === 'csv' || shape.kind === 'xml') &&
  first.shape.mediaType !== background.keyed.first.shape.mediaType &&
  shape.mediaType === background.keyed.first.shape.mediaType;

/** In another format, an empty list cannot be told from a refusal, so it is not read as one. */
const notRefused = (reading: Reading): Reading =>
  reading.verdict === 'refused' && reading.line !== 2
    ? { verdict: 'unclear', line: 11, seen: `${reading.seen}, in the form that was asked for` }
    : reading;

/** The controls for the bypass's format: the bypass sent with the key, twice. */
const controlsInForm = (
  { ask, subject }: Judging,
  { probe }: Bypass,
  controls: UsableControls,
  nowhere: Response | undefined,
): UsableControls | undefined => {
  // An account without rows has none in any other format either.
  if (controls.background.keyed.isEmpty) return undefined;
  const keyed = formControl(subject, probe);
  const reads = ask.all([keyed, again(keyed)]);
  const [first, second] = reads.map(answerOf);
  if (!isSuccess(first) || !isSuccess(second) || !isOfOneForm(first.shape, second.shape)) return undefined;
  if (isSame(first, nowhere) || isSame(first, answerOf(controls.anonymous), volatileIn(first, second)))
    return undefined;
  // Values outside rows that change between these reads are volatile.
  const settled = withMovingPathsOf(reads, controls);
  return { ...settled, background: { ...settled.background, keyed: keyedOf(first, second) } };
};

/** Sends more reads in that format, since values may be equal in two reads by chance. */
const steadyIn = (
  { ask, subject }: Judging,
  { probe }: Bypass,
  answer: Response,
  inForm: UsableControls,
): UsableControls => {
  const { first, second } = inForm.background.keyed;
  const isOfPlainForm = first.shape.mediaType === inForm.first.shape.mediaType;
  if (isOfPlainForm || !differsInValuesAlone(answer, inForm.background)) return inForm;
  const keyed = formControl(subject, probe);
  const { background } = withMovingPathsOf(ask.all([3, 4, 5].map((round) => again(keyed, round))), {
    ...inForm,
    first,
    second,
  });
  return { ...inForm, background };
};

/**
 * The answers, each with that at the end of its redirects. A log-in page may have another address
 * at each redirect, so that nothing but its text shows that a missing path leads there too.
 */
const withEnds = (ask: Ask, probes: readonly Probe[]): readonly (Response | undefined)[] =>
  ask.all(probes).flatMap((exchange) => [exchange, follow(ask, exchange).at(-1)].map((one) => one && answerOf(one)));

/**
 * Requests that open nothing, to be sent again: the bypass at a missing path, and those requests
 * that were answered with the same status.
 */
const requestsOfNothing = ({ ask, controls }: Judging, bypass: Bypass, { status }: Response): readonly Probe[] => [
  ...(bypass.missing ? [bypass.missing()] : []),
  ...[...(bypass.baseline ?? []), controls.missing.probe, controls.base.probe].filter(
    (probe) => answerOf(ask(probe))?.status === status,
  ),
];

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
const isSaidElsewhere = ({ ask, subject }: Judging, { probe }: Bypass, answer: Response, inForm: Response): boolean =>
  isSuccess(answer) &&
  answer.shape.kind === 'html' &&
  probe.target === targetOf(subject) &&
  othersOf(subject).some((other) => {
    const changed = changedAt(other, subject, probe);
    if (!isSame(answerOf(ask(changed)), answer)) return false;
    const keyed = answerOf(ask(formControl(other, changed)));
    return isSuccess(keyed) && !isSame(keyed, answer) && !isSame(keyed, inForm);
  });
