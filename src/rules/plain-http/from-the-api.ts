import type { Probe, Response } from '../../wire/types.js';
import {
  answerOf,
  isNotFound,
  isServerError,
  isSuccess,
  isUnanswered,
  redirectPathOf,
  redirectUrlOf,
  saysNothing,
} from '../oracle/answers.js';
import { rowsByList } from '../oracle/contents.js';
import { anonymousControls, publicOperations } from '../oracle/control-requests.js';
import { isAsKeyed, keyedOf } from '../oracle/keyed.js';
import { readExchange, readResponse } from '../oracle/reading.js';
import { isOfOneForm, isSame, isSameRow } from '../oracle/same.js';
import type { Reading } from '../oracle/table.js';
import { isOfKind, isTableOfKind, kindsOf } from '../oracle/tables.js';
import { usableFor } from '../oracle/usable-controls.js';
import { viewIn } from '../oracle/view.js';
import type { Ask, OperationSubject } from '../rule.js';
import { isAnswerTo, repeated } from '../support/follow-up.js';
import { subjectFor } from '../support/subjects.js';
import { splitTarget } from '../support/targets.js';
import {
  carriesCanary,
  httpsAnswers,
  isToHttps,
  lastWithin,
  missingOn,
  overTls,
  type PlainAnswer,
  type PlainRequest,
} from './plain-answer.js';

/** Whether an answer has rows of the same kind, or half of the values, in any format. */
const carriesRowsOf = (open: Response, seen: Response): boolean => {
  const there = new Set([...seen.shape.values, ...(seen.shape.parts ?? [])]);
  const carried = open.shape.values.filter((value) => there.has(value)).length;
  if (carried >= 2 && carried * 2 >= open.shape.values.length) return true;
  const own = keyedOf(open, open);
  // Rows count below another member, in a page and in another format too. Rows that are all equal
  // show no more than one.
  const [first, ...others] = rowsByList(seen.shape)
    .flat()
    .filter(({ shape, cells }) => cells.size >= 2 && own.rows.some((row) => isSameRow(row.shape, shape)));
  if (first && others.some(({ shape }) => !isSameRow(first.shape, shape))) return true;
  const lists = viewIn(seen.shape)?.lists;
  if (!lists || own.rows.length === 0) return false;
  return [...lists].some(([path, { rows }]) => {
    const kind = kindsOf(own).get(path);
    // The rows may be another selection, an older copy or another language, if they have the same
    // members (two or more).
    const alike = kind && kind.names.size >= 2 ? rows.filter((row) => isOfKind(row, kind)).length : 0;
    return alike >= 2 || isTableOfKind(own, path, rows);
  });
};

/** Whether plain HTTP serves what HTTPS serves. */

/** `served` for what HTTPS serves, the reading of a success that may be that, or `undefined`. */
export const representationIn = (plain: PlainAnswer): 'served' | Reading | undefined => {
  const { ask, subject, answer } = plain;
  if (subject.operation.access === 'public') return isPublicRepresentation(plain) ? 'served' : undefined;
  const good = usableFor(ask, subject);
  if (!good) return undefined;
  const isEmpty = answer.shape.kind === 'empty' && good.first.shape.kind === 'empty';
  const mayBeServed = ({ verdict }: Reading): boolean =>
    verdict === 'granted' || (verdict === 'unclear' && isSuccess(answer));
  if (!mayBeServed(readExchange(plain.step, good.background)) && !isEmpty) return undefined;
  const nothing = answerOf(ask(missingOn(plain)));
  const isEverywhere = isSame(nothing, answer);
  const reading = readExchange(plain.step, good.background, {
    nothing: nothing ? [nothing] : [],
    missingDiffers: () => nothing !== undefined && !isEverywhere,
  });
  if (reading.verdict === 'granted') return 'served';
  // An empty answer counts only with the status that HTTPS gives, and if a missing path gets
  // another answer.
  if (isEmpty) return answer.status === good.first.status && !isEverywhere ? 'served' : undefined;
  // A page about something else, such as the load of the server. Missing paths get it too.
  const isAlike =
    nothing?.status === answer.status &&
    isOfOneForm(nothing.shape, answer.shape) &&
    readResponse(nothing, good.background).line === reading.line;
  return mayBeServed(reading) && !isAlike ? reading : undefined;
};

