import { isWithoutTls } from '../../urls.js';
import type { Exchange, Response } from '../../wire/types.js';
import { repeatedBasePath } from '../documented-request/base-path.js';
import { answerOf, authOrProxyStatuses, header, isRedirect, isSuccess, redirectPathOf } from '../oracle/answers.js';
import { differences, isSame } from '../oracle/same.js';
import type { Ask, Judgement, OperationSubject } from '../rule.js';
import { isCircle } from '../support/follow-up.js';
import { because, failed, inconclusive } from '../support/judgement.js';
import { again } from '../support/requests.js';
import { filledParameters, targetOf } from '../support/targets.js';
import { isOneOf } from './withheld.js';

/** Why a public resource did not open without a key. */

interface NotOpen {
  readonly asked: Exchange;
  /** The end of its redirects. */
  readonly answer: Response;
  /** The answer with the key, if one was given. */
  readonly keyed: Exchange | undefined;
  readonly missing: Exchange;
  /** What protected operations answer without a key. */
  readonly refusals: readonly Response[];
}

/**
 * Whether a refusal of everybody is about credentials. A 401 or 407 asks for them. A 403 may have
 * another reason, such as a feature that is switched off (RFC 9110, section 15.5.4), unless
 * protected operations are refused in the same way.
 */
const isAboutCredentials = ({ answer, refusals }: NotOpen): boolean =>
  answer.status === 403 ? isOneOf(answer, refusals) : authOrProxyStatuses.has(answer.status);

/**
 * The judgement if no key was sent: none was given, or no operation of the document asks for one.
 */
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

/** What a person may set if the path or a value filled in leads nowhere. */
interface Advice {
  /** `PARAMETERS`, or the setting of an assumed path; empty where none may help. */
  readonly setting: string;
  /** The advice as a sentence that follows another; empty where there is none. */
  readonly where: string;
}

const adviceFor = ({ operation }: OperationSubject): Advice => {
  const { assumedPath } = operation;
  if (assumedPath)
    return {
      setting: assumedPath.setting,
      where: ` The contract does not give its path: set ${assumedPath.setting} to it.`,
    };
  const filled = filledParameters(operation);
  if (filled === '') return { setting: '', where: '' };
  return {
    setting: 'PARAMETERS',
    where: ` The value filled in for ${filled} may name nothing there: give one that does in the PARAMETERS file, under "${operation.id}".`,
  };
};

/** The exchanges that show that a public operation is not open. */
const exchangesOf = ({ asked, keyed }: NotOpen): readonly Exchange[] => (keyed ? [asked, keyed] : [asked]);

/** The judgement of a redirect that was followed to its end. */
const redirected = (target: string, notOpen: NotOpen, { setting, where }: Advice): Judgement => {
  const { asked, answer, missing } = notOpen;
  const location = header(answer, 'location');
  // Another path would not help.
  if (isCircle(asked))
    return inconclusive(
      because('redirects-to-itself', location),
      `${target} redirects to itself (${location ?? ''}), so a client that follows it gets nothing, and the key is no help.`,
      exchangesOf(notOpen),
    );
  const nothing = answerOf(missing);
  const leadsNowhere = nothing && redirectPathOf(nothing) === redirectPathOf(answer);
  const advice = isWithoutTls(location ?? '') ? ' HTTPS has to serve it itself.' : where;
  return inconclusive(
    because('redirects-elsewhere', setting, location),
    `${target} redirects to ${location ?? ''}${leadsNowhere ? ', where a path that does not exist leads too' : ''}.${advice}`,
    exchangesOf(notOpen),
  );
};

/** The judgement of an answer that a path that does not exist gets too. */
const likeNothing = (subject: OperationSubject, notOpen: NotOpen, { setting, where }: Advice): Judgement => {
  const { status } = notOpen.answer;
  // An assumed path may share less with BASE_URL than the documented ones do.
  const others = subject.operation.assumedPath ? subject.contract.operations : [];
  const paths = [subject.operation, ...others].map(({ path }) => path);
  const hint = repeatedBasePath(subject.deployment, paths);
  if (hint) return inconclusive(because('no-path', 'BASE_URL'), `${hint.says} ${hint.advice}`, exchangesOf(notOpen));
  return inconclusive(
    because('answered-like-nothing', setting, status),
    `${targetOf(subject)} is answered like a path that does not exist (${status}).${where}`,
    exchangesOf(notOpen),
  );
};

/** The judgement if the key makes no difference to a public operation that is not open. */
export const whyNotOpen = (ask: Ask, subject: OperationSubject, notOpen: NotOpen): Judgement => {
  const { asked, answer, keyed, missing } = notOpen;
  const { assumedPath } = subject.operation;
  const exchanges = exchangesOf(notOpen);
  const advice = adviceFor(subject);
  const { setting, where } = advice;
  const target = targetOf(subject);
  const nothing = answerOf(missing);
  if (isRedirect(answer) && !isSame(answer, nothing)) return redirected(target, notOpen, advice);
  if (
    nothing &&
    (isSame(answer, nothing) || (isSuccess(answer) && differences(answer.shape, nothing.shape)?.size === 0))
  )
    return likeNothing(subject, notOpen, advice);
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
  const second = !assumedPath && isAboutCredentials(notOpen) ? answerOf(ask(again(asked.probe))) : undefined;
  if (second?.status === answer.status)
    return failed(
      because('refused-though-public', answer.status),
      `With nothing sent it is refused (${answer.status}), and the key given does not open it either.`,
      exchanges,
      { expected: 'the resource, with nothing sent', seen: String(answer.status) },
    );
  return inconclusive(
    // That the key is no help says nothing of the key.
    authOrProxyStatuses.has(answer.status)
      ? because('refused-though-public', answer.status, setting)
      : because('key-opens-nothing', setting, answer.status),
    `${target} is answered with ${answer.status}, and the key is no help${answer.status === 403 && !assumedPath ? ': a 403 to everybody may have another reason than a missing key, such as a feature that is switched off' : ''}.${where}`,
    exchanges,
  );
};
