import { wordsIn } from '../../collections.js';
import { publicOperations } from '../oracle/control-requests.js';
import type { OperationSubject } from '../rule.js';
import { agents, webSocketUpgrade } from '../support/requests.js';
import { splitTarget, targetOf } from '../support/targets.js';
import { type Bypass, bundleOf, type Change, change, changes, headerChange, requestWith } from './bypass.js';
import { identityChanges } from './identity-fields.js';

/** Changes that are sent together, since few services look at any of them. */

/**
 * Fields in which proxies pass on the client's address. X-Forwarded-For is sent alone with the
 * usual addresses: beside it, services may not look at others.
 */
const addressFields = wordsIn(`
  X-Real-IP X-Client-IP X-Originating-IP X-Remote-IP X-Remote-Addr X-Cluster-Client-IP
  True-Client-IP CF-Connecting-IP Client-IP X-Custom-IP-Authorization X-ProxyUser-Ip
  X-Original-Forwarded-For Fastly-Client-IP X-Azure-ClientIP
`);

const addresses = (words: string, address: string, fields = addressFields): readonly Change[] =>
  [...fields.map((field) => [field, address] as const), ['Forwarded', `for=${address}`] as const].map((field) =>
    headerChange(`${field[0]} with ${words}`, `with ${field.join(': ')}`, field),
  );

/** All address fields hold one address, so one request tries them together. */
const inAllFields = (subject: OperationSubject, address: string): Bypass => {
  const words = `the private address ${address}`;
  return bundleOf(
    subject,
    `${words} in all fields of proxies`,
    addresses(words, address, ['X-Forwarded-For', ...addressFields]),
  );
};

/**
 * Interfaces that pass fields on as variables (RFC 3875, section 4.1.18) read `_` as `-`, and a
 * proxy that removes the fields of clients may know one spelling alone.
 */
const withUnderscores: readonly Change[] = [
  ...changes('admin', 'X_Remote_User', 'Remote_User', 'X_Forwarded_User', 'X_Auth_Request_User', 'X_WEBAUTH_USER'),
  ...changes('admin', 'X_Consumer_Username', 'X_Authenticated_User'),
  ...changes('127.0.0.1', 'X_Forwarded_For', 'X_Real_IP', 'X_Client_IP'),
];

const ownSubrequest = ['middleware', 'src/middleware'].flatMap((name) => Array<string>(5).fill(name)).join(':');

/** Fields that say that a request is the service's own, or comes from its network. */
const insiders: readonly Change[] = [
  ...changes('true', 'X-Internal', 'X-Internal-Request', 'X-Debug', 'X-Test', 'X-Skip-Auth'),
  ...changes('admin', 'X-Role', 'X-Hasura-Role'),
  // Schedulers of clouds, whose jobs have no key.
  ...changes('true', 'X-Appengine-Cron', 'X-CloudScheduler'),
  change('X-Tenant-Id', '1'),
  change('X-Forwarded-Server', 'localhost'),
  // Envoy marks requests from inside the mesh with this field.
  change('X-Envoy-Internal', 'true'),
  // A service may take them for proof that a request came through its gateway.
  ...changes('https', 'X-Forwarded-Proto', 'X-Forwarded-Scheme', 'X-URL-Scheme'),
  ...changes('on', 'X-Forwarded-Ssl', 'Front-End-Https'),
  change('X-Forwarded-Port', '443'),
  ...changes('1', 'X-Request-ID', 'CF-Ray', 'X-Amz-Cf-Id'),
  change('traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'),
  // A framework marked requests that had passed its guard with this field (CVE-2025-29927).
  { words: 'X-Middleware-Subrequest', headers: [['X-Middleware-Subrequest', ownSubrequest]] },
  // Traefik and nginx tell an authorisation service the method in these fields.
  ...changes('OPTIONS', 'X-Forwarded-Method', 'X-Original-Method'),
  // The machine itself in IPv6.
  ...changes('::1', 'X-Forwarded-For', 'X-Real-IP'),
  change('Forwarded', 'for="[::1]"'),
  { words: "a health checker's User-Agent", headers: [['User-Agent', agents.monitors]] },
  // The client leaves out an Accept without a value, as many health checkers do.
  headerChange('no Accept', 'without Accept', ['Accept', '']),
];

