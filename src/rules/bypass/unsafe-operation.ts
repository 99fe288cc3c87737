import { memoize } from '../../collections.js';
import type { Operation, SecurityScheme } from '../../contract/model.js';
import { pathSegments } from '../../urls.js';
import type { Exchange, Probe, Response } from '../../wire/types.js';
import { answerOf, answersOf, authStatuses, header, isRedirect, isSuccess } from '../oracle/answers.js';
import { anonymousControls, keyedControl } from '../oracle/control-requests.js';
import { differences, isOfOneForm, isSame } from '../oracle/same.js';
import type { Ask, Judgement, OperationSubject } from '../rule.js';
import { because, type Cause, failed, inconclusive, passed } from '../support/judgement.js';
import { again, missingOf, protectedRequests, requestWithoutKey } from '../support/requests.js';
import { canSendKey, protectedReads, subjectFor } from '../support/subjects.js';
import { filledParameters } from '../support/targets.js';
import { isSameRefusal } from './keyless-operation.js';

/**
 * AUTH-3 for operations that may change something, if UNSAFE_METHODS=true allows it.
 *
 * They are sent without a key and without a body, at a random id, and compared with the same method
 * at a missing path. They are never sent with a key, so there is no keyed control and only clear
 * answers are judged. At a random id, an operation that does not check the key answers 404, so only
 * 401 and 403 count as refusals by themselves.
 */

/** Content-Length: 0 states that there is no body (RFC 9110, section 8.6). */
const unsafeProbe = (subject: OperationSubject): Probe =>
  requestWithoutKey(subject, {
    name: `${subject.operation.method} without a key and without a body`,
    connection: 'fresh',
    headers: subject.operation.method === 'DELETE' ? [] : [['Content-Length', '0']],
  });

const missingProbe = (subject: OperationSubject): Probe =>
  missingOf(subject, { ...unsafeProbe(subject), name: `${subject.operation.method} on a path that does not exist` });

export const unsafeProbes = (subject: OperationSubject): readonly Probe[] => [
  missingProbe(subject),
  ...protectedRequests(subject),
  unsafeProbe(subject),
];

/** Statuses about the body. A service that validates first gives them to anybody. */
const aboutTheBody: ReadonlySet<number> = new Set([400, 411, 413, 415, 422, 428]);

/** Statuses about what is there, which an operation gives that does not check the key. */
const aboutWhatIsThere: ReadonlySet<number> = new Set([404, 405, 406, 409, 410, 412]);

/**
 * Whether an answer is unlikely to come from behind the guard, so that it is a refusal if any read
 * that takes the same key is refused so.
 */
const isOfGuard = ({ status }: Response): boolean =>
  status < 500 && !aboutTheBody.has(status) && !aboutWhatIsThere.has(status);

export const judgeUnsafe = (ask: Ask, subject: OperationSubject): Judgement => {
  const [missing, ...refusals] = ask.all([missingProbe(subject), ...protectedRequests(subject)]);
  const exchange = ask(unsafeProbe(subject));
  const answer = answerOf(exchange);
  const isAsked = answer !== undefined && !isSuccess(answer) && !authStatuses.has(answer.status);
  const alike = isAsked ? refusalsOf(ask, readsGuardedAlike(subject)) : [];
  const ofReads =
    alike.length === 0 && isAsked && isOfGuard(answer) ? refusalsOf(ask, readsWithThisKey(subject)) : alike;
  const found = judgeAnswer(ask, subject, { exchange, missing, refusals, ofReads: answersOf(ofReads) });
  return { ...found, comparedWith: [...new Set([missing, ...refusals, ...ofReads])] };
};

interface UnsafeAnswers {
  readonly exchange: Exchange;
  readonly missing: Exchange;
  readonly refusals: readonly Exchange[];
  /** Refusals of reads that are guarded alike. */
  readonly ofReads: readonly Response[];
}

const judgeAnswer = (ask: Ask, subject: OperationSubject, answers: UnsafeAnswers): Judgement => {
  const { exchange } = answers;
  const answer = answerOf(exchange);
  if (answer)
    return isSuccess(answer) ? judgeSuccess(ask, subject, answers, answer) : judgeNoSuccess(subject, answers, answer);
  const { code = 'none', message = '' } = exchange.attempts.at(-1)?.error ?? {};
  return inconclusive(
    because('no-answer', code),
    `The request got no answer to judge (${code}: ${message}); it is not sent again.`,
    [exchange],
  );
};

const judgeNoSuccess = (
  subject: OperationSubject,
  { exchange, missing, ofReads }: UnsafeAnswers,
  answer: Response,
): Judgement => {
  const { status } = answer;
  const unclear = (cause: Cause, reason: string): Judgement => inconclusive(cause, reason, [exchange]);
  const refused = (how: string): Judgement => passed(`Refused: ${status}${how}.`, [exchange]);
  if (status === 429) return unclear(because('rate-limit'), 'Answered with 429 to the end.');
  if (status >= 500)
    return unclear(
      because('server-error', status),
      `Answered with ${status}, a server error: the request may have got past the check of the key.`,
    );
  if (authStatuses.has(status)) return refused(isSame(answer, answerOf(missing)) ? ', as where nothing is' : '');
  if (isRefusalOf(answer, ofReads)) return refused(', the answer that reads get without this key');
  if (aboutTheBody.has(status))
    return unclear(
      because('status-not-about-key', status),
      `Refused with ${status}, which speaks of the missing body or of the form of the request: whether the key would have been asked for cannot be seen without a body, and none is sent.`,
    );
  if (isRedirect(answer)) {
    const to = header(answer, 'location') ?? '';
    return unclear(
      because('redirects-elsewhere', status, to),
      `Answered with a redirect (${status}, to ${to}): it may follow on what was asked for.`,
    );
  }
  const filled = filledParameters(subject.operation);
  return unclear(
    because('status-not-about-key', status, filled),
    `Answered with ${status}, which speaks of what is there and not of the key${filled === '' ? '' : `: nothing is at a random ${filled}, and the key may never have been asked for`}.`,
  );
};