/**
 * Whether plain HTTP gives what HTTPS gives to everybody: the same answer, or rows of its kind. A
 * page that missing paths get too does not count.
 */
const isPublicRepresentation = (plain: PlainAnswer): boolean => {
  const { ask, known, answer } = plain;
  return overTls(plain).some((https) => {
    const open = answerOf(https);
    if (!isSuccess(open) || answer.shape.kind === 'empty') return false;
    if (answer.shape.kind !== open.shape.kind && !carriesRowsOf(open, answer)) return false;
    const again = answerOf(repeated(ask, https)) ?? open;
    const shows = (seen: Response): boolean =>
      isAsKeyed({ first: open, second: again }, seen) || carriesRowsOf(open, seen);
    if (!shows(answer)) return false;
    const nothing = [known.missing, ask(missingOn(plain))];
    return !nothing.some((other) => {
      const body = answerOf(other);
      return body !== undefined && (isSame(body, answer) || shows(body));
    });
  });
};

/** Whether HTTPS redirects the operation to the very URL that plain HTTP answered. */
const isWhereHttpsLeads = ({ known, step }: PlainAnswer): boolean => {
  const answer = answerOf(known.anonymous);
  const { origin, target } = known.anonymous.probe;
  const to = answer && redirectUrlOf(answer, `${origin}${target}`);
  return to !== undefined && to.origin === step.probe.origin && `${to.pathname}${to.search}` === step.probe.target;
};

/**
 * Whether the API is on plain HTTP by the word of HTTPS, which serves nothing itself and redirects
 * there: a public operation opens, or a protected one asks for credentials, and a path that does
 * not exist is told to be none.
 */
export const isServedWhereHttpsLeads = (plain: PlainAnswer): boolean => {
  const { ask, subject, answer } = plain;
  const isOfApi =
    subject.operation.access === 'public' ? isSuccess(answer) && answer.shape.kind !== 'empty' : answer.status === 401;
  if (!isOfApi || !isWhereHttpsLeads(plain)) return false;
  const nothing = answerOf(ask(missingOn(plain)));
  return nothing !== undefined && isNotFound(nothing);
};

/** Whether a refusal over plain HTTP is the API's own. */

/**
 * Whether an answer is that of the server in front of the API: a page or text that missing paths,
 * or the base path, get too. Structured data comes from the API.
 */
const isOfFrontServer = ({ ask, known, subject }: PlainAnswer, answer: Response): boolean => {
  if (viewIn(answer.shape) && answer.shape.kind !== 'html') return false;
  const [, , base] = anonymousControls(subject);
  return [known.missing, ask(base)].some((exchange) => isAnswerTo(ask, exchange, answer));
};

/**
 * Whether plain HTTP asks for the key at this path, and redirects a missing path beside it to
 * https: whichever server asks, the redirect leaves this path out.
 */
const isLetThrough = (plain: PlainAnswer): boolean => {
  if (plain.answer.status !== 401) return false;
  const nowhere = answerOf(plain.ask(missingOn(plain)));
  return nowhere !== undefined && isToHttps(nowhere);
};

/** Whether HTTPS opens an operation to everybody, unlike a missing path. */
const isOpenOverTls = (ask: Ask, subject: OperationSubject): boolean => {
  const { anonymous, missing } = httpsAnswers(ask, subject);
  const open = answerOf(anonymous);
  return isSuccess(open) && !isAnswerTo(ask, missing, open);
};

const publicsOf = (subject: OperationSubject): readonly OperationSubject[] =>
  publicOperations(subject).map((operation) => subjectFor(subject, operation));

/** Values that were read are not sent over plain HTTP, and others may name nothing. */
const publicsOverPlainHttp = (subject: OperationSubject): readonly OperationSubject[] =>
  publicsOf(subject).filter(({ operation }) => operation.placeholders === undefined);

