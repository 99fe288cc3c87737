import { groupBy } from '../collections.js';
import type { HeaderPair } from '../wire/types.js';
import { answerOf } from './oracle/answers.js';
import { isOfOneForm, isSame } from './oracle/same.js';
import { isToHttps, type PlainRequest, whyUnseen } from './plain-http/plain-answer.js';
import {
  type PlainSide,
  plainRequest,
  plainRequests,
  plainSideOf,
  withNothing,
} from './plain-http/plain-http-requests.js';
import {
  isAskedOverPlainHttp,
  judgePlainHttp,
  onPlainPort,
  overPlainHttp,
  plainSideUnknown,
} from './plain-http/plain-http-rule.js';
import { type Ask, defineRule, type Judgement, type OperationSubject, type Subject } from './rule.js';
import { bundled } from './support/bundles.js';
import { because, inconclusive, listed, passed } from './support/judgement.js';
import { serviceRequest } from './support/requests.js';

/** HTTPS-2: a request over plain HTTP gets nothing of the API. */
export const refusesPlainHttp = defineRule({
  scope: 'operation',
  overPlainHttp: true,
  asksKeyless: true,
  id: 'refuses-plain-http',
  clauses: ['HTTPS-2'],
  title: 'is not reached over plain HTTP',
  stage: 'bypasses',
  appliesTo: onPlainPort,
  ...overPlainHttp(plainRequests, { everywhere: [withNothing], toOtherAddress: true }),
  explanation: {
    asks: 'The API is reached over HTTPS only: a request over plain HTTP gets nothing of it.',
    sends: [
      'A GET for the operation to the plain-HTTP side (port 80, or HTTP_BASE_URL, and there below the path of BASE_URL too): with nothing, with a random canary in the key’s place, from a browser, as HEAD, with two other Hosts (neither is the target’s own), and at other spellings of the path. For a protected operation also OPTIONS, the absolute form of the target, HTTP/1.0 without Host and User-Agent, and HTTP/2 by prior knowledge.',
      'One request with another query, Accept: application/json, Upgrade: websocket, and fields of health checks, scripts, sessions and parts; each of them alone where that is answered in another way.',
      'Where the host has an IPv4 and an IPv6 address, and both can be reached from here: once more to the one that was not asked.',
      'The real key never goes over plain HTTP, nor does a value that was read from the service: where the path of a protected operation holds one, a made-up value of its type stands there, over HTTPS too. That shows whether the API itself refuses it over plain HTTP, and not what a value that exists would get.',
      'Where an answer looks like the API’s, the same for a path that does not exist there, and everything once more.',
    ],
    judged: [
      'Passed: refused, closed, timed out while HTTPS answers, not HTTP, any error of the plain side, a redirect to https.',
      'Failed: what HTTPS serves comes over plain HTTP too, also behind a redirect that stays in plain HTTP.',
      'Failed: the API’s own refusal of that operation comes over plain HTTP, where a path that does not exist is answered otherwise: then the API itself answers there, and would read a key that was sent in the clear.',
      'Failed: HTTPS redirects the operation to plain HTTP, and there it opens (a public one) or asks for credentials with 401 (a protected one), where a path that does not exist gets 404 or 410.',
      'Failed: an answer over plain HTTP holds the key itself, of which nothing was sent.',
      'HEAD shows no more than GET: where GET gets the same status and not from the API, so does HEAD.',
      'OPTIONS: failed where its answer describes the operation as over HTTPS, and missing paths and public operations get another one.',
      'Excluded, for a path with a value that was read from the service: a public operation, or HTTPS answers the made-up value like a path that does not exist.',
      'Blocked: HTTPS answers the operation like a path that does not exist. Then only no answer or a redirect to https shows that plain HTTP gives nothing of it.',
      'Inconclusive: HTTP_BASE_URL does not say where the plain-HTTP side is.',
    ],
    causes: [
      'The proxy forwards port 80 to the application instead of redirecting it.',
      'The redirect to https is made for GET alone, and HEAD reaches the application.',
      'The redirect to https is made for targets without a query, or for requests without Upgrade, and others reach the application.',
      'The redirect to https leaves out health checks, scripts of pages or requests with a session, all of which anybody can send.',
      'The redirect to https is made for the web pages, and the API’s paths are left out of it.',
      'The redirect to https is made for paths that begin with certain letters, and the application reads other spellings as the same.',
      'The application’s own port is published beside the proxy.',
      'The redirect between HTTP and HTTPS goes the wrong way, or the proxy does not tell the application of TLS, which redirects to its own http URL.',
    ],
    fixes: [
      'Close port 80 for the API host, or answer every path there with 403 or a redirect to https, before any request reaches the application.',
      'Bind the application to the loopback interface or an internal network.',
      'Refusing is better than redirecting: a client that is redirected has already sent its key in the clear (OWASP ASVS 5.0, 4.1.2).',
      'Say HTTP_BASE_URL=none where no plain-HTTP side exists.',
    ],
  },
});

