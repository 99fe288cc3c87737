import type { Operation } from '../contract/model.js';
import type { Exchange, Probe, Response } from '../wire/types.js';
import { follow } from './follow.js';
import { header, isRedirect, isSuccess, sameAnswer, sameBody } from './oracle/compare.js';
import { anonymousControls, answerOf, type Controls, controlsOf, publicOperations, usable } from './oracle/controls.js';
import { readResponse } from './oracle/granted.js';
import { keepsStructure } from './oracle/structure.js';
import { isAnswerTo, isBodyOf, mayBeAnswerTo } from './oracle/volatile.js';
import { whyNotReached, whyProxys } from './plain-reach.js';
import { isArmed } from './probes.js';
import type { Look, OperationSubject } from './rule.js';

/** What an answer over plain HTTP is: nothing of the API's, what HTTPS serves, or the API's own refusal. */

/** A request over plain HTTP. */
export interface Ask {
  readonly words: string;
  readonly probe: Probe;
  /** The same with nothing sent: what fields of its own the request carries, made no difference where both are answered alike. */
  readonly bare: Probe;
  /** The same for another operation, and without a canary. */
  readonly elsewhere: (operation: Operation) => Probe;
  /** Reads the answer in another way than by its body (HEAD has none). */
  readonly readWith?: ReadAsk;
}

export type ReadAsk = (look: Look, subject: OperationSubject, asked: Ask, exchange: Exchange) => Plain;

export interface Plain {
  readonly kind: 'nothing' | 'served' | 'refused-by-api' | 'unclear';
  readonly seen: string;
  /** Nothing, whatever HTTPS says: no answer at all, or a redirect to https. */
  readonly forCertain?: true;
}

/** What HTTPS gives for the operation, to compare with. */
export type OverHttps = Controls | { readonly anonymous: Exchange; readonly missing: Exchange };

export const overHttps = (look: Look, subject: OperationSubject): OverHttps => {
  if (subject.operation.access === 'protected' && isArmed(subject)) return controlsOf(look, subject);
  const [anonymous, missing] = look.all(anonymousControls(subject).slice(0, 2));
  if (!anonymous || !missing) throw new TypeError('a look returns an exchange for every probe');
  return { anonymous, missing };
};

export const isToHttps = (answer: Response): boolean =>
  isRedirect(answer) && /^https:/i.test(header(answer, 'location') ?? '');

/** Whether a random value of our own stands where the key would. */
export const carriesCanary = ({ headers }: Probe): boolean => headers.some(([, value]) => value.includes('canary'));

export const isPlain = ({ origin }: Probe): boolean => origin.startsWith('http:');

export const readPlain: ReadAsk = (look, subject, asked, exchange) => {
  const known = overHttps(look, subject);
  const chain = follow(look, exchange, isPlain);
  const reached = [exchange, ...chain];
  const nothing = (seen: string): Plain => ({ kind: 'nothing', seen });
  for (const step of reached) {
    const answer = answerOf(step);
    if (!answer) return noAnswer(step, known.anonymous);
    if (answer.status === 429) return { kind: 'unclear', seen: '429 to the end' };
    const plain: PlainAnswer = { look, subject, known, asked, step, answer };
    if (isRepresentation(plain)) return { kind: 'served', seen: `${answer.status} with what HTTPS serves` };
    const toHttps = isToHttps(answer);
    if (!toHttps && isOwnRefusal(plain))
      return isSaidOfPublic(plain)
        ? nothing(`${answer.status}, as of what HTTPS opens to everybody`)
        : { kind: 'refused-by-api', seen: `${answer.status}, the API's own answer as over HTTPS` };
    if (toHttps) return { kind: 'nothing', seen: `${answer.status} to https`, forCertain: true };
  }
  const end = reached.at(-1) ?? exchange;
  const proxys = whyProxys(end, known.anonymous);
  if (proxys) return { kind: 'unclear', seen: proxys };
  const last = answerOf(end);
  return nothing(last && isSuccess(last) ? `${last.status} of another kind` : `${last?.status ?? 'nothing'}`);
};

const noAnswer = (exchange: Exchange, https: Exchange): Plain => {
  const error = exchange.attempts.at(-1)?.error;
  if (error === undefined || error.code === 'aborted') return { kind: 'unclear', seen: 'the run was stopped' };
  const unreached = whyNotReached(exchange, https);
  if (unreached) return { kind: 'unclear', seen: unreached };
  return { kind: 'nothing', seen: `no answer (${error.code})`, forCertain: true };
};

interface PlainAnswer {
  readonly look: Look;
  readonly subject: OperationSubject;
  readonly known: OverHttps;
  readonly asked: Ask;
  /** The answered request, or where a redirect within plain HTTP led it. */
  readonly step: Exchange;
  readonly answer: Response;
}

