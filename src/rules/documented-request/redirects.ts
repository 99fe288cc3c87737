import { pathSegments } from '../../urls.js';
import type { Exchange, Response } from '../../wire/types.js';
import { answerOf, header, isRedirect, redirectUrlOf } from '../oracle/answers.js';
import { isSame } from '../oracle/same.js';
import type { Ask, OperationSubject } from '../rule.js';
import { requestFor } from '../support/requests.js';
import { splitTarget, targetOf } from '../support/targets.js';
import { neighbouringPaths, type PathVariant } from './request-variants.js';

/** Redirects of the documented request, and what they say about its path. */

/** Characters that equal their percent-encoded form (RFC 3986, section 2.3). */
const unreserved = /^[A-Za-z0-9\-._~]$/;

const decoded = (path: string): string =>
  path.replace(/%([0-9A-Fa-f]{2})/g, (encoded, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return unreserved.test(character) ? character : encoded;
  });

/** Normalises a path, so that equivalent spellings become equal. */
const normalised = (path: string): string =>
  // The URL parser removes dot segments (RFC 3986, section 5.2.4). It comes last, since `%2e%2e` is
  // one too.
  pathSegments(new URL(`https://origin.invalid${decoded(path)}`).pathname.toLowerCase()).join('/');

/**
 * Whether two paths are equal after the normalisation of RFC 3986 (section 6.2.2), ignoring case
 * and doubled or trailing slashes. Proxies and frameworks redirect between such paths.
 */
export const isSamePath = (path: string, other: string): boolean => normalised(path) === normalised(other);

const urlOf = (subject: OperationSubject): string => `${subject.deployment.origin}${targetOf(subject)}`;

/**
 * The base URL to which a redirect leads: another origin, or other segments before the same path.
 * If a missing path is redirected to the same base URL, that says nothing about the operation.
 */
const otherBase = (answer: Response, target: string, { deployment }: OperationSubject): string | undefined => {
  const { origin, basePath } = deployment;
  const to = redirectUrlOf(answer, `${origin}${target}`);
  if (to?.origin !== origin) return to?.origin;
  const [path] = splitTarget(target);
  const below = path.slice(basePath.length);
  return to.pathname !== path && to.pathname.endsWith(below)
    ? `${origin}${to.pathname.slice(0, -below.length)}`
    : undefined;
};

/** The base URL that an operation and a path that does not exist are both redirected to. */
export const commonBase = (here: Exchange, nowhere: Exchange, subject: OperationSubject): string | undefined => {
  const [one, other] = [here, nowhere].map((exchange) => {
    const answer = answerOf(exchange);
    return answer && otherBase(answer, exchange.probe.target, subject);
  });
  return one === other ? one : undefined;
};

/** Whether an operation is answered as a path that does not exist. */
export const isAsNowhere = (here: Exchange, nowhere: Exchange, subject: OperationSubject): boolean =>
  isSame(answerOf(here), answerOf(nowhere)) || commonBase(here, nowhere, subject) !== undefined;

/** Whether a redirect leads to a path with the same last segment. */
export const leadsToSpelling = (answer: Response, subject: OperationSubject): boolean => {
  const to = redirectUrlOf(answer, urlOf(subject));
  if (!to) return false;
  const last = (path: string): string => path.split('/').findLast((segment) => segment !== '') ?? '';
  const [own] = splitTarget(targetOf(subject));
  const { pathname } = to;
  // A redirect to the same path sets a cookie, or is a loop. It names no other place.
  return pathname !== own && last(pathname).toLowerCase() === last(own).toLowerCase();
};

/** Whether a redirect changes only the query, so that the path is right. */
export const addsAQuery = (answer: Response, subject: OperationSubject): boolean => {
  const [to, from] = [redirectUrlOf(answer, urlOf(subject)), new URL(urlOf(subject))];
  return to?.origin === from.origin && to.pathname === from.pathname && to.search !== from.search;
};

/** The target of a redirect on the same origin, as a path variant. */
const variantAt = (answer: Response, subject: OperationSubject): PathVariant | undefined => {
  const to = redirectUrlOf(answer, urlOf(subject));
  if (to?.origin !== subject.deployment.origin) return undefined;
  if (to.href.includes('<API_KEY') || to.href.includes('%3CAPI_KEY')) return undefined;
  const target = `${to.pathname}${to.search}`;
  return {
    words: target,
    target,
    probe: (credential, round = 1) =>
      requestFor(subject, { name: 'where the redirect points', credential, round, target }),
  };
};

/**
 * The target of a redirect, if the key may be sent there: an equivalent of the documented path or
 * of a neighbouring path. The server must not choose where the key goes.
 */
export const followedWithKey = (answer: Response, subject: OperationSubject): PathVariant[] => {
  const target = variantAt(answer, subject);
  if (!target || addsAQuery(answer, subject)) return [];
  const [own, query] = splitTarget(targetOf(subject));
  const [path, chosen] = splitTarget(target.target);
  if (chosen !== '' && chosen !== query) return [];
  const places = [own, ...neighbouringPaths(subject).map(({ target }) => splitTarget(target)[0])];
  return places.some((place) => isSamePath(path, place)) ? [target] : [];
};

/** Describes the target of a redirect where the key is not sent, by its answer to a random key. */
export const withoutTheKeyThere = (ask: Ask, answer: Response, subject: OperationSubject): string => {
  if (!isRedirect(answer) || followedWithKey(answer, subject).length > 0) return '';
  const target = variantAt(answer, subject);
  const there = target && answerOf(ask(target.probe('random')));
  const seen = there ? `; with a random one that place is answered with ${there.status}` : '';
  return ` It redirects to ${header(answer, 'location') ?? ''}, where the key is not sent, since the server chose the place${seen}. If the operation is there, the document has to say so.`;
};
