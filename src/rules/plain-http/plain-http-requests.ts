import { withQuery } from '../../urls.js';
import type { HeaderPair, Probe } from '../../wire/types.js';
import { fewSpellingsOf, withTwoSlashes } from '../bypass/path-spellings.js';
import type { Ask, OperationSubject, Subject } from '../rule.js';
import { bundled } from '../support/bundles.js';
import { nonce } from '../support/nonce.js';
import { atOtherAddress, otherHosts } from '../support/other-address.js';
import { agents, type RequestOptions, requestFor, webSocketUpgrade } from '../support/requests.js';
import { onlyScheme } from '../support/subjects.js';
import { withoutSlash } from '../support/targets.js';
import { classifyPlainHead, classifyPlainOptions } from './classify-plain-http.js';
import { carriesCanary, type PlainRequest } from './plain-answer.js';

/** Requests over plain HTTP. The key is never sent; a random canary may take its place. */

export interface PlainSide {
  readonly origin: string;
  /** The path before the operation's target. */
  readonly basePath: string;
}

interface PlainOptions
  extends Pick<RequestOptions, 'method' | 'headers' | 'family' | 'connection' | 'protocol'>,
    Pick<PlainRequest, 'isReadAlone' | 'classify'> {
  readonly spell?: (target: string) => string;
}

/** The name in the battery of the request with nothing added. */
export const withNothing = 'with nothing sent';

export const plainRequest = (
  subject: OperationSubject,
  side: PlainSide,
  words: string,
  { headers = [], spell = (target) => target, isReadAlone, classify, ...more }: PlainOptions = {},
): PlainRequest => {
  const plain = (name: string, fields: readonly HeaderPair[], operation = subject.operation): Probe =>
    requestFor(operation === subject.operation ? subject : { ...subject, operation }, {
      ...more,
      name: `over plain HTTP, ${name}`,
      credential: 'none',
      origin: side.origin,
      target: spell(`${side.basePath}${operation.target}`),
      headers: fields,
    });
  const probe = plain(words, headers);
  const bare = headers.length === 0 ? probe : plain(withNothing, []);
  return {
    words,
    probe,
    bare,
    spell,
    ...(isReadAlone && { isReadAlone }),
    ...(classify && { classify }),
    forOperation: (operation) =>
      carriesCanary(probe) ? plain(withNothing, [], operation) : plain(words, headers, operation),
  };
};

export const plainRequests = (subject: OperationSubject, side: PlainSide): readonly PlainRequest[] => [
  plainRequest(subject, side, withNothing),
  ...belowBasePath(subject, side),
  ...canary(subject, side),
  plainRequest(subject, side, 'from a browser', {
    headers: [
      ['User-Agent', agents.browser],
      ['Accept', 'text/html,application/json;q=0.9,*/*;q=0.8'],
      ['Upgrade-Insecure-Requests', '1'],
    ],
  }),
  ...otherHosts(subject.deployment, side.origin).map((name) =>
    plainRequest(subject, side, `with Host: ${name}`, { headers: [['Host', name]] }),
  ),
  ...(subject.operation.method === 'GET'
    ? [plainRequest(subject, side, 'with HEAD', { method: 'HEAD', classify: classifyPlainHead })]
    : []),
  inOtherForms(subject, side),
  // Redirects to https may be configured for certain paths only.
  ...fewSpellingsOf(`${side.basePath}${subject.operation.target}`).map(({ how, spell }) =>
    plainRequest(subject, side, how, { spell }),
  ),
  plainRequest(subject, side, 'by way of the path of ACME challenges', {
    spell: (target) => `${challenges}../..${target}`,
  }),
  // Requests of protected operations come last, so that a finding about several operations names
  // what all of them got.
  ...ofProtected(subject, side),
];

/** The same resource below the path of BASE_URL, which HTTP_BASE_URL may lack by mistake. */
const belowBasePath = (subject: OperationSubject, side: PlainSide): readonly PlainRequest[] => {
  const { basePath } = subject.deployment;
  if (side.basePath === basePath) return [];
  return [plainRequest(subject, { ...side, basePath }, `below ${basePath || '/'}, the path of BASE_URL`)];
};