/** The field that most proxies set. */
const usual: HeaderPair = ['X-Forwarded-Proto', 'https'];

/** Fields of other proxies, clouds and frameworks that state https or the client's address. */
const others: readonly HeaderPair[] = [
  ['X-Forwarded-Ssl', 'on'],
  ['Forwarded', 'proto=https'],
  ['Front-End-Https', 'on'],
  ['X-Forwarded-Scheme', 'https'],
  ['CF-Visitor', '{"scheme":"https"}'],
  ['X-Forwarded-Port', '443'],
  ['X-Forwarded-Protocol', 'https'],
  ['X-Forwarded-Https', 'on'],
  ['X-Url-Scheme', 'https'],
  ['X-Scheme', 'https'],
  ['X-Original-Proto', 'https'],
  ['X-Client-Proto', 'https'],
  ['X-Https', 'on'],
  ['Https', 'on'],
  ['CloudFront-Forwarded-Proto', 'https'],
  ['X-AppEngine-Https', 'on'],
  ['X-ARR-SSL', 'on'],
  ['Fastly-SSL', '1'],
  ['X-AppService-Proto', 'https'],
  // The loopback address: local health checks use plain HTTP.
  ['X-Forwarded-For', '127.0.0.1'],
];

const withField = (subject: OperationSubject, side: PlainSide, field: HeaderPair): PlainRequest =>
  plainRequest(subject, side, `with ${field.join(': ')}`, { headers: [field] });

/** The others are sent in one request, since none contradicts another. */
const withVouchers = (subject: OperationSubject, side: PlainSide): readonly PlainRequest[] => [
  withField(subject, side, usual),
  bundled(plainRequest(subject, side, 'with other fields of proxies', { headers: others }), () =>
    others.map((field) => withField(subject, side, field)),
  ),
];

/** HTTPS-2: plain HTTP gives nothing of the API to a request that claims to have used TLS. */
export const refusesPlainHttpBehindProxyFields = defineRule({
  scope: 'operation',
  overPlainHttp: true,
  asksKeyless: true,
  id: 'refuses-plain-http-behind-proxy-fields',
  clauses: ['HTTPS-2'],
  title: 'is not reached over plain HTTP by a request that vouches for TLS itself',
  stage: 'bypasses',
  explainedBy: 'refuses-plain-http',
  appliesTo: (subject) =>
    subject.deployment.probes === 'standard' && onPlainPort(subject) === true
      ? 'PROBES=standard leaves out fields of proxies.'
      : onPlainPort(subject),
  ...overPlainHttp(withVouchers),
  explanation: {
    asks: 'Plain HTTP gives nothing of the API either when the request claims that it came over TLS.',
    sends:
      'The same GET over plain HTTP with a field by which a TLS proxy vouches: X-Forwarded-Proto; and once more with those of other proxies together, such as X-Forwarded-Ssl, Forwarded, Front-End-Https, X-Forwarded-Scheme and CF-Visitor, with X-Forwarded-For: 127.0.0.1 beside them, and with each of them where that makes a difference. No key.',
    judged: 'As refuses-plain-http: failed where what HTTPS gives, or the API’s own refusal, comes over plain HTTP.',
    causes: [
      'The application redirects to https unless X-Forwarded-Proto says https, and believes the field from anybody.',
      'Requests of the machine itself are not redirected, and X-Forwarded-For says which those are.',
      'The proxy passes on fields that clients sent.',
    ],
    fixes: [
      'Let the proxy overwrite these fields in every request (in nginx: proxy_set_header X-Forwarded-Proto $scheme;).',
      'Name the proxies that may be believed in the framework’s settings, and let nobody else reach the application’s port.',
    ],
  },
});

const mostOnTlsPort = 20;

/** Operations that are asked over plain HTTP on the TLS port. */
const onTlsPort = ({ contract, deployment }: Subject): readonly OperationSubject[] =>
  contract.operations
    .filter(isAskedOverPlainHttp)
    .slice(0, mostOnTlsPort)
    .map((operation) => ({ contract, deployment, operation }));

const tlsPortSide = ({ deployment }: Subject): PlainSide => {
  const url = new URL(deployment.origin);
  return { origin: `http://${url.hostname}:${url.port || '443'}`, basePath: deployment.basePath };
};

const overTlsPort = (subject: OperationSubject): PlainRequest =>
  plainRequest(subject, tlsPortSide(subject), 'on the TLS port');

