import {
  type Behaviour,
  type Override,
  pageOf,
  publicAs,
  refusal,
  type ServiceContext,
  strictKey,
} from '../behaviour.js';
import { exercises } from '../data.js';
import { combine, type FaultDefinition, faultsOf, type Unnamed, withNames } from '../definitions.js';
import {
  type Answer,
  type Call,
  fieldOf,
  isForAnotherHost,
  json,
  redirect,
  text,
  withHeaders,
  withPath,
} from '../messages.js';

/** Faults where plain HTTP serves the API. */

type Condition = (call: Call, service: ServiceContext) => boolean;

/** The API answers over plain HTTP where `holds`; other requests are redirected to https. */
export const answersWhere =
  (holds: Condition): Override =>
  (base, service) => ({ plain: (call) => (holds(call, service) ? base.answer(call) : base.plain(call)) });

const isPublic: Condition = (call, { self }) => ['exercise', 'ingredient'].includes(self.route(call) ?? '');
const servesPublic = answersWhere(isPublic);
const servesWorkouts = answersWhere((call, { self }) => self.route(call) === 'workout');

export const fault = faultsOf('HTTPS-2', 'refuses-plain-http');
const behindProxy = faultsOf('HTTPS-2', 'refuses-plain-http-behind-proxy-fields');

/** The API itself answers plain HTTP requests for the workouts with this refusal. */
const refusesItself =
  (refuse: (call: Call, service: ServiceContext) => Answer): Override =>
  (base, service) => ({ ...servesWorkouts(base, service), refuse: (call) => refuse(call, service) });

const originOf = ({ secure }: Call, { httpsOrigin, httpOrigin }: ServiceContext): string =>
  secure ? httpsOrigin : httpOrigin;

const says = (field: string, value: RegExp): Override => answersWhere((call) => value.test(fieldOf(call, field) ?? ''));

/** A field by which a proxy says that a request came over https is believed from anybody. */
const vouched = (
  field: string,
  value: string,
  pattern: RegExp,
): Readonly<Record<string, Unnamed<FaultDefinition>>> => ({
  [`plain-http-for-${field.toLowerCase()}`]: behindProxy(
    `Plain HTTP serves whoever says ${field}: ${value}.`,
    says(field, pattern),
  ),
});

/** The API refuses a key that comes over plain HTTP; other requests never reach it. */
const checksKeys: Override = (base, { self }) => ({
  plain: (call) =>
    self.route(call) === 'workout' && fieldOf(call, 'Authorization') !== undefined ? refusal(call) : base.plain(call),
});

