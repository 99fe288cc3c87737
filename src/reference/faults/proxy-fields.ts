import {
  guardingOnePath,
  lettingIn,
  type Override,
  pageOf,
  pagesForBrowsers,
  paths,
  publicAs,
  resourceAt,
  servingAsRead,
  wantsPage,
} from '../behaviour.js';
import { combine, type FaultDefinition, faultsOf, type Unnamed, withNames } from '../definitions.js';
import { fieldOf, isForAnotherHost, json, splitTarget, withPath } from '../messages.js';
import { openedByFields } from './bundled-changes.js';

/** Faults where fields that only a proxy should set are trusted from any client. */

const fault = faultsOf('AUTH-3', 'refuses-proxy-fields');

const pathIn = (value: string): string => splitTarget(value).path;

/** The router uses the field; the access check uses the request line. */
const routesBy = (field: string): Override =>
  combine(guardingOnePath, (base) => ({
    route: (call) => {
      const value = fieldOf(call, field);
      return base.route(value === undefined ? call : withPath(call, pathIn(value)));
    },
  }));

/** The access check uses the field; the router uses the request line. */
const guardedBy = (title: string, field: string): Unnamed<FaultDefinition> =>
  fault(
    title,
    lettingIn((call) => {
      const value = fieldOf(call, field);
      return value !== undefined && resourceAt(pathIn(value)) !== 'workout';
    }),
    { shownBy: { headers: { [field]: paths.exercise } } },
  );

const loopback = /^(?:127\.\d+\.\d+\.\d+|\[?::1\]?|localhost)$/i;
const privateAddress = /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)/;

/** Trusts requests whose field starts with such an address. */
const trustsAddress = (field: string, addresses: RegExp): Override =>
  lettingIn((call) => addresses.test(fieldOf(call, field)?.split(',')[0]?.trim() ?? ''));

/** Whoever claims something in a field that names the address of a client needs no key. */
const claiming = (what: string, field: string, addresses: RegExp): Unnamed<FaultDefinition> =>
  fault(
    what.startsWith('to ')
      ? `Who claims in ${field} ${what} needs no key.`
      : `Who claims ${what} in ${field} needs no key.`,
    trustsAddress(field, addresses),
  );

