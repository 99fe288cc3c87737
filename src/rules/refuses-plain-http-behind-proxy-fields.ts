import type { HeaderPair } from '../wire/types.js';
import type { PlainRequest } from './plain-http/classify-plain-http.js';
import { type PlainSide, plainRequest } from './plain-http/plain-http-requests.js';
import { batteryOverPlainHttp, nothingOverPlainHttp, onPlainPort } from './plain-http/plain-http-rule.js';
import { defineRule, type OperationSubject } from './rule.js';
import { bundled } from './support/bundles.js';

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
  // The loopback address: local health checks use plain HTTP.
  ['X-Forwarded-For', '127.0.0.1'],
];

const withField = (subject: OperationSubject, side: PlainSide, field: HeaderPair): PlainRequest =>
  plainRequest(subject, side, `with ${field.join(': ')}`, [field]);

/** The others are sent in one request, since none contradicts another. */
const withVouchers = (subject: OperationSubject, side: PlainSide): readonly PlainRequest[] => [
  withField(subject, side, usual),
  bundled(
    plainRequest(subject, side, 'with other fields of proxies', others),
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
  battery: batteryOverPlainHttp(withVouchers),
  procedure: nothingOverPlainHttp(withVouchers),
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
