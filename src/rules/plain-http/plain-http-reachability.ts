import type { Exchange, WireError, WireErrorCode } from '../../wire/types.js';
import { answerOf } from '../oracle/answers.js';
import { because, type Cause } from '../support/judgement.js';

/**
 * Whether a plain HTTP request reached the deployment. If it failed because of DNS, routing, a
 * proxy or a firewall, that says nothing about the deployment.
 */

const authority = ({ probe }: Exchange): string => {
  const { protocol, hostname, port } = new URL(probe.origin);
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
};

/** Why plain HTTP shows nothing about the deployment. */
export interface Unseen {
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

/**
 * The reason if silence may be slowness: HTTPS needed more than half of the time that plain HTTP
 * was given.
 */
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

/**
 * Why a request without an answer may not have reached the deployment, or not in time. `https` is
 * the same request over HTTPS.
 */
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

/**
 * Why an answer may be that of a forwarding proxy. A tunnel (to the HTTPS port) gives none of its
 * own.
 */
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
