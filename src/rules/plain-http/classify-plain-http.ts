import type { Operation } from '../../contract/model.js';
import type { Exchange, Probe, Response } from '../../wire/types.js';
import { answerOf, header, isRedirect, isSuccess } from '../oracle/answers.js';
import { anonymousControls, publicOperations } from '../oracle/control-requests.js';
import { type Controls, controlsOf } from '../oracle/controls.js';
import { keyedOf } from '../oracle/keyed.js';
import { readExchange } from '../oracle/reading.js';
import { differences, isSame, sharedWithKeyed, volatileIn } from '../oracle/same.js';
import { isTableOfKind } from '../oracle/tables.js';
import { isUsable, usable } from '../oracle/usable-controls.js';
import { viewIn } from '../oracle/view.js';
import type { Ask, OperationSubject } from '../rule.js';
import { because, type Cause } from '../support/causes.js';
import { follow } from '../support/follow-redirects.js';
import { again } from '../support/requests.js';
import { canSendKey, subjectFor } from '../support/subjects.js';
import { whyFromProxy, whyNotReached } from './plain-http-reachability.js';

/**
 * Classifies an answer over plain HTTP: nothing of the API, what HTTPS serves, or the API's own
 * refusal.
 */

/** A request over plain HTTP. */
export interface PlainRequest {
  readonly words: string;
  readonly probe: Probe;
  /**
   * The same without header fields of its own. If both are answered alike, the fields made no
   * difference.
   */
  readonly bare: Probe;
  /** Spells a target as the request's own is spelled. */
  readonly spell: (target: string) => string;
  /** The same for another operation, without a canary. */
  readonly forOperation: (operation: Operation) => Probe;
  /** Classifies the answer in another way than by its body (HEAD has none). */
  readonly classify?: ClassifyPlain;
}

export type ClassifyPlain = (
  ask: Ask,
  subject: OperationSubject,
  request: PlainRequest,
  exchange: Exchange,
) => PlainReading;

export type PlainReading = PlainSeen | { readonly kind: 'unclear'; readonly cause: Cause; readonly seen: string };

interface PlainSeen {
  readonly kind: 'nothing' | 'served' | 'refused-by-api';
  readonly seen: string;
  /** Nothing of the API, whatever HTTPS answers: no answer at all, or a redirect to https. */
  readonly forCertain?: true;
  /** Nothing of the API, with a success status. */
  readonly success?: true;
}

/** What HTTPS gives for the operation, to compare with. */
export type HttpsAnswers = Controls | { readonly anonymous: Exchange; readonly missing: Exchange };

export const httpsAnswers = (ask: Ask, subject: OperationSubject): HttpsAnswers => {
  if (subject.operation.access === 'protected' && canSendKey(subject)) return controlsOf(ask, subject);
  const [anonymous, missing] = ask.all(anonymousControls(subject).slice(0, 2));
  if (!anonymous || !missing) throw new TypeError('ask.all returns an exchange for every probe');
  return { anonymous, missing };
};

export const isToHttps = (answer: Response): boolean =>
  isRedirect(answer) && /^https:/i.test(header(answer, 'location') ?? '');

/** Whether a random value of our own stands where the key would. */
export const carriesCanary = ({ headers }: Probe): boolean => headers.some(([, value]) => value.includes('canary'));

export const isPlainHttp = ({ origin }: Probe): boolean => origin.startsWith('http:');

export const classifyPlainHttp: ClassifyPlain = (ask, subject, request, exchange) => {
  const known = httpsAnswers(ask, subject);
  const chain = follow(ask, exchange, isPlainHttp);
  const reached = [exchange, ...chain];
  const nothing = (seen: string): PlainSeen => ({ kind: 'nothing', seen });
  for (const step of reached) {
    const answer = answerOf(step);
    if (!answer) return noAnswer(step, known.anonymous);
    if (answer.status === 429) return { kind: 'unclear', cause: because('rate-limit'), seen: '429 to the end' };
    const plain: PlainAnswer = { ask, subject, known, request, step, answer };
    if (isRepresentation(plain)) return { kind: 'served', seen: `${answer.status} with what HTTPS serves` };
    const toHttps = isToHttps(answer);
    if (!toHttps && isOwnRefusal(plain))
      return isSaidOfPublic(plain)
        ? nothing(`${answer.status}, as of what HTTPS opens to everybody`)
        : { kind: 'refused-by-api', seen: `${answer.status}, the API's own answer as over HTTPS` };
    if (toHttps) return { kind: 'nothing', seen: `${answer.status} to https`, forCertain: true };
  }
  const end = reached.at(-1) ?? exchange;
  const proxys = whyFromProxy(end, known.anonymous);
  if (proxys) return { kind: 'unclear', cause: proxys.cause, seen: proxys.words };
  const last = answerOf(end);
  return last && isSuccess(last)
    ? { ...nothing(`${last.status} of another kind`), success: true }
    : nothing(`${last?.status ?? 'nothing'}`);
};

