import type { HeaderPair } from '../../wire/types.js';
import type { OperationSubject } from '../rule.js';
import { agents, webSocketUpgrade } from '../support/requests.js';
import { type Bypass, bypassWith } from './bypass.js';

/**
 * Header fields that are sent together, since few services look at any of them. Each is sent alone
 * where the answer is not that of the request without a key.
 */

/** The domain of an address that an allow-list is most likely to hold: the service's own. */
export const emailOf = ({ deployment }: OperationSubject): string => {
  const { hostname } = new URL(deployment.origin);
  return `admin@${/[a-z]$/i.test(hostname) ? hostname : 'example.com'}`;
};

/** Fields of gateways, meshes and load balancers that say who asks. */
const identities = (subject: OperationSubject): readonly HeaderPair[] => [
  ['X-Client-Cert', 'CN=admin'],
  ['X-SSL-Cert', 'CN=admin'],
  ['X-SSL-Client-Cert', 'CN=admin'],
  ['X-SSL-Client-S-DN', 'CN=admin'],
  // Envoy and Istio.
  ['X-Forwarded-Client-Cert', 'Subject="CN=admin";URI=spiffe://cluster.local/ns/default/sa/admin'],
  // Kong.
  ['X-Authenticated-Userid', 'admin'],
  ['X-Credential-Identifier', 'admin'],
  ['X-Consumer-ID', '1'],
  ['X-Consumer-Custom-ID', 'admin'],
  // Load balancers of AWS and of Google.
  ['X-Amzn-Oidc-Identity', 'admin'],
  ['X-Goog-Authenticated-User-Email', `accounts.google.com:${emailOf(subject)}`],
  ['X-Auth-User', 'admin'],
  ['X-Username', 'admin'],
  ['X-Admin', 'true'],
];

/** Fields that say that a request is the service's own, or comes from its network. */
const insiders: readonly HeaderPair[] = [
  ['X-Internal', 'true'],
  ['X-Internal-Request', 'true'],
  ['X-Debug', 'true'],
  ['X-Custom-IP-Authorization', '127.0.0.1'],
  ['X-ProxyUser-Ip', '127.0.0.1'],
  ['X-Original-Forwarded-For', '127.0.0.1'],
  ['Fastly-Client-IP', '127.0.0.1'],
  ['X-Azure-ClientIP', '127.0.0.1'],
  ['X-Forwarded-Server', 'localhost'],
];

/** The machine itself in IPv6. */
const loopback: readonly HeaderPair[] = [
  ['X-Forwarded-For', '::1'],
  ['X-Real-IP', '::1'],
  ['Forwarded', 'for="[::1]"'],
];

/** Fields of HTTP and Fetch by which other code or a cache may be chosen. */
const fromPages: readonly HeaderPair[] = [
  ['Origin', 'null'],
  ['Sec-Fetch-Site', 'same-origin'],
  ['Sec-Fetch-Mode', 'navigate'],
  ['Sec-Fetch-Dest', 'document'],
  ['Purpose', 'prefetch'],
  ['Sec-Purpose', 'prefetch'],
  ['Cache-Control', 'no-cache'],
  ['Pragma', 'no-cache'],
  ['Accept-Language', 'de'],
  ['Save-Data', 'on'],
  // Validators that fit nothing, so that the whole answer comes.
  ['If-Modified-Since', new Date(0).toUTCString()],
  ['If-None-Match', '"nothing"'],
];

/** A change of a request, and its fields. */
type Change = readonly [words: string, headers: readonly HeaderPair[], how?: string];

const changeOf = (field: HeaderPair): Change => [
  field[1].length > 60 ? `${field[0]} with a made-up value` : field.join(': '),
  [field],
];

/** One request with all changes, and its parts with one each. */
const together = (subject: OperationSubject, words: string, changes: readonly Change[]): Bypass => ({
  ...bypassWith(
    subject,
    `a request with ${words}`,
    { headers: changes.flatMap(([, headers]) => headers) },
    `with ${words}`,
  ),
  trick: words,
  parts: changes.map(([name, headers, how]) => ({ ...bypassWith(subject, name, { headers }, how), trick: words })),
});

/** Another protocol, or an interim answer. */
const beyondHttp = (subject: OperationSubject): Bypass => {
  const changes: readonly Change[] = [['Upgrade: websocket', webSocketUpgrade], changeOf(['Expect', '100-continue'])];
  const { parts = [], ...bundle } = together(subject, 'Upgrade and Expect', changes);
  return { ...bundle, leavesHttp: true, parts: parts.map((part) => ({ ...part, leavesHttp: true })) };
};

export const bundledFields = (subject: OperationSubject): readonly Bypass[] => [
  together(subject, 'fields of gateways, meshes and load balancers', [
    ...[...identities(subject), ...insiders, ...loopback].map(changeOf),
    ["a health checker's User-Agent", [['User-Agent', agents.monitors]]],
  ]),
  together(subject, 'fields of pages, caches and conditional requests', [
    ...fromPages.map(changeOf),
    // The client leaves out a User-Agent without a value.
    ['no User-Agent', [['User-Agent', '']], 'without a User-Agent'],
  ]),
  beyondHttp(subject),
];
