import { urlIn } from '../../urls.js';
import type { Response } from '../../wire/types.js';
import { answerOf, header, isRedirect } from '../oracle/answers.js';
import type { Ask, OperationSubject } from '../rule.js';
import { requestFor } from '../support/requests.js';
import { splitTarget, targetOf } from '../support/targets.js';
import { neighbouringPaths } from './neighbouring-paths.js';
import type { PathVariant } from './versions.js';

/**
 * Characters that mean the same encoded and unencoded (RFC 3986, section 2.3). A slash is not among
 * them.
 */
const unreserved = /^[A-Za-z0-9\-._~]$/;

const decoded = (path: string): string =>
  path.replace(/%([0-9A-Fa-f]{2})/g, (encoded, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return unreserved.test(character) ? character : encoded;
  });

/** A path without everything in which two spellings of one path may differ. */
const bare = (path: string): string =>
  // Dot segments are removed last, since `%2e%2e` is one as well. The URL parser removes them (RFC
  // 3986, section 5.2.4).
  new URL(`https://origin.invalid${decoded(path)}`).pathname
    .toLowerCase()
    .split('/')
    .filter((segment) => segment !== '')
    .join('/');

/**
 * Whether two paths are spellings of one: equal after the normalisation of RFC 3986 (section
 * 6.2.2), apart from the case of letters and from doubled or trailing slashes. Proxies and
 * frameworks redirect from one to the other.
 */
export const isSamePath = (path: string, other: string): boolean => bare(path) === bare(other);

/** Redirects of the documented request. */

const urlOf = (subject: OperationSubject): string => `${subject.deployment.origin}${targetOf(subject)}`;

/** Where a redirect of the operation leads. */
const redirectedTo = (answer: Response, subject: OperationSubject): URL | undefined => {
  const location = header(answer, 'location') ?? '';
  return isRedirect(answer) ? urlIn(location, urlOf(subject)) : undefined;
};

/** Origin of a redirect to another host. */
export const foreignHost = (answer: Response, subject: OperationSubject): string | undefined => {
  const to = redirectedTo(answer, subject);
  return to?.origin === subject.deployment.origin ? undefined : to?.origin;
};

/**
 * A redirect to a similar path: the last segment is the same, and slash, version or prefix differ.
 */
export const leadsToSpelling = (answer: Response, subject: OperationSubject): boolean => {
  const to = redirectedTo(answer, subject);
  if (!to) return false;
  const last = (path: string): string => path.split('/').findLast((segment) => segment !== '') ?? '';
  const [own] = splitTarget(targetOf(subject));
  const { pathname } = to;
  // A redirect to the very same path is a gateway that sets a cookie, or a loop. It names no other
  // place.
  return pathname !== own && last(pathname).toLowerCase() === last(own).toLowerCase();
};

/** A redirect to the documented path with another query: the operation is there. */
export const addsAQuery = (answer: Response, subject: OperationSubject): boolean => {
  const [to, from] = [redirectedTo(answer, subject), new URL(urlOf(subject))];
  return to?.origin === from.origin && to.pathname === from.pathname && to.search !== from.search;
};

/** The place on the same origin that a redirect names. */
const variantAt = (answer: Response, subject: OperationSubject): PathVariant | undefined => {
  const to = redirectedTo(answer, subject);
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
 * The target of a redirect, if the key may be sent there: a spelling of the documented path or of a
 * neighbouring path. A place that the server chose gets no key.
 */
export const followedWithKey = (answer: Response, subject: OperationSubject): PathVariant[] => {
  const way = variantAt(answer, subject);
  if (!way || addsAQuery(answer, subject)) return [];
  const [own, query] = splitTarget(targetOf(subject));
  const [path, chosen] = splitTarget(way.target);
  if (chosen !== '' && chosen !== query) return [];
  const places = [own, ...neighbouringPaths(subject).map(({ target }) => splitTarget(target)[0])];
  return places.some((place) => isSamePath(path, place)) ? [way] : [];
};

/** How the target of a redirect answers a random key, where the real one is not sent there. */
export const withoutTheKeyThere = (ask: Ask, answer: Response, subject: OperationSubject): string => {
  if (!isRedirect(answer) || followedWithKey(answer, subject).length > 0) return '';
  const way = variantAt(answer, subject);
  const there = way && answerOf(ask(way.probe('random')));
  const seen = there ? `; with a random one that place is answered with ${there.status}` : '';
  return ` It redirects to ${header(answer, 'location') ?? ''}, where the key is not sent, since the server chose the place${seen}. If the operation is there, the document has to say so.`;
};
