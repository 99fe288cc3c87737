import type { Exchange, Probe, Response } from '../../wire/types.js';
import { repeatedBasePath } from '../documented-request/base-path.js';
import { answerOf, authOrProxyStatuses, header, isRedirect, isSuccess, redirectPathOf } from '../oracle/answers.js';
import { controlsOf } from '../oracle/controls.js';
import { isOfOneForm } from '../oracle/form.js';
import { readExchange } from '../oracle/reading.js';
import { differences, isSame } from '../oracle/same.js';
import { isUsable, usable } from '../oracle/usable-controls.js';
import { viewIn } from '../oracle/view.js';
import type { Ask, Judgement, OperationSubject } from '../rule.js';
import { follow } from '../support/follow-up.js';
import { because, failed, inconclusive } from '../support/judgement.js';
import {
  again,
  baseOf,
  filledParameters,
  missingOf,
  nonce,
  readWithNothing,
  requestFor,
  targetOf,
  withQuery,
} from '../support/requests.js';
import { canSendKey, keysOf, operationIn, subjectFor } from '../support/subjects.js';
import { isIn, type Known, refusedWithoutKey } from './withheld.js';

/** What is asked of a public resource. */

export const openProbes = (subject: OperationSubject): readonly [Probe, Probe, Probe, Probe] => {
  const open = readWithNothing(subject);
  const missing = { ...open, name: 'a path that does not exist' };
  return [
    open,
    missingOf(subject, missing),
    baseOf(subject, { ...open, name: 'the base path' }),
    missingOf(subject, { ...missing, name: 'another path that does not exist' }, 'other'),
  ];
};

/** The same read again: a server may refuse some reads only. */
export const moreReads = (subject: OperationSubject): readonly [Probe, Probe] => {
  const open = readWithNothing(subject);
  return [again(open), readWithNothing(subject, { round: 2, occasion: 'to see whether it opens each time' })];
};

/** The target with a query of its own, so that no cache gives the answer to others. */
export const onItsOwnQuery = (subject: OperationSubject, label: string): string =>
  withQuery(targetOf(subject), [`nothing-${nonce(subject.deployment, `${label} ${subject.operation.id}`)}=1`]);

/** The request with the key, if one was given that may be sent. */
export const withTheKey = (subject: OperationSubject, round = 1): readonly Probe[] => {
  const security = keysOf(subject);
  if (security.length === 0) return [];
  const operation = { ...subject.operation, security };
  const target = onItsOwnQuery(subject, 'public with the key');
  return [requestFor({ ...subject, operation }, { name: 'with the key', credential: 'valid', target, round })];
};

/** Enough to meet one server of three with a probability of 96 %. */
const laterRounds = [3, 4, 5, 6, 7, 8, 9, 10] as const;

/** More requests with the key, on new connections: a balancer may choose the server by connection. */
export const moreWithTheKey = (subject: OperationSubject): readonly Probe[] =>
  laterRounds.flatMap((round) => withTheKey(subject, round)).map((probe): Probe => ({ ...probe, connection: 'fresh' }));

/** What single answers of a public resource show. */

/**
 * The end of a redirect, if it is a success and has the form of the keyed answer (if there is one);
 * else the exchange itself.
 */
export const endOf = (ask: Ask, exchange: Exchange, keyed?: Response): Exchange => {
  const end = follow(ask, exchange).at(-1);
  const answer = end && answerOf(end);
  if (!end || !answer || !isSuccess(answer)) return exchange;
  return keyed && !isOfOneForm(answer.shape, keyed.shape) ? exchange : end;
};

/**
 * Whether what a redirect leads to may be the resource: it gives no answer here, or rows that are no
 * refusal. A redirect to where protected operations redirect is a refusal.
 */
export const leadsToData = (ask: Ask, exchange: Exchange, keyed: Response, known: Known): boolean => {
  const [answer, end] = [answerOf(exchange), follow(ask, exchange).at(-1)];
  if (!answer || !end || known.refusals.some((one) => redirectPathOf(one) === redirectPathOf(answer))) return false;
  const last = answerOf(end);
  if (!last) return true;
  const rows = viewIn(last.shape)?.lists.values() ?? [];
  return (
    isSuccess(last) &&
    last.shape.kind === keyed.shape.kind &&
    [...rows].some(({ length }) => length > 0) &&
    !isIn(last, [...known.nothing, ...known.refusals]) &&
    refusedWithoutKey(last, keyed, known) === undefined
  );
};

/**
 * Whether a protected operation opens without a key. Then its answer is no refusal to compare with.
 */
export const isOpenToAll = (ask: Ask, subject: OperationSubject, refusal: Exchange): boolean => {
  const answer = answerOf(refusal);
  const operation = operationIn(subject.contract, refusal.probe.operation);
  if (!answer || !isSuccess(answer) || !operation) return false;
  const guarded = subjectFor(subject, operation);
  if (!canSendKey(guarded)) return false;
  const controls = usable(controlsOf(ask, guarded));
  return isUsable(controls) && readExchange(refusal, controls.background).verdict === 'granted';
};

