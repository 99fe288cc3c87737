import { wordsIn } from '../../collections.js';
import type { OperationSubject } from '../rule.js';
import { type Change, change, changes, headerChange } from './bypass.js';
import { unsignedToken } from './worthless-values.js';

/** Fields in which proxies and gateways pass on who the client is. */

/**
 * Fields in which proxies pass on a user's name: usual ones, and those of oauth2-proxy, nginx's
 * auth_request, authentik, Tailscale, Grafana's proxy, Kong and load balancers of AWS.
 */
export const userFields = wordsIn(`
  X-Remote-User X-Forwarded-User Remote-User X-Authenticated-User X-Auth-User X-User X-Username
  X-Auth-Request-User X-authentik-username Tailscale-User-Login X-WEBAUTH-USER
  X-Consumer-Username X-Consumer-Custom-ID X-Authenticated-Userid X-Credential-Identifier
  X-Amzn-Oidc-Identity
`);

/** Fields in which proxies pass on a user's e-mail address. */
export const emailFields = wordsIn('X-Forwarded-Email X-Auth-Request-Email Cf-Access-Authenticated-User-Email');

/** The domain of an address that an allow-list is most likely to hold: the service's own. */
const emailOf = ({ deployment }: OperationSubject): string => {
  const { hostname } = new URL(deployment.origin);
  return `admin@${/[a-z]$/i.test(hostname) ? hostname : 'example.com'}`;
};

/** The logged-in user as Azure App Service and Static Web Apps pass it on. */
const principal = btoa(
  JSON.stringify({
    auth_typ: 'aad',
    claims: [{ typ: 'name', val: 'admin' }],
    name_typ: 'name',
    role_typ: 'roles',
    identityProvider: 'aad',
    userId: '1',
    userDetails: 'admin',
    userRoles: ['anonymous', 'authenticated'],
  }),
);

/** A user's name, address or certificate, each in the fields that proxies use for it. */
export const identityChanges = (subject: OperationSubject): readonly Change[] => [
  ...userFields.map((field) => headerChange(`${field} with a user name`, `with ${field}: admin`, [field, 'admin'])),
  ...emailFields.map((field) =>
    headerChange(`${field} with an address`, `with an address in ${field}`, [field, emailOf(subject)]),
  ),
  change('X-Goog-Authenticated-User-Email', `accounts.google.com:${emailOf(subject)}`),
  headerChange(
    'X-MS-CLIENT-PRINCIPAL with a user name',
    'with a user name in X-MS-CLIENT-PRINCIPAL',
    ['X-MS-CLIENT-PRINCIPAL', principal],
    ['X-MS-CLIENT-PRINCIPAL-NAME', 'admin'],
    ['X-MS-CLIENT-PRINCIPAL-ID', '1'],
  ),
  headerChange('X-User-Id with the number 1', 'with X-User-Id: 1', ['X-User-Id', '1']),
  change('X-Consumer-ID', '1'),
  ...changes('true', 'X-Admin', 'X-Authorized'),
  ...changes('admin', 'X-Forwarded-Groups', 'X-Auth-Request-Groups', 'Remote-Groups', 'X-Forwarded-Preferred-Username'),
  ...changes('SUCCESS', 'X-SSL-Client-Verify', 'X-Client-Verify'),
  change('X-Authenticated', 'true'),
  // Gateways pass on the claims of an ID token in these fields, in base64.
  ...changes(
    btoa('{"sub":"1"}'),
    'X-Userinfo',
    'X-Apigateway-Api-Userinfo',
    'X-Endpoint-API-UserInfo',
    'X-JWT-Payload',
  ),
  change('X-Token-Subject', '1'),
  // A service that trusts its proxy may read the token without checking who signed it.
  ...changes(unsignedToken, 'X-Amzn-Oidc-Data', 'Cf-Access-Jwt-Assertion', 'X-Goog-IAP-JWT-Assertion'),
  change('X-Pomerium-Jwt-Assertion', unsignedToken),
  ...changes('CN=admin', 'X-Client-Cert', 'X-SSL-Cert', 'X-SSL-Client-Cert', 'X-SSL-Client-S-DN'),
  // Services of OpenStack beside X-User-Id, and CouchDB behind a proxy.
  change('X-Identity-Status', 'Confirmed'),
  headerChange(
    'X-Auth-CouchDB-UserName with a user name',
    'with a user name in X-Auth-CouchDB-UserName',
    ['X-Auth-CouchDB-UserName', 'admin'],
    ['X-Auth-CouchDB-Roles', '_admin'],
  ),
  // Envoy and Istio.
  change('X-Forwarded-Client-Cert', 'Subject="CN=admin";URI=spiffe://cluster.local/ns/default/sa/admin'),
];
