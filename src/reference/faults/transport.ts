import { type Answer, json, redirect, text, withHeaders } from '../answer.js';
import { type Override, refusal, type ServiceContext, strictKey } from '../behaviour.js';
import { type Call, fieldOf, isForAnotherHost, withPath } from '../call.js';
import { type FaultDefinition, faultsOf } from '../definitions.js';

/** Plain HTTP that serves the API, and invalid certificates. */

type Condition = (call: Call, service: ServiceContext) => boolean;

/** The API answers over plain HTTP where `holds`; other requests are redirected to https. */
const answersWhere =
  (holds: Condition): Override =>
  (base, service) => ({
    plain: (call) => (holds(call, service) ? base.answer(call) : base.plain(call)),
  });

const fault = (name: string, title: string, check: string, override: Override): FaultDefinition =>
  faultsOf('HTTPS-2', check)(name, title, override);

const plain = 'refuses-plain-http';
const behindProxy = 'refuses-plain-http-behind-proxy-fields';

/** Over plain HTTP the API itself answers for the workouts, with this refusal. */
const refusesItself =
  (refuse: (call: Call, service: ServiceContext) => Answer): Override =>
  (base, service) => ({
    ...answersWhere((call, { self }) => self.route(call) === 'workout')(base, service),
    refuse: (call) => refuse(call, service),
  });

const originOf = ({ secure }: Call, { httpsOrigin, httpOrigin }: ServiceContext): string =>
  secure ? httpsOrigin : httpOrigin;

const says = (field: string, value: RegExp): Override => answersWhere((call) => value.test(fieldOf(call, field) ?? ''));

const certificateFault = (certificate: 'expired' | 'not-yet' | 'wrong-host', title: string): FaultDefinition => ({
  name: `certificate-${certificate}`,
  title,
  clauses: ['HTTPS-1'],
  checks: ['serves-https'],
  certificate,
});