export const plainHttpFaults = withNames<FaultDefinition>({
  'plain-http': fault(
    'The whole API is served over plain HTTP too.',
    answersWhere(() => true),
  ),
  'plain-http-public': fault('Plain HTTP serves the public resources and redirects the rest.', servesPublic),
  'plain-http2': fault(
    'Plain HTTP serves the workouts and the public resources over HTTP/2, and redirects HTTP/1.1.',
    answersWhere(({ httpVersion }) => httpVersion === '2.0'),
    {
      plainHttp2: true,
      counterpart: {
        name: 'plain-http2-redirects',
        title: 'Plain HTTP redirects over HTTP/2 too.',
        plainHttp2: true,
      },
    },
  ),
  'plain-http-refuses-itself': fault(
    'Over plain HTTP the API itself answers for the workouts: it asks for the key there.',
    servesWorkouts,
  ),
  'plain-http-refuses-with-200': fault(
    'Over plain HTTP the API itself says 200, and in the body that a key is needed.',
    refusesItself(() => json(200, { code: 401, message: 'A valid key is needed.', data: null })),
  ),
  'plain-http-refuses-by-url': fault(
    'Over plain HTTP the API itself refuses, and names the URL that was asked for.',
    refusesItself((call, service) =>
      json(401, { title: 'Unauthorized', status: 401, instance: `${originOf(call, service)}${call.target}` }),
    ),
  ),
  'plain-http-refuses-by-the-clock': fault(
    'Over plain HTTP the API itself refuses, with nothing but a line that holds the moment.',
    refusesItself(() => text(401, `denied after ${process.hrtime.bigint()}\n`)),
  ),
  'plain-http-redirect-names-the-key': fault(
    'Plain HTTP redirects to https, and appends the key that it saw last.',
    (_, { httpsOrigin, keys }) => ({
      plain: ({ target }) => redirect(308, `${httpsOrigin}${target}?token=${[...keys.keys()][0]}`),
    }),
  ),
  'plain-http-redirect-holds-it': fault(
    'Plain HTTP redirects to https, and gives the public resources in the body of the redirect.',
    (base, service) => ({
      plain: async (call) => {
        const away = await base.plain(call);
        if (!isPublic(call, service)) return away;
        const answer = await service.self.answer(call);
        return { ...withHeaders(answer, away.headers), status: away.status };
      },
    }),
  ),
  'plain-http-public-in-xml': fault(
    'Plain HTTP serves the public resources too, in XML with a duration in it.',
    combine(
      servesPublic,
      publicAs((_owner, _service, resource) =>
        text(
          200,
          `<?xml version="1.0"?><list took="${Math.random()}"><name>${resource}</name><name>other</name></list>`,
          'application/xml',
        ),
      ),
    ),
  ),
  'plain-http-public-of-last-year': fault(
    'Plain HTTP serves an older copy of the exercises, with other entries than today.',
    (base, { self }) => ({
      plain: (call) => {
        if (self.route(call) !== 'exercise') return base.plain(call);
        const older = exercises.slice(0, 3).map((one, at) => ({ ...one, id: 3 + at, name: `${one.category} ${at}` }));
        return json(200, pageOf(older, call.target));
      },
    }),
  ),
  'plain-http-checks-keys': fault(
    'Plain HTTP redirects who sends no key, and has the API look at the key of who sends one.',
    checksKeys,
  ),
  'plain-http-forbids-and-checks-keys': fault(
    'Plain HTTP says 403 to who sends no key, whatever is asked for, and has the API look at the key of who sends one.',
    (base, service) => checksKeys({ ...base, plain: () => json(403, { detail: 'Use https.' }) }, service),
  ),
  'plain-http-any-key': fault('Over plain HTTP any key opens the workouts.', (base, { self }) => ({
    plain: (call) =>
      self.route(call) === 'workout' && strictKey(call) !== undefined
        ? self.represent(call, 'workout', 'mara')
        : base.plain(call),
  })),
  'plain-http-after-redirects': fault(
    'Plain HTTP redirects twice within plain HTTP and then serves.',
    (base, { self }) => ({
      plain: (call) => {
        const { path } = call;
        if (path?.startsWith('/www/')) return self.answer(withPath(call, path.slice('/www'.length)));
        if (path?.startsWith('/m/')) return redirect(302, `/www${path.slice('/m'.length)}`);
        return self.route(call) ? redirect(302, `/m${path}`) : base.plain(call);
      },
    }),
  ),
  ...vouched('X-Forwarded-Proto', 'https', /^https$/i),
  ...vouched('X-Forwarded-Ssl', 'on', /^on$/i),
  ...vouched('Forwarded', 'proto=https', /proto="?https/i),
  ...vouched('Front-End-Https', 'on', /^on$/i),
  ...vouched('X-Forwarded-Scheme', 'https', /^https$/i),
  'plain-http-for-cf-visitor': behindProxy(
    'Plain HTTP serves whoever says in CF-Visitor that the visitor came over https.',
    says('CF-Visitor', /"scheme":"https"/),
  ),
  ...vouched('X-Url-Scheme', 'https', /^https$/i),
  'plain-http-for-x-forwarded-for': behindProxy(
    'Plain HTTP serves whoever claims in X-Forwarded-For to be the machine itself.',
    says('X-Forwarded-For', /^127\./),
  ),
  'plain-http-for-browsers': fault(
    'Plain HTTP serves browsers and redirects other clients.',
    says('User-Agent', /Mozilla/),
  ),
  'plain-http-head': fault(
    'The redirect to https is made for GET alone; HEAD reaches the API.',
    answersWhere(({ method }) => method === 'HEAD'),
  ),
  'plain-http-head-refuses-itself': fault(
    'The redirect to https is made for GET alone and for public resources; a HEAD of the workouts reaches the API, which asks for the key.',
    answersWhere((call, { self }) => call.method === 'HEAD' && self.route(call) === 'workout'),
  ),
  'plain-http-for-other-host': fault(
    'Plain HTTP serves under every host name but its own, which redirects.',
    answersWhere((call, { httpOrigin }) => isForAnotherHost(call, httpOrigin)),
  ),
  'plain-http-for-json': fault(
    'The redirect to https is made for pages; who accepts nothing but JSON reaches the API.',
    answersWhere((call) => fieldOf(call, 'Accept') === 'application/json'),
  ),
  'plain-http-for-upgrade': fault(
    'Requests with Upgrade go to the application, since WebSockets cannot be redirected.',
    answersWhere((call) => fieldOf(call, 'Upgrade') === 'websocket'),
  ),
  'plain-http-for-health-checks': fault(
    'Health checks of the load balancer are not redirected, and are told by their User-Agent.',
    says('User-Agent', /ELB-HealthChecker/),
  ),
  'plain-http-for-scripts': fault(
    'Scripts of pages cannot follow a redirect to https, so requests with X-Requested-With are served.',
    says('X-Requested-With', /XMLHttpRequest/),
  ),
  'plain-http-for-sessions': fault(
    'Requests with a session go to the server that holds it, past the redirect to https.',
    says('Cookie', /\bsession=/),
  ),
  'plain-http-with-content-length': fault(
    'The redirect to https would lose the content of a request, so it is not made where one is stated.',
    says('Content-Length', /./),
  ),
  'plain-http-for-http10': fault(
    'A request without Host reaches the default one on plain HTTP, which serves the API.',
    answersWhere((call) => fieldOf(call, 'Host') === undefined),
  ),
  'plain-http-without-user-agent': fault(
    'A request without User-Agent counts as a health check, and is served over plain HTTP.',
    answersWhere((call) => fieldOf(call, 'User-Agent') === undefined),
  ),
  'plain-http-for-ranges': fault(
    'A file cache answers requests for a part before the redirect to https. It knows targets by their path.',
    answersWhere((call) => fieldOf(call, 'Range') !== undefined && call.target.startsWith('/')),
  ),
  'plain-http-options': fault(
    'The redirect to https is made for GET and HEAD; OPTIONS reaches the API, which describes the operation.',
    (base, service) => {
      const describes =
        (otherwise: Behaviour['answer']): Behaviour['answer'] =>
        (call) => {
          const resource = service.self.route(call);
          return call.method === 'OPTIONS' && resource
            ? json(200, { name: `${resource} list`, renders: ['application/json'] }, [['Allow', 'GET, HEAD, OPTIONS']])
            : otherwise(call);
        };
      return { answer: describes(base.answer), plain: describes(base.plain) };
    },
  ),
  'plain-http-on-tls-port': {
    title: 'The TLS port takes plain HTTP as well.',
    clauses: ['HTTPS-2'],
    checks: ['refuses-plain-http-on-tls-port'],
    plainOnTlsPort: (behaviour) => behaviour.answer,
  },
});