/** Names under which frameworks keep a session, and services a token. */
const sessionCookies = wordsIn(`
  session sessionid session_id sid connect.sid JSESSIONID PHPSESSID laravel_session
  next-auth.session-token __Secure-next-auth.session-token token access_token auth auth_token
  jwt user logged_in preview __prerender_bypass
`);

/** Cookies in which a client says itself who it is. */
const claims = ['admin=true', 'role=admin', 'authenticated=true'] as const;

/** Fields that most proxies set for each request. */
const fieldsOfProxies = wordsIn(`
  X-Forwarded-For X-Real-IP X-Forwarded-Host X-Forwarded-Proto Forwarded Via X-Request-ID
`);

/** Fields of HTTP and Fetch by which other code or a cache may be chosen. */
const fromPages = ({ operation }: OperationSubject): readonly Change[] => [
  change('Origin', 'null'),
  change('Sec-Fetch-Site', 'same-origin'),
  change('Sec-Fetch-Mode', 'navigate'),
  change('Sec-Fetch-Dest', 'document'),
  ...changes('prefetch', 'Purpose', 'Sec-Purpose'),
  ...changes('no-cache', 'Cache-Control', 'Pragma'),
  change('Accept-Language', 'de'),
  change('Save-Data', 'on'),
  change('DNT', '1'),
  change('Prefer', 'return=minimal'),
  change('TE', 'trailers'),
  change('Via', '1.1 localhost'),
  change('Content-Type', 'application/json'),
  // A proxy removes the fields that Connection names (RFC 9110, section 7.6.1), even those that it
  // set itself. A service may think that a request without them comes from its own machine.
  {
    words: 'Connection with the names of fields of proxies',
    how: 'with the names of fields of proxies in Connection',
    headers: [['Connection', ['keep-alive', ...fieldsOfProxies].join(', ')]],
  },
  // An explicit empty body: guards and routers may treat such a request differently.
  change('Content-Length', '0'),
  // A guard may know a preflight by its fields, whatever its method (Fetch, section 3.2.2).
  change('Access-Control-Request-Method', 'GET'),
  change('Access-Control-Request-Headers', 'authorization'),
  // Frameworks that render on the server ask for the data of a page with these fields.
  change('RSC', '1'),
  change('X-Nextjs-Data', '1'),
  change('X-Inertia', 'true'),
  // A guard may take a token against forged requests for proof of a session.
  ...changes('x', 'X-CSRF-Token', 'X-XSRF-TOKEN'),
  change('HX-Request', 'true'),
  // These fields ask for a part of a page, which other code may render.
  change('X-PJAX', 'true'),
  change('Turbo-Frame', 'x'),
  change('Surrogate-Capability', 'x="ESI/1.0"'),
  // An older version may be older than its guard.
  ...changes('1', 'Api-Version', 'X-Api-Version', 'Accept-Version'),
  // Some frameworks treat a client as an API client only if it accepts nothing but JSON.
  change('Accept', 'application/json'),
  // Validators that match nothing, so that the whole body is sent. A date of zero may be read as
  // none.
  change('If-Modified-Since', new Date('2000-01-01').toUTCString()),
  change('If-None-Match', '"nothing"'),
  // Matches any current representation (RFC 9110, section 13.1.1).
  change('If-Match', '*'),
  change('If-Unmodified-Since', new Date('2100-01-01').toUTCString()),
  change('If-Range', '"nothing"'),
  // A guard may check only that a session cookie is there. A cookie that holds the operation's key
  // is tried with the invalid keys.
  requestWith('made-up session cookies', {
    headers: [
      [
        'Cookie',
        [...sessionCookies.map((name) => `${name}=1`), ...claims]
          .filter((pair) =>
            operation.security.every((scheme) => scheme.in !== 'cookie' || !pair.startsWith(`${scheme.field}=`)),
          )
          .join('; '),
      ],
    ],
  }),
  // The client leaves out a User-Agent without a value.
  headerChange('no User-Agent', 'without a User-Agent', ['User-Agent', '']),
];

/** Paths that services commonly leave open. A guard may look for them anywhere in the target. */
const openPaths = wordsIn(`
  /login /docs /v3/api-docs /swagger-ui/ /static/x.js /public/ /.well-known/ /favicon.ico
  /actuator/health
`);

