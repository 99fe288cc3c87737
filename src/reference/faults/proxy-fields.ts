import {
  lettingIn,
  type Override,
  pageOf,
  pagesForBrowsers,
  paths,
  resourceAt,
  servingAsRead,
  wantsPage,
} from '../behaviour.js';
import { type FaultDefinition, faultsOf, named, type Unnamed } from '../definitions.js';
import { fieldOf, isForAnotherHost, json, splitTarget, withPath } from '../messages.js';
import { opensWith } from './bundled-changes.js';

/** Faults where fields that only a proxy should set are trusted from any client. */

const fault = faultsOf('AUTH-3', 'refuses-proxy-fields');

const pathIn = (value: string): string => splitTarget(value).path;

/** The router uses the field; the access check uses the request line. */
const routesBy =
  (field: string): Override =>
  (base) => ({
    route: (call) => {
      const value = fieldOf(call, field);
      return base.route(value === undefined ? call : withPath(call, pathIn(value)));
    },
    guards: (call, resource) => base.guards(call, resource) && call.path === paths.workout,
  });

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

const isLocal = (host = ''): boolean => /^localhost(?::\d+)?$/i.test(host);

/** Any value of the field counts as a user who has logged in. */
const identityIn = (field: string, what = 'A name', as = 'logged in'): Unnamed<FaultDefinition> =>
  fault(
    `${what} in ${field} counts as ${as}.`,
    lettingIn((call) => (fieldOf(call, field) ?? '') !== ''),
    { shownBy: { headers: { [field]: 'admin' } } },
  );

/** Whoever claims something in a field that names the address of a client needs no key. */
const claiming = (what: string, field: string, addresses: RegExp): Unnamed<FaultDefinition> =>
  fault(
    what.startsWith('to ')
      ? `Who claims in ${field} ${what} needs no key.`
      : `Who claims ${what} in ${field} needs no key.`,
    trustsAddress(field, addresses),
  );