const judgeSuccess = (
  ask: Ask,
  subject: OperationSubject,
  { exchange, missing, refusals }: UnsafeAnswers,
  answer: Response,
): Judgement => {
  const { status } = answer;
  const unclear = (cause: Cause, reason: string): Judgement => inconclusive(cause, reason, [exchange]);
  const nowhere = answerOf(missing);
  if (nowhere === undefined)
    return unclear(
      because('nothing-to-compare'),
      'A path that does not exist got no answer to this method, so there is nothing to compare with.',
    );
  if (isSame(answer, nowhere) || (isSuccess(nowhere) && differences(answer.shape, nowhere.shape)?.size === 0))
    return unclear(
      because('answered-like-nothing', status),
      `Answered with ${status}, and so is a path that does not exist: nothing can be told from it.`,
    );
  const others = answersOf(refusals);
  if (
    others.some((other) => other.status === status && (isSame(answer, other) || isOfOneForm(other.shape, answer.shape)))
  )
    return passed(`Refused in the body, with status ${status}, as reads without a key are.`, [exchange], {
      note: 'Told in another way than by a client-error status.',
    });
  // 201, 202, 204 and 205 say what was done (RFC 9110, section 15.3). Only a 200 may be a refusal
  // in a body.
  if (status === 200 || others.length < refusals.length || others.some(isSuccess))
    return unclear(because('unclear-answer', status), `Answered with ${status} and a body that may be a refusal.`);
  return openedTwice(ask, subject, exchange, missing);
};

const openedTwice = (ask: Ask, subject: OperationSubject, exchange: Exchange, missing: Exchange): Judgement => {
  const repeated = ask(again(exchange.probe));
  const [first, second] = [answerOf(exchange), answerOf(repeated)];
  const exchanges = [exchange, repeated];
  const { method } = subject.operation;
  const twice = 'It was sent twice, without a body, because the first answer was a success';
  if (!first || !isSuccess(second))
    return inconclusive(
      because('changes-between-tries', method, first?.status, second?.status),
      `${method} without a key was answered with ${first?.status ?? 'nothing'}, and a second time with ${second?.status ?? 'nothing'}. ${twice}.`,
      exchanges,
    );
  return failed(
    because('opens-without-key', method, first.status),
    `${method} without a key is answered with ${first.status}, unlike on a path that does not exist (${answerOf(missing)?.status ?? 'no answer'}). ${twice}: see what it may have changed.`,
    exchanges,
    { expected: 'a refusal', seen: `${first.status}, twice` },
  );
};

/**
 * How the guard of an operation refuses: the answers to keyless reads that are likely to have the
 * same guard, and that the key opens. A read that the key does not open may be answered with 404
 * because nothing is there.
 */

const mostReads = 3;

/** At most two segments before the first parameter: `api/v2` for `/api/v2/workout/{id}`. */
const pathBeforeParameter = (path: string): string => pathSegments(path.split('{', 1).join('')).slice(0, 2).join('/');

const namesOf = (security: readonly SecurityScheme[]): readonly string[] => security.map(({ name }) => name).sort();

/** The same for operations with the same security requirements. */
const requirementsOf = (operation: Operation): string => {
  const { security, alternatives = [] } = operation.asDocumented ?? operation;
  return JSON.stringify([security, ...alternatives].map(namesOf).sort());
};

const readsLike = (traitOf: (operation: Operation) => string) =>
  memoize((subject: OperationSubject): readonly OperationSubject[] => {
    const trait = traitOf(subject.operation);
    return protectedReads(subject.contract)
      .map((operation) => subjectFor(subject, operation))
      .filter((read) => traitOf(read.operation) === trait && canSendKey(read))
      .slice(0, mostReads);
  });

const readsWithThisKey = readsLike(requirementsOf);

/** Reads with the same security requirements and path prefix. */
const readsGuardedAlike = readsLike(
  (operation) => `${requirementsOf(operation)} ${pathBeforeParameter(operation.path)}`,
);

/** The answers to these reads without the key, where the key opens them. */
const refusalsOf = (ask: Ask, reads: readonly OperationSubject[]): readonly Exchange[] =>
  ask
    .each(reads, (read) => ask.all([anonymousControls(read)[0], keyedControl(read, 1)]))
    .flatMap(([keyless, keyed]) => {
      const [refused, opened] = [keyless, keyed].map(answerOf);
      return isSuccess(opened) && refused && !isSuccess(refused) ? [keyless] : [];
    });

/** Whether the answer equals each of these refusals, or redirects to the same path as they do. */
const isRefusalOf = (answer: Response, refusals: readonly Response[]): boolean =>
  refusals.length > 0 && refusals.every((other) => isSameRefusal(answer, other));