export const proxyFieldFaults = withNames<FaultDefinition>({
  'x-original-url-routes': fault(
    'X-Original-URL moves any request to the workouts, behind the guard.',
    routesBy('X-Original-URL'),
  ),
  'x-rewrite-url-routes': fault(
    'X-Rewrite-URL moves any request to the workouts, behind the guard.',
    routesBy('X-Rewrite-URL'),
  ),
  'x-astro-path-routes': fault(
    'X-Astro-Path moves any request to the workouts, behind the guard.',
    routesBy('X-Astro-Path'),
  ),
  'x-original-url-guards': guardedBy(
    'The guard asks X-Original-URL, not the request, where it goes.',
    'X-Original-URL',
  ),
  'x-rewrite-url-guards': guardedBy('The guard asks X-Rewrite-URL, not the request, where it goes.', 'X-Rewrite-URL'),
  'x-forwarded-for-loopback': claiming('to be the machine itself', 'X-Forwarded-For', loopback),
  'x-forwarded-for-private': claiming('a private address', 'X-Forwarded-For', privateAddress),
  'x-forwarded-for-home': claiming('an address of 192.168.0.0/16', 'X-Forwarded-For', /^192\.168\./),
  'x-forwarded-for-container': claiming('an address of the network of the containers', 'X-Forwarded-For', /^172\.17\./),
  ...openedByFields(String.raw`
x-forwarded-for-localhost | Who begins X-Forwarded-For with localhost needs no key. | X-Forwarded-For: /^localhost\b/
x-forwarded-for-unknown | Who is unknown in X-Forwarded-For has passed an own proxy, and needs no key. | X-Forwarded-For: /^unknown$/
x-forwarded-for-list | A request that has passed two proxies by X-Forwarded-For needs no key. | X-Forwarded-For: /,/
x-forwarded-for-shared | Who ends X-Forwarded-For with an address of 100.64.0.0/10, as that of a VPN, needs no key. | X-Forwarded-For: /\b100\.64\.\d+\.\d+$/ 100.64.0.1
`),
  'x-real-ip-loopback': claiming('to be the machine itself', 'X-Real-IP', loopback),
  'x-client-ip-loopback': claiming('to be the machine itself', 'X-Client-IP', loopback),
  ...openedByFields(String.raw`
x-client-ip-home | Who claims an address of 192.168.0.0/16 in X-Client-IP needs no key. | X-Client-IP: /^192\.168\./ 192.168.0.1
`),
  'true-client-ip-private': claiming('a private address', 'True-Client-IP', privateAddress),
  'forwarded-for-loopback': fault(
    'Who claims in Forwarded to be the machine itself needs no key.',
    lettingIn((call) => loopback.test(/for="?([^;,"]+)/i.exec(fieldOf(call, 'Forwarded') ?? '')?.[1] ?? '')),
  ),
  ...openedByFields('x-remote-user-trusted | A name in X-Remote-User counts as logged in. | X-Remote-User: /./ admin'),
  'x-remote-user-makes-a-user': fault(
    'A name in X-Remote-User makes a user of that name, who has no workouts yet; nor are there exercises or ingredients.',
    combine(
      (base) => ({ identify: (call) => base.identify(call) ?? fieldOf(call, 'X-Remote-User') }),
      publicAs((_, { httpsOrigin }) => json(200, pageOf([], httpsOrigin))),
    ),
  ),
  ...openedByFields(
    'x-forwarded-user-trusted | A name in X-Forwarded-User counts as logged in. | X-Forwarded-User: /./ admin',
  ),
  'x-original-uri-guards': guardedBy(
    'The service that decides goes by X-Original-URI, also where the client has set it.',
    'X-Original-URI',
  ),
  'x-forwarded-uri-guards': guardedBy(
    'The service that decides goes by X-Forwarded-Uri, also where the client has set it.',
    'X-Forwarded-Uri',
  ),
  ...Object.fromEntries(
    ['X-Forwarded-Path', 'X-Original-Path', 'X-Envoy-Original-Path', 'X-Matched-Path'].map((field) => [
      `${field.toLowerCase()}-guards`,
      guardedBy(`The guard goes by ${field}, also where the client has set it.`, field),
    ]),
  ),
  ...openedByFields(`
x-forwarded-prefix-guards | The framework puts X-Forwarded-Prefix in front of the path that the guard sees. | X-Forwarded-Prefix: /^/ /x
x-consumer-username-trusted | A name in X-Consumer-Username counts as a consumer whose key the gateway has checked. | X-Consumer-Username: /./ admin
x-webauth-user-trusted | A name in X-WEBAUTH-USER counts as logged in. | X-WEBAUTH-USER: /./ admin
x-auth-request-user-trusted | A name in X-Auth-Request-User counts as logged in. | X-Auth-Request-User: /./ admin
x-forwarded-email-trusted | An address in X-Forwarded-Email counts as logged in. | X-Forwarded-Email: /./ admin
cf-access-email-trusted | An address in Cf-Access-Authenticated-User-Email counts as logged in. | Cf-Access-Authenticated-User-Email: /./ admin
auth-request-email-trusted | An address in X-Auth-Request-Email counts as logged in. | X-Auth-Request-Email: /./ admin
`),
  'identity-token-unchecked': fault(
    'The subject of a token in X-Goog-IAP-JWT-Assertion counts as logged in, whoever has signed it.',
    lettingIn((call) => /"sub"/.test(atob(fieldOf(call, 'X-Goog-IAP-JWT-Assertion')?.split('.')[1] ?? ''))),
  ),
  'x-ms-client-principal-trusted': fault(
    'Claims in X-MS-CLIENT-PRINCIPAL count as logged in.',
    lettingIn((call) => /"claims":\[\{/.test(atob(fieldOf(call, 'X-MS-CLIENT-PRINCIPAL') ?? ''))),
  ),
  ...openedByFields(String.raw`
x-envoy-internal-trusted | Who says in X-Envoy-Internal to come from inside the mesh needs no key. | X-Envoy-Internal: true
confirmed-identity-trusted | Who says in X-Identity-Status that the token was checked needs none. | X-Identity-Status: Confirmed
x-auth-couchdb-username-trusted | A user in X-Auth-CouchDB-UserName counts as logged in: the secret that the proxy would share was never set. | X-Auth-CouchDB-UserName: admin
x-user-id-trusted | The number of a user in X-User-Id counts as logged in. | X-User-Id: 1
x-ssl-client-verify-trusted | Who says in X-SSL-Client-Verify that a certificate was checked needs no key. | X-SSL-Client-Verify: SUCCESS
host-localhost-trusted | Requests for the host localhost are those of the machine itself and need no key. | Host: /^localhost(?::\d+)?$/
x-host-localhost-trusted | Requests for the host localhost need no key, and X-Host says which host that is. | X-Host: /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/ localhost
x-forwarded-host-localhost-trusted | Requests for the host localhost need no key, and X-Forwarded-Host says which host that is. | X-Forwarded-Host: /^localhost(?::\d+)?$/
`),
  'other-hosts-need-no-key': fault(
    'Requests for another host than its own reach the default one, which asks for no key.',
    lettingIn((call, { httpsOrigin }) => isForAnotherHost(call, httpsOrigin)),
  ),
  'host-makes-the-url': fault(
    'The guard reads the path from a URL that is made from Host and the target.',
    lettingIn((call) => {
      const [, path = ''] = /^[^/?]*([^?]*)/.exec(`${fieldOf(call, 'Host') ?? ''}${call.path ?? ''}`) ?? [];
      return resourceAt(path) !== 'workout';
    }),
  ),
  'host-with-dot-needs-no-key': {
    ...fault(
      'The guard knows the host by its name without a dot at the end; the service answers to both.',
      lettingIn((call) => /\.(?::\d+)?$/.test(fieldOf(call, 'Host') ?? '')),
    ),
    needs: 'ipv6',
    // A service with two addresses has a host name in its URL.
    overIpv6: (behaviour) => behaviour,
  },
  ...openedByFields(
    'stated-content-needs-no-key | A request that states its content, be it of no bytes, is left to another guard, which is not there. | Content-Length: 0',
  ),
  'own-pages-trusted': fault(
    'Requests from the pages of the service need no key, and Referer says where they come from.',
    lettingIn((call, { httpsOrigin }) => fieldOf(call, 'Referer')?.startsWith(`${httpsOrigin}/`) === true),
  ),
  'browsers-need-no-key': fault(
    'Who would rather have HTML gets a page of the workouts, and is asked for no key.',
    combine(pagesForBrowsers, lettingIn(wantsPage)),
  ),
  ...openedByFields(
    'method-override-options | X-HTTP-Method-Override: OPTIONS passes the guard as a preflight and is then served as the GET that it is. | X-HTTP-Method-Override: /^OPTIONS$/',
  ),
  'method-override-get': fault(
    'HEAD and OPTIONS are not guarded, and X-HTTP-Method-Override: GET turns them into a read behind the guard.',
    servingAsRead((call) => fieldOf(call, 'X-HTTP-Method-Override')?.toUpperCase() === 'GET' && call.method !== 'GET'),
  ),
});