export const proxyFieldFaults = named<FaultDefinition>({
  'x-original-url-routes': fault(
    'X-Original-URL moves any request to the workouts, behind the guard.',
    routesBy('X-Original-URL'),
  ),
  'x-rewrite-url-routes': fault(
    'X-Rewrite-URL moves any request to the workouts, behind the guard.',
    routesBy('X-Rewrite-URL'),
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
  'x-forwarded-for-localhost': fault(
    'Who begins X-Forwarded-For with localhost needs no key.',
    lettingIn((call) => /^localhost\b/.test(fieldOf(call, 'X-Forwarded-For') ?? '')),
  ),
  'x-forwarded-for-unknown': fault(
    'Who is unknown in X-Forwarded-For has passed an own proxy, and needs no key.',
    lettingIn((call) => fieldOf(call, 'X-Forwarded-For') === 'unknown'),
  ),
  'x-forwarded-for-list': fault(
    'A request that has passed two proxies by X-Forwarded-For needs no key.',
    lettingIn((call) => (fieldOf(call, 'X-Forwarded-For') ?? '').split(',').length > 1),
  ),
  'x-forwarded-for-shared': fault(
    'Who ends X-Forwarded-For with an address of 100.64.0.0/10, as that of a VPN, needs no key.',
    lettingIn((call) => /\b100\.64\.\d+\.\d+$/.test(fieldOf(call, 'X-Forwarded-For') ?? '')),
    { shownBy: { headers: { 'X-Forwarded-For': '100.64.0.1' } } },
  ),
  'x-real-ip-loopback': claiming('to be the machine itself', 'X-Real-IP', loopback),
  'x-client-ip-loopback': claiming('to be the machine itself', 'X-Client-IP', loopback),
  'x-client-ip-home': fault(
    'Who claims an address of 192.168.0.0/16 in X-Client-IP needs no key.',
    trustsAddress('X-Client-IP', /^192\.168\./),
    { shownBy: { headers: { 'X-Client-IP': '192.168.0.1' } } },
  ),
  'true-client-ip-private': claiming('a private address', 'True-Client-IP', privateAddress),
  'forwarded-for-loopback': fault(
    'Who claims in Forwarded to be the machine itself needs no key.',
    lettingIn((call) => loopback.test(/for="?([^;,"]+)/i.exec(fieldOf(call, 'Forwarded') ?? '')?.[1] ?? '')),
  ),
  'x-remote-user-trusted': identityIn('X-Remote-User'),
  'x-remote-user-makes-a-user': fault(
    'A name in X-Remote-User makes a user of that name, who has no workouts yet; nor are there exercises or ingredients.',
    (base, { httpsOrigin }) => ({
      identify: (call) => base.identify(call) ?? fieldOf(call, 'X-Remote-User'),
      represent: (call, resource, owner) =>
        resource === 'workout' ? base.represent(call, resource, owner) : json(200, pageOf([], httpsOrigin)),
    }),
  ),
  'x-forwarded-user-trusted': identityIn('X-Forwarded-User'),
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
  'x-forwarded-prefix-guards': fault(
    'The framework puts X-Forwarded-Prefix in front of the path that the guard sees.',
    lettingIn((call) => fieldOf(call, 'X-Forwarded-Prefix') !== undefined),
    { shownBy: { headers: { 'X-Forwarded-Prefix': '/x' } } },
  ),
  'x-consumer-username-trusted': identityIn(
    'X-Consumer-Username',
    'A name',
    'a consumer whose key the gateway has checked',
  ),
  'x-webauth-user-trusted': identityIn('X-WEBAUTH-USER'),
  'x-auth-request-user-trusted': identityIn('X-Auth-Request-User'),
  'x-forwarded-email-trusted': identityIn('X-Forwarded-Email', 'An address'),
  'cf-access-email-trusted': identityIn('Cf-Access-Authenticated-User-Email', 'An address'),
  'auth-request-email-trusted': identityIn('X-Auth-Request-Email', 'An address'),
  'identity-token-unchecked': fault(
    'The subject of a token in X-Goog-IAP-JWT-Assertion counts as logged in, whoever has signed it.',
    lettingIn((call) => /"sub"/.test(atob(fieldOf(call, 'X-Goog-IAP-JWT-Assertion')?.split('.')[1] ?? ''))),
  ),
  'x-ms-client-principal-trusted': fault(
    'Claims in X-MS-CLIENT-PRINCIPAL count as logged in.',
    lettingIn((call) => /"claims":\[\{/.test(atob(fieldOf(call, 'X-MS-CLIENT-PRINCIPAL') ?? ''))),
  ),
  'x-envoy-internal-trusted': opensWith('Who says in X-Envoy-Internal to come from inside the mesh needs no key.', {
    'X-Envoy-Internal': 'true',
  }),
  'x-user-id-trusted': opensWith('The number of a user in X-User-Id counts as logged in.', { 'X-User-Id': '1' }),
  'x-ssl-client-verify-trusted': opensWith(
    'Who says in X-SSL-Client-Verify that a certificate was checked needs no key.',
    { 'X-SSL-Client-Verify': 'SUCCESS' },
  ),
  'host-localhost-trusted': fault(
    'Requests for the host localhost are those of the machine itself and need no key.',
    lettingIn((call) => isLocal(fieldOf(call, 'Host'))),
  ),
  'x-forwarded-host-localhost-trusted': fault(
    'Requests for the host localhost need no key, and X-Forwarded-Host says which host that is.',
    lettingIn((call) => isLocal(fieldOf(call, 'X-Forwarded-Host'))),
  ),
  'other-hosts-need-no-key': fault(
    'Requests for another host than its own reach the default one, which asks for no key.',
    (base, service) => lettingIn((call) => isForAnotherHost(call, service.httpsOrigin))(base, service),
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
  'stated-content-needs-no-key': opensWith(
    'A request that states its content, be it of no bytes, is left to another guard, which is not there.',
    { 'Content-Length': '0' },
  ),
  'own-pages-trusted': fault(
    'Requests from the pages of the service need no key, and Referer says where they come from.',
    (base, service) =>
      lettingIn((call) => fieldOf(call, 'Referer')?.startsWith(`${service.httpsOrigin}/`) === true)(base, service),
  ),
  'browsers-need-no-key': fault(
    'Who would rather have HTML gets a page of the workouts, and is asked for no key.',
    (base, service) => ({
      ...pagesForBrowsers(base, service),
      guards: (call, resource) => base.guards(call, resource) && !wantsPage(call),
    }),
  ),
  'method-override-options': fault(
    'X-HTTP-Method-Override: OPTIONS passes the guard as a preflight and is then served as the GET that it is.',
    lettingIn((call) => fieldOf(call, 'X-HTTP-Method-Override')?.toUpperCase() === 'OPTIONS'),
  ),
  'method-override-get': fault(
    'HEAD and OPTIONS are not guarded, and X-HTTP-Method-Override: GET turns them into a read behind the guard.',
    servingAsRead((call) => fieldOf(call, 'X-HTTP-Method-Override')?.toUpperCase() === 'GET' && call.method !== 'GET'),
  ),
});