export const transportFaults: readonly FaultDefinition[] = [
  fault(
    'plain-http',
    'The whole API is served over plain HTTP too.',
    plain,
    answersWhere(() => true),
  ),
  fault(
    'plain-http-public',
    'Plain HTTP serves the public resources and redirects the rest.',
    plain,
    answersWhere((call, { self }) => ['exercise', 'ingredient'].includes(self.route(call) ?? '')),
  ),
  fault(
    'plain-http-refuses-itself',
    'Over plain HTTP the API itself answers for the workouts: it asks for the key there.',
    plain,
    answersWhere((call, { self }) => self.route(call) === 'workout'),
  ),
  fault(
    'plain-http-refuses-with-200',
    'Over plain HTTP the API itself says 200, and in the body that a key is needed.',
    plain,
    refusesItself(() => json(200, { code: 401, message: 'A valid key is needed.', data: null })),
  ),
  fault(
    'plain-http-refuses-by-url',
    'Over plain HTTP the API itself refuses, and names the URL that was asked for.',
    plain,
    refusesItself((call, service) =>
      json(401, { title: 'Unauthorized', status: 401, instance: `${originOf(call, service)}${call.target}` }),
    ),
  ),
  fault(
    'plain-http-refuses-by-the-clock',
    'Over plain HTTP the API itself refuses, with nothing but a line that holds the moment.',
    plain,
    refusesItself(() => text(401, `denied after ${process.hrtime.bigint()}\n`)),
  ),
  fault(
    'plain-http-redirect-holds-it',
    'Plain HTTP redirects to https, and gives the public resources in the body of the redirect.',
    plain,
    (base, { self }) => ({
      plain: async (call) => {
        const away = await base.plain(call);
        if (!['exercise', 'ingredient'].includes(self.route(call) ?? '')) return away;
        const answer = await self.answer(call);
        return { ...withHeaders(answer, away.headers), status: away.status };
      },
    }),
  ),
  fault(
    'plain-http-public-in-xml',
    'Plain HTTP serves the public resources too, in XML with a duration in it.',
    plain,
    (base, service) => ({
      ...answersWhere((call, { self }) => ['exercise', 'ingredient'].includes(self.route(call) ?? ''))(base, service),
      represent: (call, resource, owner) =>
        resource === 'workout'
          ? base.represent(call, resource, owner)
          : text(
              200,
              `<?xml version="1.0"?><list took="${Math.random()}"><name>${resource}</name><name>other</name></list>`,
              'application/xml',
            ),
    }),
  ),
  fault(
    'plain-http-checks-keys',
    'Plain HTTP redirects who sends no key, and has the API look at the key of who sends one.',
    plain,
    (base, { self }) => ({
      plain: (call) =>
        self.route(call) === 'workout' && fieldOf(call, 'Authorization') !== undefined
          ? refusal(call)
          : base.plain(call),
    }),
  ),
  fault(
    'plain-http-forbids-and-checks-keys',
    'Plain HTTP says 403 to who sends no key, whatever is asked for, and has the API look at the key of who sends one.',
    plain,
    (_, { self }) => ({
      plain: (call) =>
        self.route(call) === 'workout' && fieldOf(call, 'Authorization') !== undefined
          ? refusal(call)
          : json(403, { detail: 'Use https.' }),
    }),
  ),
  fault('plain-http-any-key', 'Over plain HTTP any key opens the workouts.', plain, (base, { self }) => ({
    plain: (call) =>
      self.route(call) === 'workout' && strictKey(call) !== undefined
        ? self.represent(call, 'workout', 'mara')
        : base.plain(call),
  })),
  fault(
    'plain-http-after-redirects',
    'Plain HTTP redirects twice within plain HTTP and then serves.',
    plain,
    (base, { self }) => ({
      plain: (call) => {
        const { path } = call;
        if (path?.startsWith('/www/')) return self.answer(withPath(call, path.slice('/www'.length)));
        if (path?.startsWith('/m/')) return redirect(302, `/www${path.slice('/m'.length)}`);
        return self.route(call) ? redirect(302, `/m${path}`) : base.plain(call);
      },
    }),
  ),
  fault(
    'plain-http-for-x-forwarded-proto',
    'Plain HTTP serves whoever says X-Forwarded-Proto: https.',
    behindProxy,
    says('X-Forwarded-Proto', /^https$/i),
  ),
  fault(
    'plain-http-for-x-forwarded-ssl',
    'Plain HTTP serves whoever says X-Forwarded-Ssl: on.',
    behindProxy,
    says('X-Forwarded-Ssl', /^on$/i),
  ),
  fault(
    'plain-http-for-forwarded',
    'Plain HTTP serves whoever says Forwarded: proto=https.',
    behindProxy,
    says('Forwarded', /proto="?https/i),
  ),
  fault(
    'plain-http-for-front-end-https',
    'Plain HTTP serves whoever says Front-End-Https: on.',
    behindProxy,
    says('Front-End-Https', /^on$/i),
  ),
  fault(
    'plain-http-for-x-forwarded-scheme',
    'Plain HTTP serves whoever says X-Forwarded-Scheme: https.',
    behindProxy,
    says('X-Forwarded-Scheme', /^https$/i),
  ),
  fault(
    'plain-http-for-cf-visitor',
    'Plain HTTP serves whoever says in CF-Visitor that the visitor came over https.',
    behindProxy,
    says('CF-Visitor', /"scheme":"https"/),
  ),
  fault(
    'plain-http-for-browsers',
    'Plain HTTP serves browsers and redirects other clients.',
    plain,
    says('User-Agent', /Mozilla/),
  ),
  fault(
    'plain-http-head',
    'The redirect to https is made for GET alone; HEAD reaches the API.',
    plain,
    answersWhere(({ method }) => method === 'HEAD'),
  ),
  fault(
    'plain-http-head-refuses-itself',
    'The redirect to https is made for GET alone and for public resources; a HEAD of the workouts reaches the API, which asks for the key.',
    plain,
    answersWhere((call, { self }) => call.method === 'HEAD' && self.route(call) === 'workout'),
  ),
  fault(
    'plain-http-for-other-host',
    'Plain HTTP serves under every host name but its own, which redirects.',
    plain,
    answersWhere((call, { httpOrigin }) => isForAnotherHost(call, httpOrigin)),
  ),
  {
    name: 'plain-http-on-tls-port',
    title: 'The TLS port takes plain HTTP as well.',
    clauses: ['HTTPS-2'],
    checks: ['refuses-plain-http-on-tls-port'],
    plainOnTlsPort: (behaviour) => behaviour.answer,
  },
  certificateFault('expired', 'The certificate expired yesterday.'),
  certificateFault('not-yet', 'The certificate is valid from tomorrow.'),
  certificateFault('wrong-host', 'The certificate is for another host.'),
];

/** Hosts whose IPv6 address is less protected than their IPv4 address. */

export const ipv6Faults: readonly FaultDefinition[] = [
  {
    name: 'ipv6-needs-no-key',
    title: 'The listener on the IPv6 address was set up by hand, and asks for no key.',
    clauses: ['AUTH-3'],
    checks: ['refuses-missing-key'],
    needs: 'ipv6',
    overIpv6: (behaviour) => ({
      plain: behaviour.plain,
      answer: (call) =>
        behaviour.route(call) === 'workout' && call.method === 'GET'
          ? behaviour.represent(call, 'workout', 'mara')
          : behaviour.answer(call),
    }),
  },
  {
    name: 'plain-http-over-ipv6',
    title: 'Plain HTTP redirects on the IPv4 address, and serves on the IPv6 address.',
    clauses: ['HTTPS-2'],
    checks: ['refuses-plain-http'],
    needs: 'ipv6',
    overIpv6: (behaviour) => ({ plain: behaviour.answer, answer: behaviour.answer }),
  },
];
