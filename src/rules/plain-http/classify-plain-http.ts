import type { Operation } from '../../contract/model.js';
import type { Exchange, Probe, Response } from '../../wire/types.js';
import { answerOf, header, isRedirect, isSuccess, redirectPathOf } from '../oracle/answers.js';
import { anonymousControls, publicOperations } from '../oracle/control-requests.js';
import { type Controls, controlsOf } from '../oracle/controls.js';
import { readExchange, readResponse } from '../oracle/reading.js';
import { isSame, sharedWithKeyed } from '../oracle/same.js';
import type { Reading } from '../oracle/table.js';
import { isOfOneForm, isUsable, usable } from '../oracle/usable-controls.js';
import { viewIn } from '../oracle/view.js';
import type { Ask, OperationSubject } from '../rule.js';
import { follow } from '../support/follow-redirects.js';
import { because, type Cause } from '../support/judgement.js';
import { isAnswerTo, repeated } from '../support/repeat.js';
import { splitTarget } from '../support/requests.js';
import { canSendKey, subjectFor } from '../support/subjects.js';
import { carriesRowsOf } from './carried-rows.js';
import { whyFromProxy, whyNotReached } from './plain-http-reachability.js';

/**
 * Classifies an answer over plain HTTP: nothing of the API, what HTTPS serves, or the API's own
 * refusal.
 */

export interface PlainRequest {
  readonly words: string;
  /** Its name in the battery. Default: the words. */
  readonly trick?: string;
  readonly probe: Probe;
  /**
   * The same request without additional header fields, or without the changes of a bundle. If both
   * are answered alike, those made no difference.
   */
  readonly bare: Probe;
  /** Rewrites a target as the request's own target was rewritten. */
  readonly spell: (target: string) => string;
  /** The same request for another operation, without a canary. */
  readonly forOperation: (operation: Operation) => Probe;
  /** Classifies the answer by something other than its body: HEAD has none. */
  readonly classify?: ClassifyPlain;
  /** A redirect from it is not followed: it may repeat `//name`, or a Host that is not there. */
  readonly isReadAlone?: true;
  /** It is a bundle: its changes, each sent alone where the bundle is answered in another way. */
  readonly parts?: () => readonly PlainRequest[];
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
  /** Certainly nothing of the API: no answer, or a redirect to https. */
  readonly forCertain?: true;
  /** Nothing of the API, although the status is a success. */
  readonly success?: true;
}

/** The answers over HTTPS to compare with. */
export type HttpsAnswers = Controls | { readonly anonymous: Exchange; readonly missing: Exchange };

export const httpsAnswers = (ask: Ask, subject: OperationSubject): HttpsAnswers => {
  if (subject.operation.access === 'protected' && canSendKey(subject)) return controlsOf(ask, subject);
  const [read, nowhere] = anonymousControls(subject);
  const [anonymous, missing] = ask.all([read, nowhere]);
  return { anonymous, missing };
};

export const isToHttps = (answer: Response): boolean =>
  isRedirect(answer) && /^https:/i.test(header(answer, 'location') ?? '');

export const areToHttps = (one: Response, other: Response): boolean => isToHttps(one) && isToHttps(other);

/** Whether a random value is sent in place of the key. */
export const carriesCanary = ({ headers }: Probe): boolean => headers.some(([, value]) => value.includes('canary'));

export const isPlainHttp = ({ origin }: Probe): boolean => origin.startsWith('http:');

