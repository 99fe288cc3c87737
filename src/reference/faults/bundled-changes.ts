import { lettingIn, type Override } from '../behaviour.js';
import { type FaultDefinition, faultsOf, named, type Unnamed } from '../definitions.js';
import { empty, fieldOf, html, json, redirect, silence } from '../messages.js';

/** Requests with certain fields, or without a field that clients send, need no key. */

const fault = faultsOf('AUTH-3', 'refuses-proxy-fields');

/** A request with these fields needs no key. */
export const opensWith = (
  title: string,
  headers: Readonly<Record<string, string>>,
  more: Partial<FaultDefinition> = {},
): Unnamed<FaultDefinition> =>
  fault(
    title,
    lettingIn((call) => Object.entries(headers).every(([name, value]) => fieldOf(call, name) === value)),
    { shownBy: { headers }, ...more },
  );

const opensWithAny = (title: string, name: string, shown: string): Unnamed<FaultDefinition> =>
  fault(
    title,
    lettingIn((call) => fieldOf(call, name) !== undefined),
    { shownBy: { headers: { [name]: shown } } },
  );

const mostFields = 12;

const refusesManyFields: Override = (base) => ({
  answer: (call) =>
    call.headers.length > mostFields ? json(431, { detail: 'Too many header fields.' }) : base.answer(call),
});