/** Parameters of developers, those that choose other code, and those with open paths. */
const queryParameters: readonly Change[] = [
  // Error pages of some frameworks show more where `trace` or `message` is set.
  ...['debug', 'trace', 'message', 'test', 'internal', 'admin', 'preview', 'draft', 'public', 'export', 'download'].map(
    (name) => `${name}=true`,
  ),
  ...['page', 'limit', 'version', 'user_id'].map((name) => `${name}=1`),
  // Any other offset would leave out the only row of a list.
  'offset=0',
  ...['search', 'q', 'fields', 'include'].map((name) => `${name}=`),
  // Parameters that a program may read as its own variable, a session, a signature or a format.
  ...['authenticated=true', 'user=1', 'PHPSESSID=x', 'signature=x', 'sig=x', '_format=json'],
  ...openPaths.map((path, index) => `${index === 0 ? 'next' : `next${index + 1}`}=${path}`),
].map((parameter) => ({ words: `?${parameter}`, parameters: [parameter] }));

/** A guard may leave out targets that end with a public path, and count the query in. */
const publicPathAtEnd = (subject: OperationSubject): readonly Change[] =>
  publicOperations(subject)
    .slice(0, 1)
    .map((operation) => `last=${splitTarget(targetOf({ ...subject, operation }))[0]}`)
    .map((parameter) => ({ words: `?${parameter}`, parameters: [parameter] }));

/** Fields that command-line clients and programs send. */
const fromTools: readonly Change[] = [
  // A guard may leave out the handler of web hooks, which checks a signature.
  change('X-GitHub-Event', 'push'),
  change('X-Hub-Signature-256', `sha256=${'0'.repeat(64)}`),
  ...changes('1', 'X-Vercel-Cron', 'X-Health-Check', 'X-Monitoring'),
  // An upload: its handler may have another guard.
  change('Content-Type', 'multipart/form-data; boundary=x'),
  change('User-Agent', 'curl/8.5.0'),
  change('Accept-Encoding', 'identity'),
  change('Accept-Language', 'en'),
  // Some routers look for a range of versions, and do not read `1` as one.
  change('Accept-Version', '1.x'),
];

/** A list or an object in the notation of frameworks, where a guard compares strings. */
const nested = ['token', 'key', 'api_key', 'apikey', 'access_token'].map((name) => `${name}%5B%24ne%5D=x`);

/**
 * Values that parsers reject. A guard that fails may let the request through, and a cache may
 * answer in place of a service that fails.
 */
const malformed: readonly Change[] = [
  ...['x=%zz', 'page=x', ...nested].map((parameter) => ({ words: `?${parameter}`, parameters: [parameter] })),
  { words: 'a Cookie of 5,000 characters', headers: [['Cookie', `x=%zz${'x'.repeat(5_000)}`]] },
  change('Accept-Language', '*;q=x'),
  change('If-Modified-Since', 'x'),
  change('Forwarded', '='),
  change('Origin', 'x'),
];

/** Another protocol, or an interim answer. */
const beyondHttp: readonly Change[] = [
  { words: 'Upgrade: websocket', headers: webSocketUpgrade },
  change('Expect', '100-continue'),
];

export const bundledChanges = (subject: OperationSubject): readonly Bypass[] => [
  bundleOf(subject, 'a loopback address in fields of proxies', addresses('a loopback address', '127.0.0.1')),
  bundleOf(subject, 'a private address in fields of proxies', addresses('a private address', '10.0.0.1')),
  // Docker puts containers into 172.17.0.0/16.
  ...['172.17.0.1', '192.168.0.1'].map((address) => inAllFields(subject, address)),
  bundleOf(subject, 'fields of gateways, meshes and load balancers', [...identityChanges(subject), ...insiders]),
  bundleOf(subject, 'fields of proxies with underscores', withUnderscores),
  bundleOf(subject, 'fields of pages, caches and conditional requests', fromPages(subject)),
  bundleOf(subject, 'query parameters and fields of developers and of pages', [
    ...queryParameters,
    ...publicPathAtEnd(subject),
    ...fromTools,
  ]),
  bundleOf(subject, 'values that cannot be parsed', malformed),
  bundleOf(subject, 'Upgrade and Expect', beyondHttp, { leavesHttp: true }),
];