export const classifyPlainHttp: ClassifyPlain = (ask, subject, request, exchange) => {
  const known = httpsAnswers(ask, subject);
  const chain = request.isReadAlone ? [] : follow(ask, exchange, isPlainHttp);
  const reached = [exchange, ...chain];
  let doubt: Reading | undefined;
  const nothing = (seen: string): PlainSeen => ({ kind: 'nothing', seen });
  for (const step of reached) {
    const answer = answerOf(step);
    if (!answer) return noAnswer(step, known.anonymous);
    if (answer.status === 429) return { kind: 'unclear', cause: because('rate-limit'), seen: '429 to the end' };
    if (answer.givesKey) return { kind: 'served', seen: `${answer.status} with the key itself` };
    const plain: PlainAnswer = { ask, subject, known, request, step, answer };
    const shown = representationIn(plain);
    if (shown === 'served') return { kind: 'served', seen: `${answer.status} with what HTTPS serves` };
    doubt ??= shown;
    const toHttps = isToHttps(answer);
    const refusedBy = toHttps ? undefined : refusedByApi(plain);
    if (refusedBy === 'as-of-public') return nothing(`${answer.status}, as of what HTTPS opens to everybody`);
    if (refusedBy) return { kind: 'refused-by-api', seen: `${answer.status}, the API's own answer as over HTTPS` };
    if (toHttps) return { kind: 'nothing', seen: `${answer.status} to https`, forCertain: true };
  }
  const end = reached.at(-1) ?? exchange;
  const proxys = whyFromProxy(end, known.anonymous);
  if (proxys) return { kind: 'unclear', cause: proxys.cause, seen: proxys.words };
  if (doubt) return { kind: 'unclear', cause: because('unclear-answer', String(doubt.line)), seen: doubt.seen };
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
  /** The exchange, or the one that redirects within plain HTTP led to. */
  readonly step: Exchange;
  readonly answer: Response;
}

