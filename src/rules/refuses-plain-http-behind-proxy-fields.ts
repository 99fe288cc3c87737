import type { HeaderPair } from '../wire/types.js';
import type { PlainRequest } from './plain-http/classify-plain-http.js';
import { type PlainSide, plainRequest } from './plain-http/plain-http-requests.js';
import { batteryOverPlainHttp, nothingOverPlainHttp, onPlainPort } from './plain-http/plain-http-rule.js';
import { defineRule, type OperationSubject } from './rule.js';

const vouchers: readonly (readonly [words: string, header: HeaderPair])[] = [
  ['with X-Forwarded-Proto: https', ['X-Forwarded-Proto', 'https']],
  ['with X-Forwarded-Ssl: on', ['X-Forwarded-Ssl', 'on']],
  ['with Forwarded: proto=https', ['Forwarded', 'proto=https']],
  ['with Front-End-Https: on', ['Front-End-Https', 'on']],
  ['with X-Forwarded-Scheme: https', ['X-Forwarded-Scheme', 'https']],
  ['with CF-Visitor: {"scheme":"https"}', ['CF-Visitor', '{"scheme":"https"}']],
];

/** Fields of single proxies, clouds and frameworks, in one request. */
const rareVouchers: readonly HeaderPair[] = [
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
];

const withVouchers = (subject: OperationSubject, side: PlainSide): readonly PlainRequest[] => [
  ...vouchers.map(([words, field]) => plainRequest(subject, side, words, [field])),
  plainRequest(subject, side, 'with X-Url-Scheme, X-Forwarded-Port and other fields that say https', rareVouchers),
];

/**
 * HTTPS-2: plain HTTP gives nothing of the API either when the request claims that it came over
 * TLS.
 */
export const refusesPlainHttpBehindProxyFields = defineRule({
  scope: 'operation',
  overPlainHttp: true,
  id: 'refuses-plain-http-behind-proxy-fields',
  clauses: ['HTTPS-2'],
  title: 'is not reached over plain HTTP by a request that vouches for TLS itself',
  headline: ({ id, values = [] }) =>
    id === 'served-over-plain-http'
      ? {
          severity: 'exposed',
          one: `Plain HTTP ${values[2]} serves {operation}`,
          many: `Plain HTTP ${values[2]} serves the API: {operations}`,
        }
      : undefined,
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
      'The same GET over plain HTTP with one field each by which a TLS proxy vouches: X-Forwarded-Proto, X-Forwarded-Ssl, Forwarded, Front-End-Https, X-Forwarded-Scheme, CF-Visitor; and with a dozen rarer ones together, such as X-Url-Scheme and X-Forwarded-Port. No key.',
    judged: 'As refuses-plain-http: failed where what HTTPS gives, or the API’s own refusal, comes over plain HTTP.',
    causes: [
      'The application redirects to https unless X-Forwarded-Proto says https, and believes the field from anybody.',
      'The proxy passes on fields that clients sent.',
    ],
    fixes: [
      'Let the proxy overwrite these fields in every request (in nginx: proxy_set_header X-Forwarded-Proto $scheme;).',
      'Name the proxies that may be believed in the framework’s settings, and let nobody else reach the application’s port.',
    ],
  },
});