const noAnswer = (exchange: Exchange, https: Exchange): PlainReading => {
  const error = exchange.attempts.at(-1)?.error;
  if (error === undefined || error.code === 'aborted')
    return { kind: 'unclear', cause: because('run-stopped'), seen: 'the run was stopped' };
  const unreached = whyNotReached(exchange, https);
  if (unreached) return { kind: 'unclear', cause: unreached.cause, seen: unreached.words };
  return { kind: 'nothing', seen: `no answer (${error.code})`, forCertain: true };
};

interface PlainAnswer {
  readonly ask: Ask;
  readonly subject: OperationSubject;
  readonly known: HttpsAnswers;
  readonly request: PlainRequest;
  /** The answered request, or where a redirect within plain HTTP led it. */
  readonly step: Exchange;
  readonly answer: Response;
}

const isRepresentation = (plain: PlainAnswer): boolean => {
  const { known, subject, answer } = plain;
  if (subject.operation.access === 'public') return isPublicRepresentation(plain);
  if (!('keyed' in known)) return false;
  const good = usable(known);
  if (!isUsable(good)) return false;
  const isEmpty = answer.shape.kind === 'empty' && good.first.shape.kind === 'empty';
  if (readExchange(plain.step, good.background).verdict !== 'granted' && !isEmpty) return false;
  const nothing = answerOf(plain.ask(missingOn(plain)));
  if (readExchange(plain.step, good.background, { nothing: nothing ? [nothing] : [] }).verdict === 'granted')
    return true;
  // An empty answer is the operation's only with its status, and only if a missing path is answered
  // otherwise.
  return isEmpty && answer.status === good.first.status && !(nothing && isSame(nothing, answer));
};

/**
 * What HTTPS gives to everybody: the same answer, or other rows of its kind. A page that stands for
 * every path does not count.
 */
const isPublicRepresentation = (plain: PlainAnswer): boolean => {
  const { ask, known, answer } = plain;
  return overTls(plain).some((https) => {
    const open = answerOf(https);
    if (!open || !isSuccess(open) || answer.shape.kind === 'empty') return false;
    if (answer.shape.kind !== open.shape.kind && !carriesRowsOf(open, answer)) return false;
    const again = answerOf(repeated(ask, https)) ?? open;
    const shows = (seen: Response): boolean =>
      sharedWithKeyed(open.shape, again.shape, seen.shape) !== undefined || carriesRowsOf(open, seen);
    if (!shows(answer)) return false;
    const nothing = [known.missing, ask(missingOn(plain))];
    return !nothing.some((other) => {
      const body = answerOf(other);
      return body !== undefined && (isSame(body, answer) || shows(body));
    });
  });
};

/** Rows of the same kind, or most of its values, in any form. */
const carriesRowsOf = (open: Response, seen: Response): boolean => {
  const there = new Set([...seen.shape.values, ...(seen.shape.parts ?? [])]);
  const carried = open.shape.values.filter((value) => there.has(value)).length;
  if (carried >= 2 && carried * 2 >= open.shape.values.length) return true;
  const lists = viewIn(seen.shape)?.lists;
  const own = keyedOf(open, open);
  if (!lists || own.rows.length === 0) return false;
  return [...lists].some(([path, { rows }]) => isTableOfKind(own, path, rows));
};

/**
 * The same request again. It is sent after the answer that it is compared with, so that values that
 * follow the clock have changed.
 */
const repeated = (ask: Ask, exchange: Exchange): Exchange => ask(again(exchange.probe));

/**
 * Whether `other` is the answer to this exchange's request. If only volatile values may differ, the
 * request is sent again to find them.
 */
const isAnswerTo = (ask: Ask, exchange: Exchange, other: Response): boolean => {
  const first = answerOf(exchange);
  if (!first || first.status !== other.status) return false;
  if (isSame(first, other)) return true;
  const found = differences(first.shape, other.shape);
  if (found === undefined || isRedirect(other)) return false;
  const second = answerOf(repeated(ask, exchange));
  return second !== undefined && isSame(first, other, volatileIn(first, second));
};