/** `served` for what HTTPS serves, the reading of a success that may be that, or `undefined`. */
const representationIn = (plain: PlainAnswer): 'served' | Reading | undefined => {
  const { known, subject, answer } = plain;
  if (subject.operation.access === 'public') return isPublicRepresentation(plain) ? 'served' : undefined;
  if (!('keyed' in known)) return undefined;
  const good = usable(known);
  if (!isUsable(good)) return undefined;
  const isEmpty = answer.shape.kind === 'empty' && good.first.shape.kind === 'empty';
  const mayBeServed = ({ verdict }: Reading): boolean =>
    verdict === 'granted' || (verdict === 'unclear' && isSuccess(answer));
  if (!mayBeServed(readExchange(plain.step, good.background)) && !isEmpty) return undefined;
  const nothing = answerOf(plain.ask(missingOn(plain)));
  const isEverywhere = nothing !== undefined && isSame(nothing, answer);
  const reading = readExchange(plain.step, good.background, {
    nothing: nothing ? [nothing] : [],
    missingDiffers: nothing !== undefined && !isEverywhere,
  });
  if (reading.verdict === 'granted') return 'served';
  // An empty answer counts only with the status that HTTPS gives, and if a missing path gets
  // another answer.
  if (isEmpty) return answer.status === good.first.status && !isEverywhere ? 'served' : undefined;
  // A page of that port about something else, such as its load: missing paths get it too.
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

/**
 * Whether an answer is that of the server in front of the API: a page or text that missing paths, or
 * the base path, get too. Structured data comes from the API.
 */
const isStock = ({ ask, known, subject }: PlainAnswer, answer: Response): boolean => {
  if (viewIn(answer.shape) && answer.shape.kind !== 'html') return false;
  const [, , base] = anonymousControls(subject);
  return [known.missing, ask(base)].some((exchange) => isAnswerTo(ask, exchange, answer));
};

/**
 * Whether there is no API on plain HTTP: a public resource that HTTPS opens is answered like a
 * missing path there.
 */
export const noApiOnPlainHttp = (ask: Ask, subject: OperationSubject, request: PlainRequest): boolean =>
  publicOperations(subject).some((operation) => {
    // Values that were read are not sent over plain HTTP, and others may name nothing.
    if (operation.placeholders !== undefined) return false;
    const { anonymous, missing } = httpsAnswers(ask, subjectFor(subject, operation));
    const open = answerOf(anonymous);
    if (!open || !isSuccess(open) || isAnswerTo(ask, missing, open)) return false;
    const probe = request.forOperation(operation);
    const plain = answerOf(ask(probe));
    const nowhere = ask({ ...probe, name: `${probe.name}, a path that does not exist`, target: missing.probe.target });
    return plain === undefined || isAnswerTo(ask, nowhere, plain);
  });

/** Whether plain HTTP opens a public operation to the same request: then the API answers there. */
const opensPublic = ({ ask, subject, request }: PlainAnswer): boolean =>
  publicOperations(subject).some((operation) => {
    // Values that were read are not sent over plain HTTP, and others may name nothing.
    if (operation.placeholders !== undefined) return false;
    const other = subjectFor(subject, operation);
    const known = httpsAnswers(ask, other);
    const bare = request.forOperation(operation);
    // A front may pass on requests with a key only.
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
 * opens public operations there, or the path makes a difference. `as-of-public`: only public
 * operations show that the API does not.
 */
const refusedByApi = (plain: PlainAnswer): true | 'as-of-public' | undefined => {
  const { ask, subject, known, step, answer } = plain;
  // A redirect to the same path is about the host or the scheme.
  if (redirectPathOf(answer) === splitTarget(step.probe.target)[0]) return undefined;
  const refusals = overTls(plain).flatMap((https) => {
    const refusal = answerOf(https);
    const isRefusal = refusal && (subject.operation.access === 'protected' || !isSuccess(refusal));
    return isRefusal && answerOf(known.missing) && isAnswerTo(ask, https, answer) ? [refusal] : [];
  });
  if (refusals.length === 0) return undefined;
  if (opensPublic(plain)) return true;
  if (refusals.every((refusal) => isStock(plain, refusal))) return undefined;
  if (isAnswerTo(ask, ask(missingOn(plain)), answer)) return undefined;
  return isSaidOfPublic(plain) ? 'as-of-public' : true;
};

/**
 * Whether plain HTTP answers a public operation the same, with a canary and without, so that the
 * answer is not about a missing key.
 */
const isSaidOfPublic = ({ ask, subject, known, request, answer }: PlainAnswer): boolean => {
  const bareFor = ({ operation }: OperationSubject): Probe => request.forOperation(operation);
  const alsoFor = (other: OperationSubject): Probe => ({ ...bareFor(other), headers: request.probe.headers });
  const publics = publicOperations(subject).map((operation) => subjectFor(subject, operation));
  ask.all([subject, ...publics].flatMap((each) => [bareFor(each), alsoFor(each)]));
  const said = answerOf(lastWithin(ask, ask(bareFor(subject))));
  // Without the canary, the answer is not the refusal of HTTPS. So the server checks keys, and some
  // frameworks refuse a wrong key at public operations too: this comparison shows nothing.
  if (!said || (carriesCanary(request.probe) && !isAnswerTo(ask, known.anonymous, said))) return false;
  return publics.some((other) => {
    const { anonymous, missing } = httpsAnswers(ask, other);
    const open = answerOf(anonymous);
    if (!open || !isSuccess(open) || isAnswerTo(ask, missing, open)) return false;
    return (
      isAnswerTo(ask, lastWithin(ask, ask(bareFor(other))), said) &&
      isAnswerTo(ask, lastWithin(ask, ask(alsoFor(other))), answer)
    );
  });
};

/** The end of redirects within plain HTTP. */
export const lastWithin = (ask: Ask, exchange: Exchange): Exchange =>
  follow(ask, exchange, isPlainHttp).at(-1) ?? exchange;

/**
 * The HTTPS answers to compare with. With a canary: that to the same request. Else: that to a
 * request with nothing sent, and that to the same request if its header fields made a difference.
 */
const overTls = ({ ask, known, request, answer }: PlainAnswer): readonly Exchange[] => {
  const { anonymous } = known;
  const canary = carriesCanary(request.probe);
  const bare = canary ? undefined : answerOf(ask(request.bare));
  if (bare && (request.probe === request.bare || areToHttps(bare, answer) || isSame(bare, answer))) return [anonymous];
  const same = ask({
    ...request.probe,
    name: `over HTTPS, ${request.words}`,
    origin: anonymous.probe.origin,
    target: anonymous.probe.target,
  });
  return canary ? [same] : [anonymous, same];
};

/** The request for a missing path, rewritten as the original was. A redirect's is not. */
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