/**
 * Judges the base path, for a contract without operations that may be asked. It proves nothing if
 * HTTPS and plain HTTP answer it alike.
 */
const judgeBase = (ask: Ask, subject: Subject): Judgement => {
  const side = plainSideOf(subject);
  if (!side && subject.deployment.httpBaseUrl !== 'none') return plainSideUnknown;
  const sides = [tlsPortSide(subject), ...(side ? [side] : [])];
  const [https, ...plain] = ask.all([
    serviceRequest(subject, { name: 'the base path' }),
    ...sides.map(({ origin, basePath }) =>
      serviceRequest(subject, { name: 'the base path, over plain HTTP', origin, target: `${basePath}/` }),
    ),
  ]);
  const open = https && answerOf(https);
  if (!https || !open)
    return inconclusive(
      because('nothing-to-compare'),
      'HTTPS gave no answer at the base path, so there is nothing to compare with.',
      plain,
    );
  const [unseen] = plain.flatMap((exchange) => {
    const why = whyUnseen(exchange, https);
    return why === undefined ? [] : [{ exchange, why }];
  });
  if (unseen)
    return inconclusive(unseen.why.cause, `Plain HTTP could not be judged: ${unseen.why.words}.`, [unseen.exchange], {
      comparedWith: [https],
    });
  const doubtful = plain.find((exchange, index) => {
    const answer = answerOf(exchange);
    if (!answer || isToHttps(answer)) return false;
    // A TLS port answers plain HTTP alike for every path. A plain port may answer each path
    // differently.
    return index > 0 || answer.status === 429 || isSame(answer, open) || isOfOneForm(answer.shape, open.shape);
  });
  if (doubtful)
    return inconclusive(
      because('unclear-answer', answerOf(doubtful)?.status),
      `Over plain HTTP the base path is answered with ${answerOf(doubtful)?.status ?? ''}; the contract has no operation that may be asked, by which it could be seen whether the API answers there.`,
      [doubtful],
      { comparedWith: [https] },
    );
  return passed(
    'At the base path plain HTTP gives no answer, or a redirect to https; the contract has no operation that may be asked.',
    plain,
    { comparedWith: [https] },
  );
};

/** The reason that all operations share, or each reason with its operations. */
const reasonOf = (subjects: readonly OperationSubject[], judged: readonly Judgement[]): string => {
  const byReason = groupBy(subjects.keys(), (index) => judged[index]?.reason ?? '');
  if (byReason.size === 1) return judged[0]?.reason ?? '';
  const idOf = (index: number): string => subjects[index]?.operation.id ?? '';
  return [...byReason].map(([reason, indexes]) => `${listed(indexes.map(idOf))}: ${reason}`).join(' ');
};

/** HTTPS-2: the TLS port does not speak plain HTTP as well. */
export const refusesPlainHttpOnTlsPort = defineRule({
  scope: 'service',
  id: 'refuses-plain-http-on-tls-port',
  clauses: ['HTTPS-2'],
  title: 'does not speak plain HTTP on the port of its HTTPS',
  headline: ({ id }) =>
    id === 'served-over-plain-http' ? { severity: 'exposed', one: 'The TLS port answers plain HTTP' } : undefined,
  stage: 'bypasses',
  appliesTo: () => true,
  probes: (subject) => onTlsPort(subject).map((each) => overTlsPort(each).probe),
  judge: (ask, subject) => {
    const subjects = onTlsPort(subject);
    if (subjects.length === 0) return judgeBase(ask, subject);
    ask.all(subjects.map((each) => overTlsPort(each).probe));
    const judged = subjects.map((each) => judgePlainHttp(ask, each, [overTlsPort(each)]));
    const worst =
      (['failed', 'inconclusive'] as const)
        .map((outcome) => judged.find((one) => one.outcome === outcome))
        .find((one) => one) ?? (judged.every(({ outcome }) => outcome === 'blocked') ? judged[0] : undefined);
    const note = judged.find((one) => one.note !== undefined)?.note;
    return (
      worst ??
      passed(
        reasonOf(subjects, judged),
        judged.flatMap(({ exchanges }) => exchanges),
        note === undefined ? {} : { note },
      )
    );
  },
  explanation: {
    asks: 'The port that speaks TLS does not speak plain HTTP as well.',
    sends: 'For up to 20 operations one GET without TLS to the port of the base URL. No key.',
    judged:
      'As refuses-plain-http. A closed connection, a TLS alert or “the plain HTTP request was sent to HTTPS port” is a refusal.',
    causes: 'A server or mesh sidecar that looks at the first byte and takes both on one port.',
    fixes: 'Switch permissive or mixed mode off (strict mutual TLS in a mesh, TLS only at the listener).',
  },
});
