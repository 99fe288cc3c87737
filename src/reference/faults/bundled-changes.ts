import { answering, hasField, lettingIn, type Override } from '../behaviour.js';
import {
  combine,
  type FaultDefinition,
  faultsOf,
  type Unnamed,
  type VariantDefinition,
  withNames,
} from '../definitions.js';
import { type Answer, empty, fieldOf, html, json, redirect, silence } from '../messages.js';

/** Requests with certain fields, or without a field that clients send, need no key. */

const fault = faultsOf('AUTH-3', 'refuses-proxy-fields');

/**
 * `Field: value`, or `Field: /pattern/ value` with a value that fits, which a table may leave out.
 */
const fieldIn = (text: string): { readonly name: string; readonly value: string; readonly pattern?: RegExp } => {
  const [, name = '', pattern, value = ''] = /^([\w-]+): (?:\/(.+)\/(?: |$))?(.*)$/.exec(text) ?? [];
  return { name, value, ...(pattern === undefined ? {} : { pattern: new RegExp(pattern, 'i') }) };
};

/**
 * Faults by which requests with certain fields need no key. Each is a line
 * `name | title | Field: value & Field: /pattern/ value`; all of its fields are needed.
 */
export const openedByFields = (lines: string): Readonly<Record<string, Unnamed<FaultDefinition>>> =>
  Object.fromEntries(
    lines
      .trim()
      .split('\n')
      .map((line) => {
        const [name = '', title = '', written = ''] = line.split(' | ');
        const fields = written.split(' & ').map(fieldIn);
        const opens = lettingIn((call) =>
          fields.every(({ name: field, value, pattern }) =>
            pattern ? hasField(field, pattern)(call) : fieldOf(call, field) === value,
          ),
        );
        const headers = Object.fromEntries(
          fields.flatMap((field) => (field.value === '' ? [] : [[field.name, field.value]])),
        );
        const counterpart = counterparts[name];
        const isShown = Object.keys(headers).length > 0;
        return [
          name,
          fault(title, opens, { ...(isShown && { shownBy: { headers } }), ...(counterpart && { counterpart }) }),
        ];
      }),
  );

/** Refuses requests with a field in another way, before it asks for the key. */
const refusing =
  (field: string, answer: (origin: string) => Answer): Override =>
  (base, { httpsOrigin }) => ({
    refuse: (call, resource) => (hasField(field)(call) ? answer(httpsOrigin) : base.refuse(call, resource)),
  });

/** Conforming servers that resemble a fault, by its name. */
const counterparts: Readonly<Record<string, VariantDefinition>> = {
  'conditional-needs-no-key': {
    name: 'not-modified-for-all',
    title: 'Says 304 to every request for the workouts that names an entity tag, before it asks for the key.',
    override: refusing('If-None-Match', () => empty(304)),
  },
  'precondition-needs-no-key': {
    name: 'precondition-failed-for-all',
    title: 'Says 412 to every request for the workouts that states a precondition, before it asks for the key.',
    override: refusing('If-Match', () => empty(412)),
  },
  'json-alone-needs-no-key': {
    name: 'refuses-json-in-json-alone',
    title: 'Refuses with a page whoever accepts anything else than JSON too.',
    override: (base) => ({
      refuse: (call, resource) =>
        fieldOf(call, 'Accept') === 'application/json'
          ? base.refuse(call, resource)
          : html(401, 'Log in', '<form method="post"><input name="user"></form>'),
    }),
  },
  'upgrade-needs-no-key': {
    name: 'switches-protocols',
    title: 'Switches to WebSocket wherever that is asked for, and then waits for messages.',
    override: answering(hasField('Upgrade'), () => ({
      ...empty(101),
      delivery: (socket) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
      },
    })),
  },
  'expectation-needs-no-key': {
    name: 'upgrade-unanswered',
    title: 'Answers a request with Upgrade never, and one with Expect with 417.',
    settings: { TIMEOUT_MS: '3000' },
    override: answering(
      (call) => hasField('Upgrade')(call) || hasField('Expect')(call),
      (call) => (hasField('Upgrade')(call) ? silence : json(417, { detail: 'Not expected.' })),
    ),
  },
  'any-session-needs-no-key': {
    name: 'unknown-session-logs-in',
    title: 'Leads whoever brings a session that nobody knows to the log-in page, before it asks for the key.',
    override: refusing('Cookie', (origin) => redirect(302, `${origin}/login?expired=1`)),
  },
};

const mostFields = 12;

const refusesManyFields = answering(
  ({ headers }) => headers.length > mostFields,
  () => json(431, { detail: 'Too many header fields.' }),
);

