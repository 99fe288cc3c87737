import type { OperationSubject } from '../rule.js';
import { type Change, change, named } from './bypass.js';
import { unsignedToken } from './wrong-values.js';

/** Fields in which gateways and single sign-on pass on who is logged in. */

/** Fields in which proxies pass on a user's name. */
const userFields = [
  'X-Remote-User',
  'X-Forwarded-User',
  'Remote-User',
  'X-Authenticated-User',
  'X-Auth-User',
  'X-User',
  'X-Username',
  // The field names of oauth2-proxy and nginx's auth_request, of Grafana's proxy, and of Kong.
  'X-Auth-Request-User',
  'X-authentik-username',
  'Tailscale-User-Login',
  'X-WEBAUTH-USER',
  'X-Consumer-Username',
  'X-Consumer-Custom-ID',
  'X-Authenticated-Userid',
  'X-Credential-Identifier',
  // Load balancers of AWS.
  'X-Amzn-Oidc-Identity',
] as const;

/** The domain of an address that an allow-list is most likely to hold: the service's own. */
const emailOf = ({ deployment }: OperationSubject): string => {
  const { hostname } = new URL(deployment.origin);
  return `admin@${/[a-z]$/i.test(hostname) ? hostname : 'example.com'}`;
};

/**
 * The logged-in user as Azure App Service and Static Web Apps pass it on, in one field with
 * different members.
 */
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
export const identities = (subject: OperationSubject): readonly Change[] => [
  ...userFields.map((field) => named(`${field} with a user name`, `with ${field}: admin`, [field, 'admin'])),
  ...['X-Forwarded-Email', 'X-Auth-Request-Email', 'Cf-Access-Authenticated-User-Email'].map((field) =>
    named(`${field} with an address`, `with an address in ${field}`, [field, emailOf(subject)]),
  ),
  change('X-Goog-Authenticated-User-Email', `accounts.google.com:${emailOf(subject)}`),
  named(
    'X-MS-CLIENT-PRINCIPAL with a user name',
    'with a user name in X-MS-CLIENT-PRINCIPAL',
    ['X-MS-CLIENT-PRINCIPAL', principal],
    ['X-MS-CLIENT-PRINCIPAL-NAME', 'admin'],
    ['X-MS-CLIENT-PRINCIPAL-ID', '1'],
  ),
  named('X-User-Id with the number 1', 'with X-User-Id: 1', ['X-User-Id', '1']),
  change('X-Consumer-ID', '1'),
  change('X-Admin', 'true'),
  ...['X-SSL-Client-Verify', 'X-Client-Verify'].map((field) => change(field, 'SUCCESS')),
  change('X-Authenticated', 'true'),
  // Gateways pass on the claims of an ID token in these fields, in base64.
  ...['X-Userinfo', 'X-Apigateway-Api-Userinfo', 'X-Endpoint-API-UserInfo'].map((field) =>
    change(field, btoa('{"sub":"1"}')),
  ),
  // A service that trusts its proxy may read the token without checking who signed it.
  ...['X-Amzn-Oidc-Data', 'Cf-Access-Jwt-Assertion', 'X-Goog-IAP-JWT-Assertion', 'X-Pomerium-Jwt-Assertion'].map(
    (field) => change(field, unsignedToken),
  ),
  ...['X-Client-Cert', 'X-SSL-Cert', 'X-SSL-Client-Cert', 'X-SSL-Client-S-DN'].map((field) =>
    change(field, 'CN=admin'),
  ),
  // Envoy and Istio.
  change('X-Forwarded-Client-Cert', 'Subject="CN=admin";URI=spiffe://cluster.local/ns/default/sa/admin'),
];