const isRepresentation = (plain: PlainAnswer): boolean => {
  const { known, subject, answer } = plain;
  if (subject.operation.access === 'public') return isPublicRepresentation(plain);
  if (!('keyed' in known)) return false;
  const good = usable(known);
  if (typeof good === 'string' || readResponse(answer, good).verdict !== 'granted') return false;
  if (answer.facts.kind !== 'empty') return true;
  // Where the key gets nothing to read, nothing is not yet the operation's: with its status, and not for every path, it is.
  const missing = answerOf(plain.look(missingOn(plain)));
  return answer.status === good.first.status && !(missing && sameAnswer(missing, answer));
};

const isPublicRepresentation = (plain: PlainAnswer): boolean => {
  const { look, known, answer } = plain;
  const found = (https: Exchange): boolean => {
    const open = answerOf(https);
    if (!open || !isSuccess(open)) return false;
    if (isSuccess(answer) && isLike(open, answer)) return true;
    if (answer.facts.kind === 'empty' || answer.facts.digest === answerOf(known.missing)?.facts.digest) return false;
    if (!carriesItsValues(open, answer) && !isBodyOf(look, https, answer)) return false;
    // A page that is shown for everything shows nothing of the operation's.
    const nothing = [known.missing, look(missingOn(plain))];
    return !nothing.some((other) => {
      const body = answerOf(other);
      return body !== undefined && (isBodyOf(look, other, answer) || carriesItsValues(open, body));
    });
  };
  return overTls(plain).some(found);
};

const isLike = (open: Response, { facts }: Response): boolean =>
  open.facts.shape && facts.shape
    ? keepsStructure(open.facts.shape, open.facts.shape, facts.shape)
    : sameBody(open.facts, facts) && facts.kind !== 'empty';

/** Another representation of the same: several scalars that are there by no chance, and most of them. */
const carriesItsValues = ({ facts: { values } }: Response, { facts }: Response): boolean => {
  const there = new Set(facts.values);
  const carried = values.filter((value) => there.has(value)).length;
  return carried >= 2 && carried * 2 >= values.length;
};

/**
 * The refusal that HTTPS gives for this operation, whatever its status, where both sides say something else of a path that
 * does not exist.
 */
const isOwnRefusal = (plain: PlainAnswer): boolean => {
  const { look, subject, known, answer } = plain;
  return overTls(plain).some((https) => {
    const refusal = answerOf(https);
    return (
      refusal !== undefined &&
      (subject.operation.access === 'protected' || !isSuccess(refusal)) &&
      answerOf(known.missing) !== undefined &&
      isAnswerTo(look, https, answer) &&
      !mayBeAnswerTo(look, known.missing, refusal) &&
      !mayBeAnswerTo(look, look(missingOn(plain)), answer)
    );
  });
};

/**
 * What plain HTTP says of an operation that HTTPS opens to everybody, it says of plain HTTP and not of a missing key. Asked
 * without a canary: of a bad key some frameworks speak wherever it is sent, before they look at anything else.
 */
const isSaidOfPublic = ({ look, subject, known, asked }: PlainAnswer): boolean => {
  const publics = publicOperations(subject).map((operation) => ({ ...subject, operation }));
  const [own, ...others] = look.all([subject, ...publics].map(({ operation }) => asked.elsewhere(operation)));
  const said = own && answerOf(lastWithin(look, own));
  // Of a server that turns away whoever sends no key, and looks at the key of who sends one, this says nothing.
  if (!said || (carriesCanary(asked.probe) && !isAnswerTo(look, known.anonymous, said))) return false;
  return publics.some((other, index) => {
    const { anonymous, missing } = overHttps(look, other);
    const open = answerOf(anonymous);
    if (!open || !isSuccess(open) || mayBeAnswerTo(look, missing, open)) return false;
    const exchange = others[index];
    return exchange !== undefined && isAnswerTo(look, lastWithin(look, exchange), said);
  });
};

/** Where redirects within plain HTTP end. */
const lastWithin = (look: Look, exchange: Exchange): Exchange => follow(look, exchange, isPlain).at(-1) ?? exchange;

/** What HTTPS gives: to a request with nothing sent, and where the request's own fields made a difference, to the same request. */
const overTls = ({ look, known, asked, answer }: PlainAnswer): readonly Exchange[] => {
  const { anonymous } = known;
  const canary = carriesCanary(asked.probe);
  const bare = canary ? undefined : answerOf(look(asked.bare));
  if (bare && (asked.probe === asked.bare || sameAnswer(bare, answer))) return [anonymous];
  const same = look({
    ...asked.probe,
    name: asked.probe.name.replace(/^over plain HTTP/, 'over HTTPS'),
    origin: anonymous.probe.origin,
    target: anonymous.probe.target,
  });
  return canary ? [same] : [anonymous, same];
};

const missingOn = ({ asked, step, known }: PlainAnswer): Probe => {
  const probe = step.probe.origin === asked.probe.origin ? step.probe : asked.probe;
  return { ...probe, name: `${probe.name}, a path that does not exist`, target: known.missing.probe.target };
};