export const bundledChangeFaults = withNames<FaultDefinition>({
  ...openedByFields(`
x-client-cert-trusted | A certificate in X-Client-Cert counts as one that the proxy has checked. | X-Client-Cert: /^/ CN=admin
x-internal-trusted | Who says in X-Internal to be one of the own services needs no key. | X-Internal: true
internal-user-trusted | A user in X-Auth-User counts as logged in where X-Internal says that one of the own services names it. | X-Internal: true & X-Auth-User: admin
`),
  'x-admin-trusted-among-few-fields': fault(
    'Who says in X-Admin to be an administrator needs no key. Requests with many fields are refused first.',
    combine(
      refusesManyFields,
      lettingIn((call) => fieldOf(call, 'X-Admin') === 'true'),
    ),
    {
      shownBy: { headers: { 'X-Admin': 'true' } },
      counterpart: {
        name: 'refuses-many-fields',
        title: `Refuses every request with more than ${mostFields} header fields.`,
        override: refusesManyFields,
      },
    },
  ),
  ...openedByFields(String.raw`
gateway-trusted | A request with a field that the gateway sets has passed it, and with it the guard. | X-Forwarded-Proto: /^/ https
command-line-needs-no-key | The own scripts are told by the User-Agent of curl, and need no key. | User-Agent: /^curl\// curl/8.5.0
remote-user-with-underscores-trusted | A gateway removes X-Remote-User from the requests of clients, and the service reads X_Remote_User alike. | X_Remote_User: admin
scheduler-trusted | Who says in X-CloudScheduler to be a job of the own cloud needs no key. | X-CloudScheduler: true
web-hooks-need-no-key | What GitHub calls has a handler of its own that checks a signature, and the guard leaves out whatever names an event. | X-GitHub-Event: /^/ push
forgery-token-trusted | A request with a token against forged requests counts as one of the own pages, whatever the token is. | X-CSRF-Token: /^/ x
passed-scheme-trusted | Only the own proxy sets X-Forwarded-Scheme, so what carries it has passed the guard. | X-Forwarded-Scheme: /^/ https
uploads-need-no-key | Uploads have a guard of their own, so that of the other requests leaves them out. | Content-Type: /^multipart\/form-data\b/ multipart/form-data; boundary=x
ipv6-loopback-trusted | Who claims in X-Forwarded-For to be the machine itself, in IPv6, needs no key. | X-Forwarded-For: ::1
health-checks-need-no-key | Clients that call themselves kube-probe only ask whether it runs, and need no key. | User-Agent: /^kube-probe\// kube-probe/1.33
`),
  'no-user-agent-needs-no-key': fault(
    'A client that says what it accepts and not what it is counts as one of the own programs.',
    lettingIn((call) => hasField('Accept')(call) && !hasField('User-Agent')(call)),
    { shownBy: { headers: { Accept: '*/*' } } },
  ),
  ...openedByFields(String.raw`
null-origin-trusted | Requests from a page without an origin need no key. | Origin: null
same-site-fetches-trusted | Requests that a browser calls those of the own pages need no key. | Sec-Fetch-Site: same-origin
prefetches-need-no-key | What is fetched ahead comes from a cache, which asks for no key. | Sec-Purpose: /^/ prefetch
no-cache-needs-no-key | Who wants no cached answer goes around the guard, which is in the cache. | Cache-Control: no-cache
conditional-needs-no-key | Conditional requests are answered by a cache, which asks for no key. | If-None-Match: /^/ "nothing"
changes-since-a-day-need-no-key | What has changed since a day comes from a program without a guard, which takes zero for no day. | If-Modified-Since: /\b20\d\d\b/ Sat, 01 Jan 2000 00:00:00 GMT
precondition-needs-no-key | A store behind the guard answers requests with a precondition first, and asks for no key. | If-Match: *
json-alone-needs-no-key | The guard is that of the pages: who accepts nothing but JSON is not led to the log-in. | Accept: application/json
other-language-needs-no-key | The translated pages have a route of their own, without the guard. | Accept-Language: /^/ de
upgrade-needs-no-key | The guard leaves requests with Upgrade to the server of the WebSockets, which there is none of. | Connection: Upgrade & Upgrade: websocket
expectation-needs-no-key | Requests that expect to be told to continue are let through before the guard. | Expect: 100-continue
any-session-needs-no-key | A guard in front asks whether there is a session cookie, and the service behind it asks for a key only where there is none. | Cookie: /(?:^|;\s*)connect\.sid=/ connect.sid=1
role-in-a-cookie-trusted | A cookie says whether the user is an administrator, and the service believes it. | Cookie: /(?:^|;\s*)role=admin(?:;|$)/ role=admin
data-of-pages-needs-no-key | The data of the own pages has a route of its own, without the guard. | RSC: 1
older-version-needs-no-key | The version of 1 in Api-Version is older than the guard. | Api-Version: 1
older-version-by-range-needs-no-key | The router takes a range in Accept-Version, and version 1 is older than the guard. | Accept-Version: /^(?:1\.x|\^1|~1)/ 1.x
preflight-fields-need-no-key | The guard knows a preflight by Access-Control-Request-Method alone, whatever its method is. | Access-Control-Request-Method: GET
own-proxy-needs-no-key | What an own proxy has passed on, by Via, needs no key. | Via: 1.1 localhost
own-proxy-dropped-needs-no-key | The proxy takes out what Connection names, its own X-Forwarded-For too; without it, no key is needed. | Connection: /\bX-Forwarded-For\b/ close, X-Forwarded-For
`),
  'long-cookie-needs-no-key': fault(
    'The guard fails at a Cookie field of more than 4 kB, and a cache gives the last good answer.',
    lettingIn((call) => (fieldOf(call, 'Cookie') ?? '').length > 4096),
    { shownBy: { headers: { Cookie: `x=${'x'.repeat(5_000)}` } } },
  ),
  'no-accept-needs-no-key': fault(
    'Who says nothing of the formats that it accepts is taken for a health check, which needs no key.',
    lettingIn((call) => !fieldOf(call, 'Accept') && hasField('User-Agent')(call)),
    { shownBy: { headers: { Accept: '', 'User-Agent': 'health/1.0' } } },
  ),
  ...openedByFields(
    'forwarded-method-needs-no-key | The guard lets preflights through, and takes the method from X-Forwarded-Method. | X-Forwarded-Method: OPTIONS',
  ),
  'host-without-port-trusted': fault(
    'The guard knows the host by its name and port; the service answers to the name alone as well.',
    lettingIn((call, { httpsOrigin }) => fieldOf(call, 'Host') === new URL(httpsOrigin).hostname),
  ),
});