/** An answer of the server in front of the API: HTTPS gives it outside the operation too. */
const isStock = ({ ask, known, subject }: PlainAnswer, answer: Response): boolean => {
  if (isAnswerTo(ask, known.missing, answer)) return true;
  // Servers answer with pages and texts of their own. An answer with a structure is the API's.
  if (viewIn(answer.shape) && answer.shape.kind !== 'html') return false;
  return anonymousControls(subject)
    .slice(2, 3)
    .some((base) => isAnswerTo(ask, ask(base), answer));
};

/**
 * HTTPS opens a public resource, and plain HTTP answers it like a missing path: no API answers
 * there.
 */
export const noApiOnPlainHttp = (ask: Ask, subject: OperationSubject, request: PlainRequest): boolean =>
  publicOperations(subject).some((operation) => {
    const { anonymous, missing } = httpsAnswers(ask, subjectFor(subject, operation));
    const open = answerOf(anonymous);
    if (!open || !isSuccess(open) || isAnswerTo(ask, missing, open)) return false;
    const probe = request.forOperation(operation);
    const plain = answerOf(ask(probe));
    const nowhere = ask({ ...probe, name: `${probe.name}, a path that does not exist`, target: missing.probe.target });
    return plain === undefined || isAnswerTo(ask, nowhere, plain);
  });

/**
 * The refusal that HTTPS gives for this operation, whatever its status, where both sides answer a
 * missing path differently.
 */
const isOwnRefusal = (plain: PlainAnswer): boolean => {
  const { ask, subject, known, answer } = plain;
  return overTls(plain).some((https) => {
    const refusal = answerOf(https);
    return (
      refusal !== undefined &&
      (subject.operation.access === 'protected' || !isSuccess(refusal)) &&
      answerOf(known.missing) !== undefined &&
      isAnswerTo(ask, https, answer) &&
      !isStock(plain, refusal) &&
      !isAnswerTo(ask, ask(missingOn(plain)), answer)
    );
  });
};

/**
 * Plain HTTP gives this answer for a public operation too, so it is not about a missing key. The
 * operations are asked without a canary: some frameworks refuse a bad key anywhere, before they
 * look at anything else.
 */
const isSaidOfPublic = ({ ask, subject, known, request }: PlainAnswer): boolean => {
  const publics = publicOperations(subject).map((operation) => subjectFor(subject, operation));
  const [own, ...others] = ask.all([subject, ...publics].map(({ operation }) => request.forOperation(operation)));
  const said = own && answerOf(lastWithin(ask, own));
  // The server answers otherwise without the canary: it looks at keys, so this comparison shows
  // nothing.
  if (!said || (carriesCanary(request.probe) && !isAnswerTo(ask, known.anonymous, said))) return false;
  return publics.some((other, index) => {
    const { anonymous, missing } = httpsAnswers(ask, other);
    const open = answerOf(anonymous);
    if (!open || !isSuccess(open) || isAnswerTo(ask, missing, open)) return false;
    const exchange = others[index];
    return exchange !== undefined && isAnswerTo(ask, lastWithin(ask, exchange), said);
  });
};

/** Where redirects within plain HTTP end. */
const lastWithin = (ask: Ask, exchange: Exchange): Exchange => follow(ask, exchange, isPlainHttp).at(-1) ?? exchange;

/**
 * The answers of HTTPS: to a request with nothing sent, and to the same request where its own
 * fields made a difference.
 */
const overTls = ({ ask, known, request, answer }: PlainAnswer): readonly Exchange[] => {
  const { anonymous } = known;
  const canary = carriesCanary(request.probe);
  const bare = canary ? undefined : answerOf(ask(request.bare));
  if (bare && (request.probe === request.bare || isSame(bare, answer))) return [anonymous];
  const same = ask({
    ...request.probe,
    name: `over HTTPS, ${request.words}`,
    origin: anonymous.probe.origin,
    target: anonymous.probe.target,
  });
  return canary ? [same] : [anonymous, same];
};

/** A path that does not exist, spelled as the request is. Where a redirect led, it is not respelled. */
const missingOn = ({ request, step, known }: PlainAnswer): Probe => {
  const probe = step.probe.origin === request.probe.origin ? step.probe : request.probe;
  const { target } = known.missing.probe;
  const isItself = probe.target === request.probe.target;
  return {
    ...probe,
    name: `${probe.name}, a path that does not exist`,
    target: isItself ? request.spell(target) : target,
  };
};