/** The answer with the key, unless it is a refusal or that of a missing path. */
export const openedBy = (ask: Ask, keyed: Exchange, { nothing, refusals }: Known): Response | undefined => {
  const answer = answerOf(endOf(ask, keyed));
  return answer && isSuccess(answer) && !isIn(answer, nothing) && !isIn(answer, refusals) ? answer : undefined;
};

/**
 * Whether the key gets a similar answer at a missing path. The service may echo the request, or
 * greet the key everywhere.
 */
export const isEverywhere = (ask: Ask, subject: OperationSubject, keyed: Exchange, opened: Response): boolean => {
  const missing = missingOf(subject, { ...keyed.probe, name: 'a path that does not exist, with the key' });
  const nowhere = answerOf(ask(missing));
  return nowhere !== undefined && isSuccess(nowhere) && differences(nowhere.shape, opened.shape) !== undefined;
};

/** Statuses of a client error that may pass, or that is about the connection. */
const passingStatuses: ReadonlySet<number> = new Set([408, 421, 425, 429]);

/** A refusal with Retry-After is a limit, whatever its status. */
export const isRefusedNow = (exchange: Exchange): boolean => {
  const answer = answerOf(exchange);
  if (!answer || answer.status < 400 || answer.status >= 500) return false;
  return !passingStatuses.has(answer.status) && header(answer, 'retry-after') === undefined;
};

/** Why a public resource did not open without a key. */

interface NotOpen {
  readonly asked: Exchange;
  /** The end of its redirects. */
  readonly answer: Response;
  /** The answer with the key, if one was given. */
  readonly keyed: Exchange | undefined;
  readonly missing: Exchange;
}

/** The judgement if no key was sent: none was given, or no operation of the document asks for one. */
const withoutAnyKey = (
  subject: OperationSubject,
  { asked, answer: { status } }: Pick<NotOpen, 'asked' | 'answer'>,
  where: string,
): Judgement => {
  const target = targetOf(subject);
  const [scheme] = subject.contract.schemes;
  return scheme
    ? inconclusive(
        because('no-key', scheme.setting, status),
        `${target} is answered with ${status}; without a key it cannot be seen whether one would open it.${where || ` Set ${scheme.setting}.`}`,
        [asked],
      )
    : inconclusive(
        because('no-key-documented', status),
        `${target} is answered with ${status}, and no operation of the document asks for a key, so none can be tried.${where || ' If it needs a key, the document is wrong: an OVERLAY can say which operations need one, and how it is sent.'}`,
        [asked],
      );
};

/**
 * The judgement of a public operation that did not open without a key, and to which the key makes
 * no difference.
 */
export const whyNotOpen = (
  ask: Ask,
  subject: OperationSubject,
  { asked, answer, keyed, missing }: NotOpen,
): Judgement => {
  const { assumedPath } = subject.operation;
  const exchanges = keyed ? [asked, keyed] : [asked];
  const filled = filledParameters(subject.operation);
  const where = assumedPath
    ? ` The contract does not give its path: set ${assumedPath.setting} to it.`
    : filled === ''
      ? ''
      : ` The value filled in for ${filled} may name nothing there: give one that does in the PARAMETERS file, under "${subject.operation.id}".`;
  const target = targetOf(subject);
  /** The setting that may help. */
  const setting = assumedPath?.setting ?? (filled === '' ? '' : 'PARAMETERS');
  const nothing = answerOf(missing);
  if (isRedirect(answer) && !(nothing && isSame(answer, nothing)))
    return inconclusive(
      because('redirects-elsewhere', setting, header(answer, 'location')),
      `${target} redirects to ${header(answer, 'location') ?? ''}.${where}`,
      exchanges,
    );
  if (
    nothing &&
    (isSame(answer, nothing) || (isSuccess(answer) && differences(answer.shape, nothing.shape)?.size === 0))
  ) {
    const hint = repeatedBasePath(subject.deployment, [subject.operation.path]);
    if (hint) return inconclusive(because('no-path', 'BASE_URL'), `${hint.says} ${hint.advice}`, exchanges);
    return inconclusive(
      because('answered-like-nothing', setting, answer.status),
      `${target} is answered like a path that does not exist (${answer.status}).${where}`,
      exchanges,
    );
  }
  if (isSuccess(answer))
    return inconclusive(
      because('unclear-answer', setting, answer.status),
      `${target} is answered with ${answer.status}, but as the base path or a refusal is.${where}`,
      exchanges,
    );
  // Without a key, a server error may be how a key is asked for.
  if (answer.status >= 500 && (keyed || subject.contract.schemes.length === 0))
    return inconclusive(
      because('server-error', answer.status),
      `${target} is answered with ${answer.status}: a server error says nothing of who may read it.${where}`,
      exchanges,
    );
  if (!keyed) return withoutAnyKey(subject, { asked, answer }, where);
  const second = !assumedPath && authOrProxyStatuses.has(answer.status) ? answerOf(ask(again(asked.probe))) : undefined;
  if (second?.status === answer.status)
    return failed(
      because('refused-though-public', answer.status),
      `With nothing sent it is refused (${answer.status}), and the key given does not open it either.`,
      exchanges,
      { expected: 'the resource, with nothing sent', seen: String(answer.status) },
    );
  return inconclusive(
    because('key-opens-nothing', setting, answer.status),
    `${target} is answered with ${answer.status}, and the key is no help.${where}`,
    exchanges,
  );
};