/** Requests for protected operations only: public ones would show nothing more. */
const ofProtected = (subject: OperationSubject, side: PlainSide): readonly PlainRequest[] => {
  const { access, method } = subject.operation;
  if (access !== 'protected') return [];
  const request = (words: string, options: PlainOptions): PlainRequest => plainRequest(subject, side, words, options);
  const nameless: readonly HeaderPair[] = [
    ['Host', ''],
    ['User-Agent', ''],
  ];
  const fresh = { connection: 'fresh', isReadAlone: true } as const;
  return [
    ...(method === 'GET' ? [request('with OPTIONS', { method: 'OPTIONS', classify: classifyPlainOptions })] : []),
    // Not in a bundle: a server that compares the whole target would not see the other changes.
    request('with the whole URL in the request line', { spell: (target) => `${side.origin}${target}` }),
    // The default host of a server may not redirect, and health checks name neither it nor
    // themselves.
    request('over HTTP/1.0 without Host and User-Agent', { ...fresh, protocol: 'http/1.0', headers: nameless }),
    // A server may accept HTTP/2 before it checks for TLS.
    request('over HTTP/2', { ...fresh, protocol: 'h2' }),
    request('with // at the start of the path', { spell: withTwoSlashes, isReadAlone: true }),
  ];
};

/**
 * Fields of requests that a server may leave out when it redirects to https: those of scripts,
 * health checks, sessions and downloads.
 */
const exempted: readonly (readonly [words: string, headers: readonly HeaderPair[]])[] = [
  ['with Upgrade: websocket', webSocketUpgrade],
  ["with a health checker's User-Agent", [['User-Agent', agents.monitors]]],
  ['with X-Requested-With: XMLHttpRequest', [['X-Requested-With', 'XMLHttpRequest']]],
  ['with Origin: null', [['Origin', 'null']]],
  ['with a made-up session cookie', [['Cookie', 'session=1']]],
  ['with a Range', [['Range', 'bytes=0-']]],
  ['with Content-Length: 0', [['Content-Length', '0']]],
];

/** Certificates are renewed by plain HTTP at this path (RFC 8555, section 8.3). */
const challenges = '/.well-known/acme-challenge/';

/**
 * The same resource, asked for in other ways at once. Redirects to https may be made by comparing
 * the whole target, and other protocols may have a listener of their own.
 */
const inOtherForms = (subject: OperationSubject, side: PlainSide): PlainRequest => {
  const name = `nothing-${nonce(subject.deployment, 'plain query')}`;
  const withName = (target: string): string => withQuery(target, [`${name}=1`]);
  const withChallenge = (target: string): string => withQuery(target, [`${name}-2=${challenges}`]);
  const accept: HeaderPair = ['Accept', 'application/json'];
  const request = (words: string, options: PlainOptions): PlainRequest => plainRequest(subject, side, words, options);
  return bundled(
    {
      ...request('in other forms', {
        headers: [accept, ...exempted.flatMap(([, headers]) => headers)],
        spell: (target) => withChallenge(withName(target)),
      }),
      bare: plainRequest(subject, side, withNothing).bare,
    },
    () => [
      request('with another query', { spell: withName }),
      request('with the path of an ACME challenge in the query', { spell: withChallenge }),
      request('with Accept: application/json', { headers: [accept] }),
      ...exempted.map(([words, headers]) => request(words, { headers })),
    ],
  );
};

/** The same request to the host's other address family, where a separate listener may answer. */
export const requestsToOtherAddress = (
  ask: Ask,
  subject: OperationSubject,
  side: PlainSide,
): readonly PlainRequest[] => {
  const other = atOtherAddress(ask, plainRequest(subject, side, withNothing).probe);
  return other ? [plainRequest(subject, side, other.words, { family: other.family, connection: 'fresh' })] : [];
};

/** A request with a random value in place of the key. */
const canary = (subject: OperationSubject, side: PlainSide): readonly PlainRequest[] => {
  const scheme = onlyScheme(subject.operation);
  const value = `canary${nonce(subject.deployment, 'canary')}${nonce(subject.deployment, 'canary 2')}`;
  return scheme?.in === 'header'
    ? [
        plainRequest(subject, side, 'with a canary for a key', {
          headers: [[scheme.field, `${scheme.prefix}${value}`]],
        }),
      ]
    : [];
};

export const plainSideOf = ({ deployment }: Subject): PlainSide | undefined => {
  if (deployment.httpBaseUrl === null || deployment.httpBaseUrl === 'none') return undefined;
  const url = new URL(deployment.httpBaseUrl);
  return { origin: url.origin, basePath: withoutSlash(url.pathname) };
};