export const bundledChangeFaults = named<FaultDefinition>({
  'x-client-cert-trusted': opensWithAny(
    'A certificate in X-Client-Cert counts as one that the proxy has checked.',
    'X-Client-Cert',
    'CN=admin',
  ),
  'x-internal-trusted': opensWith('Who says in X-Internal to be one of the own services needs no key.', {
    'X-Internal': 'true',
  }),
  'internal-user-trusted': opensWith(
    'A user in X-Auth-User counts as logged in where X-Internal says that one of the own services names it.',
    { 'X-Internal': 'true', 'X-Auth-User': 'admin' },
  ),
  'x-admin-trusted-among-few-fields': fault(
    'Who says in X-Admin to be an administrator needs no key. Requests with many fields are refused first.',
    (base, service) => ({
      ...refusesManyFields(base, service),
      ...lettingIn((call) => fieldOf(call, 'X-Admin') === 'true')(base, service),
    }),
    {
      shownBy: { headers: { 'X-Admin': 'true' } },
      counterpart: {
        name: 'refuses-many-fields',
        title: `Refuses every request with more than ${mostFields} header fields.`,
        override: refusesManyFields,
      },
    },
  ),
  'gateway-trusted': opensWithAny(
    'A request with a field that the gateway sets has passed it, and with it the guard.',
    'X-Forwarded-Proto',
    'https',
  ),
  'command-line-needs-no-key': fault(
    'The own scripts are told by the User-Agent of curl, and need no key.',
    lettingIn((call) => /^curl\//.test(fieldOf(call, 'User-Agent') ?? '')),
    { shownBy: { headers: { 'User-Agent': 'curl/8.5.0' } } },
  ),
  'remote-user-with-underscores-trusted': opensWith(
    'A gateway removes X-Remote-User from the requests of clients, and the service reads X_Remote_User alike.',
    { X_Remote_User: 'admin' },
  ),
  'scheduler-trusted': opensWith('Who says in X-CloudScheduler to be a job of the own cloud needs no key.', {
    'X-CloudScheduler': 'true',
  }),
  'uploads-need-no-key': fault(
    'Uploads have a guard of their own, so that of the other requests leaves them out.',
    lettingIn((call) => /^multipart\/form-data\b/.test(fieldOf(call, 'Content-Type') ?? '')),
    { shownBy: { headers: { 'Content-Type': 'multipart/form-data; boundary=x' } } },
  ),
  'ipv6-loopback-trusted': opensWith('Who claims in X-Forwarded-For to be the machine itself, in IPv6, needs no key.', {
    'X-Forwarded-For': '::1',
  }),
  'health-checks-need-no-key': fault(
    'Clients that call themselves kube-probe only ask whether it runs, and need no key.',
    lettingIn((call) => /^kube-probe\//.test(fieldOf(call, 'User-Agent') ?? '')),
    { shownBy: { headers: { 'User-Agent': 'kube-probe/1.33' } } },
  ),
  'no-user-agent-needs-no-key': fault(
    'A client that says what it accepts and not what it is counts as one of the own programs.',
    lettingIn((call) => fieldOf(call, 'Accept') !== undefined && fieldOf(call, 'User-Agent') === undefined),
    { shownBy: { headers: { Accept: '*/*' } } },
  ),
  'null-origin-trusted': opensWith('Requests from a page without an origin need no key.', { Origin: 'null' }),
  'same-site-fetches-trusted': opensWith('Requests that a browser calls those of the own pages need no key.', {
    'Sec-Fetch-Site': 'same-origin',
  }),
  'prefetches-need-no-key': opensWithAny(
    'What is fetched ahead comes from a cache, which asks for no key.',
    'Sec-Purpose',
    'prefetch',
  ),
  'no-cache-needs-no-key': opensWith('Who wants no cached answer goes around the guard, which is in the cache.', {
    'Cache-Control': 'no-cache',
  }),
  'conditional-needs-no-key': {
    ...opensWithAny(
      'Conditional requests are answered by a cache, which asks for no key.',
      'If-None-Match',
      '"nothing"',
    ),
    counterpart: {
      name: 'not-modified-for-all',
      title: 'Says 304 to every request for the workouts that names an entity tag, before it asks for the key.',
      override: (base) => ({
        refuse: (call, resource) =>
          fieldOf(call, 'If-None-Match') === undefined ? base.refuse(call, resource) : empty(304),
      }),
    },
  },
  'precondition-needs-no-key': {
    ...opensWith('A store behind the guard answers requests with a precondition first, and asks for no key.', {
      'If-Match': '*',
    }),
    counterpart: {
      name: 'precondition-failed-for-all',
      title: 'Says 412 to every request for the workouts that states a precondition, before it asks for the key.',
      override: (base) => ({
        refuse: (call, resource) =>
          fieldOf(call, 'If-Match') === undefined ? base.refuse(call, resource) : empty(412),
      }),
    },
  },
  'json-alone-needs-no-key': {
    ...opensWith('The guard is that of the pages: who accepts nothing but JSON is not led to the log-in.', {
      Accept: 'application/json',
    }),
    counterpart: {
      name: 'refuses-json-in-json-alone',
      title: 'Refuses with a page whoever accepts anything else than JSON too.',
      override: (base) => ({
        refuse: (call, resource) =>
          fieldOf(call, 'Accept') === 'application/json'
            ? base.refuse(call, resource)
            : html(401, 'Log in', '<form method="post"><input name="user"></form>'),
      }),
    },
  },
  'other-language-needs-no-key': opensWithAny(
    'The translated pages have a route of their own, without the guard.',
    'Accept-Language',
    'de',
  ),
  'upgrade-needs-no-key': {
    ...opensWith('The guard leaves requests with Upgrade to the server of the WebSockets, which there is none of.', {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
    }),
    counterpart: {
      name: 'switches-protocols',
      title: 'Switches to WebSocket wherever that is asked for, and then waits for messages.',
      override: (base) => ({
        answer: (call) =>
          fieldOf(call, 'Upgrade') === undefined
            ? base.answer(call)
            : {
                status: 101,
                headers: [],
                body: '',
                delivery: (socket) => {
                  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
                },
              },
      }),
    },
  },
  'expectation-needs-no-key': {
    ...opensWith('Requests that expect to be told to continue are let through before the guard.', {
      Expect: '100-continue',
    }),
    counterpart: {
      name: 'upgrade-unanswered',
      title: 'Answers a request with Upgrade never, and one with Expect with 417.',
      settings: { TIMEOUT_MS: '3000' },
      override: (base) => ({
        answer: (call) => {
          if (fieldOf(call, 'Upgrade') !== undefined) return silence;
          return fieldOf(call, 'Expect') === undefined ? base.answer(call) : json(417, { detail: 'Not expected.' });
        },
      }),
    },
  },
  'any-session-needs-no-key': {
    ...fault(
      'A guard in front asks whether there is a session cookie, and the service behind it asks for a key only where there is none.',
      lettingIn((call) => /(?:^|;\s*)connect\.sid=/.test(fieldOf(call, 'Cookie') ?? '')),
      { shownBy: { headers: { Cookie: 'connect.sid=1' } } },
    ),
    counterpart: {
      name: 'unknown-session-logs-in',
      title: 'Leads whoever brings a session that nobody knows to the log-in page, before it asks for the key.',
      override: (base, { httpsOrigin }) => ({
        refuse: (call, resource) =>
          fieldOf(call, 'Cookie') === undefined
            ? base.refuse(call, resource)
            : redirect(302, `${httpsOrigin}/login?expired=1`),
      }),
    },
  },
  'data-of-pages-needs-no-key': opensWith('The data of the own pages has a route of its own, without the guard.', {
    RSC: '1',
  }),
  'older-version-needs-no-key': opensWith('The version of 1 in Api-Version is older than the guard.', {
    'Api-Version': '1',
  }),
  'own-proxy-needs-no-key': opensWith('What an own proxy has passed on, by Via, needs no key.', {
    Via: '1.1 localhost',
  }),
  'own-proxy-dropped-needs-no-key': fault(
    'The proxy takes out what Connection names, its own X-Forwarded-For too; without it, no key is needed.',
    lettingIn((call) => /\bX-Forwarded-For\b/i.test(fieldOf(call, 'Connection') ?? '')),
    { shownBy: { headers: { Connection: 'close, X-Forwarded-For' } } },
  ),
  'long-cookie-needs-no-key': fault(
    'The guard fails at a Cookie field of more than 4 kB, and a cache gives the last good answer.',
    lettingIn((call) => (fieldOf(call, 'Cookie') ?? '').length > 4096),
    { shownBy: { headers: { Cookie: `x=${'x'.repeat(5_000)}` } } },
  ),
  'no-accept-needs-no-key': fault(
    'Who says nothing of the formats that it accepts is taken for a health check, which needs no key.',
    lettingIn((call) => !fieldOf(call, 'Accept') && fieldOf(call, 'User-Agent') !== undefined),
    { shownBy: { headers: { Accept: '', 'User-Agent': 'health/1.0' } } },
  ),
  'forwarded-method-needs-no-key': opensWith(
    'The guard lets preflights through, and takes the method from X-Forwarded-Method.',
    { 'X-Forwarded-Method': 'OPTIONS' },
  ),
  'host-without-port-trusted': fault(
    'The guard knows the host by its name and port; the service answers to the name alone as well.',
    (base, service) =>
      lettingIn((call) => fieldOf(call, 'Host') === new URL(service.httpsOrigin).hostname)(base, service),
  ),
});
