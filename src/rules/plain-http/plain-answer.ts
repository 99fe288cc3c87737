import type { Operation } from '../../contract/model.js';
import type { Exchange, Probe, Response } from '../../wire/types.js';
import { answerOf, header, isRedirect } from '../oracle/answers.js';
import { anonymousControls } from '../oracle/control-requests.js';
import { type Controls, controlsOf } from '../oracle/controls.js';
import { isSame } from '../oracle/same.js';
import type { Ask, OperationSubject } from '../rule.js';
import { follow } from '../support/follow-redirects.js';
import type { Cause } from '../support/judgement.js';
import { canSendKey } from '../support/subjects.js';

/** Requests over plain HTTP, and their answers beside those over HTTPS. */

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

export interface PlainSeen {
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

export interface PlainAnswer {
  readonly ask: Ask;
  readonly subject: OperationSubject;
  readonly known: HttpsAnswers;
  readonly request: PlainRequest;
  /** The exchange, or the one that redirects within plain HTTP led to. */
  readonly step: Exchange;
  readonly answer: Response;
}

/** The end of redirects within plain HTTP. */
export const lastWithin = (ask: Ask, exchange: Exchange): Exchange =>
  follow(ask, exchange, isPlainHttp).at(-1) ?? exchange;

/**
 * The HTTPS answers to compare with. With a canary: that to the same request. Else: that to a
 * request with nothing sent, and that to the same request if its header fields made a difference.
 */
export const overTls = ({ ask, known, request, answer }: PlainAnswer): readonly Exchange[] => {
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
export const missingOn = ({ request, step, known }: PlainAnswer): Probe => {
  const probe = step.probe.origin === request.probe.origin ? step.probe : request.probe;
  const { target } = known.missing.probe;
  const isItself = probe.target === request.probe.target;
  return {
    ...probe,
    name: `${probe.name}, a path that does not exist`,
    target: isItself ? request.spell(target) : target,
  };
};
