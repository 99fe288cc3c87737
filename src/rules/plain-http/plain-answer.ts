import type { Operation } from '../../contract/model.js';
import type { Exchange, Probe, Response, WireError, WireErrorCode } from '../../wire/types.js';
import { answerOf, header, isRedirect } from '../oracle/answers.js';
import { anonymousControls } from '../oracle/control-requests.js';
import { type Controls, controlsOf } from '../oracle/controls.js';
import { isSame } from '../oracle/same.js';
import type { Ask, OperationSubject } from '../rule.js';
import { follow } from '../support/follow-up.js';
import { because, type Cause } from '../support/judgement.js';
import { canSendKey } from '../support/subjects.js';

/**
 * Whether a plain HTTP request reached the deployment. If it failed because of DNS, routing, a
 * proxy or a firewall, that says nothing about the deployment.
 */

const authority = ({ probe }: Exchange): string => {
  const { protocol, hostname, port } = new URL(probe.origin);
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
};

/** Why plain HTTP shows nothing about the deployment. */
interface Unseen {
  readonly cause: Cause;
  readonly words: string;
}

/**
 * Whether "host unreachable" came for an address that answers over HTTPS. There is a route then, so
 * a packet filter rejected the request.
 */
const rejectedByAnsweringAddress = ({ hostUnreachable }: WireError, https: Exchange): boolean => {
  const address = https.connection.address?.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  return address !== undefined && answerOf(https) !== undefined && hostUnreachable === address;
};

const silences: ReadonlySet<WireErrorCode> = new Set(['connect-timeout', 'headers-timeout', 'body-timeout']);

/** The reason why silence may be slowness: HTTPS took half of the time that was given. */
const whySlow = (plain: Exchange, https: Exchange): Unseen | undefined => {
  const [silent, answered] = [plain.attempts.at(-1), https.attempts.at(-1)];
  if (!silent?.error || !answered?.response || !silences.has(silent.error.code)) return undefined;
  const [waited, needed] = [silent.error.earlierMs ?? silent.timing.total, answered.timing.total];
  return needed * 2 > waited
    ? {
        cause: because('not-reached', 'slow', silent.error.code),
        words: `no answer (${silent.error.code}) within ${Math.round(waited)} ms, of which HTTPS needed ${Math.round(needed)} ms for one; raise TIMEOUT_MS`,
      }
    : undefined;
};

/** Why silence may not be the deployment's. `https` is the same request over HTTPS. */
export const whyNotReached = (plain: Exchange, https: Exchange): Unseen | undefined => {
  const error = plain.attempts.at(-1)?.error;
  if (!error) return undefined;
  if (error.atProxy) return { cause: because('not-reached', 'proxy', error.code), words: error.message };
  if (https.connection.proxy && !plain.connection.proxy && error.code !== 'not-http' && error.code !== 'too-large')
    return {
      cause: because('not-reached', 'no-proxy', error.code),
      words: `HTTPS goes through a proxy, and without one there is no answer (${error.code}), which a firewall on the way may cause; set HTTP_PROXY, or HTTP_BASE_URL=none for a deployment without plain HTTP`,
    };
  if (error.code !== 'unreachable') return whySlow(plain, https);
  if (rejectedByAnsweringAddress(error, https)) return undefined;
  return {
    cause: because('not-reached', 'no-route', error.code),
    words: `${error.message}; look at HTTP_BASE_URL, or set it to none for a deployment without plain HTTP`,
  };
};

/**
 * Error statuses that proxies do not use. Any other one may mean that the proxy denies access,
 * wants a password or cannot reach the origin.
 */
const ofOrigins: ReadonlySet<number> = new Set([401, 404, 410, 421, 426]);

/** Why an answer may be that of a forwarding proxy. A tunnel gives none of its own. */
export const whyFromProxy = (plain: Exchange, https: Exchange): Unseen | undefined => {
  const status = answerOf(plain)?.status ?? 0;
  if (!plain.connection.proxy || status < 400 || ofOrigins.has(status) || authority(plain) === authority(https))
    return undefined;
  return {
    cause: because('not-reached', 'answered-by-proxy', status),
    words: `the ${status} may be the proxy's own; reach the target without HTTP_PROXY, or set HTTP_BASE_URL=none for a deployment without plain HTTP`,
  };
};

/** Why plain HTTP shows nothing about the deployment: not reached, or answered by a proxy. */
export const whyUnseen = (plain: Exchange, https: Exchange): Unseen | undefined =>
  whyNotReached(plain, https) ?? whyFromProxy(plain, https);

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
  /** The changes of a bundle, each sent alone if the bundle is answered in another way. */
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
  /** The reading is certain: no answer, or a redirect to https. */
  readonly forCertain?: true;
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