/** Whether plain HTTP opens a public operation to the same request: then the API answers there. */
const opensPublic = ({ ask, subject, request }: PlainAnswer): boolean =>
  publicsOverPlainHttp(subject).some((other) => {
    const known = httpsAnswers(ask, other);
    const bare = request.forOperation(other.operation);
    // A proxy may pass on only requests with a key.
    return [bare, { ...bare, headers: request.probe.headers }].some((probe) => {
      const step = ask(probe);
      const answer = answerOf(step);
      const asked = { ...request, probe, bare: probe };
      return (
        answer !== undefined && isPublicRepresentation({ ask, subject: other, known, request: asked, step, answer })
      );
    });
  });

/**
 * Whether the answer is the refusal that HTTPS gives for this operation, and the API gives it: it
 * opens public operations there, or the path makes a difference. `as-of-public`: the same is said
 * of public operations, so it is not about a missing key. `not-compared`: a missing path got no
 * answer, or a server error.
 */
export const refusedByApi = (plain: PlainAnswer): true | 'as-of-public' | 'not-compared' | undefined => {
  const { ask, subject, known, step, answer } = plain;
  // A redirect to the same path is about the host or the scheme.
  if (redirectPathOf(answer) === splitTarget(step.probe.target)[0]) return undefined;
  const refusals = overTls(plain).flatMap((https) => {
    const refusal = answerOf(https);
    const isRefusal =
      refusal && !saysNothing(refusal) && (subject.operation.access === 'protected' || !isSuccess(refusal));
    return isRefusal && answerOf(known.missing) && isAnswerTo(ask, https, answer) ? [refusal] : [];
  });
  if (refusals.length === 0) return undefined;
  if (opensPublic(plain)) return true;
  if (refusals.every((refusal) => isOfFrontServer(plain, refusal)) && !isLetThrough(plain)) return undefined;
  const nowhere = ask(missingOn(plain));
  if (isAnswerTo(ask, nowhere, answer)) return undefined;
  if (isUnanswered(nowhere) || isServerError(nowhere)) return 'not-compared';
  return isSaidOfPublic(plain) ? 'as-of-public' : true;
};

/** Whether a public operation is answered alike there: then it is not about a key. */
const isSaidOfPublic = ({ ask, subject, known, request, answer }: PlainAnswer): boolean => {
  const bareFor = ({ operation }: OperationSubject): Probe => request.forOperation(operation);
  const alsoFor = (other: OperationSubject): Probe => ({ ...bareFor(other), headers: request.probe.headers });
  const publics = publicsOf(subject);
  ask.all([subject, ...publics].flatMap((each) => [bareFor(each), alsoFor(each)]));
  const said = answerOf(lastWithin(ask, ask(bareFor(subject))));
  // Without the canary, the answer is not the refusal of HTTPS. So the server checks keys, and this
  // comparison shows nothing: some frameworks refuse a wrong key at public operations too.
  if (!said || (carriesCanary(request.probe) && !isAnswerTo(ask, known.anonymous, said))) return false;
  return publics.some(
    (other) =>
      isOpenOverTls(ask, other) &&
      isAnswerTo(ask, lastWithin(ask, ask(bareFor(other))), said) &&
      isAnswerTo(ask, lastWithin(ask, ask(alsoFor(other))), answer),
  );
};

/**
 * Whether there is no API on plain HTTP: a public resource that HTTPS opens is answered there like
 * a missing path, or by a redirect to https.
 */
export const noApiOnPlainHttp = (ask: Ask, subject: OperationSubject, request: PlainRequest): boolean =>
  publicsOverPlainHttp(subject).some((other) => {
    if (!isOpenOverTls(ask, other)) return false;
    const { missing } = httpsAnswers(ask, other);
    const probe = request.forOperation(other.operation);
    const plain = answerOf(ask(probe));
    const nowhere = ask({ ...probe, name: `${probe.name}, a path that does not exist`, target: missing.probe.target });
    return plain === undefined || isToHttps(plain) || isAnswerTo(ask, nowhere, plain);
  });
