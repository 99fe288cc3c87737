import { type Behaviour, refusal, type ServiceContext } from '../behaviour.js';
import { type Unnamed, type VariantDefinition, variant, withNames } from '../definitions.js';
import { empty, hangUp, html, json, redirect, silence, text } from '../messages.js';

/** Variants that offer the API over HTTPS only. */

const plain = (
  title: string,
  answer: (call: Parameters<Behaviour['plain']>[0], service: ServiceContext) => ReturnType<Behaviour['plain']>,
  more: Partial<VariantDefinition> = {},
): Unnamed<VariantDefinition> => variant(title, (_, service) => ({ plain: (call) => answer(call, service) }), more);

const sayingTheSame = (words: string, refuse: Behaviour['missing']): Unnamed<VariantDefinition> =>
  variant(
    `The API refuses ${words}, and plain HTTP says the same of every path, also of one that is not there.`,
    () => ({ refuse, plain: refuse }),
  );

export const plainHttpVariants = withNames<VariantDefinition>({
  'no-plain-http': { title: 'Has no plain-HTTP side.', plainPort: 'none' },
  'plain-http-closed': { title: 'Nobody listens on the plain-HTTP port.', plainPort: 'closed' },
  'plain-http-301': plain('Plain HTTP redirects with 301.', ({ target }, { httpsOrigin }) =>
    redirect(301, httpsOrigin + target),
  ),
  'plain-http-to-front': plain('Plain HTTP redirects everything to the front page over https.', (_, { httpsOrigin }) =>
    redirect(302, `${httpsOrigin}/`),
  ),
  'plain-http-redirects-twice': plain(
    'Plain HTTP redirects once within plain HTTP, then to https.',
    ({ path, target }, { httpsOrigin }) =>
      path?.startsWith('/www/')
        ? redirect(301, `${httpsOrigin}${path.slice('/www'.length)}`)
        : redirect(301, `/www${target}`),
  ),
  'plain-http-redirect-loop': plain('Plain HTTP redirects to itself.', ({ target }) => redirect(302, target)),
  'plain-http-403': plain('Plain HTTP answers 403.', () => json(403, { detail: 'Use https.' })),
  'plain-http-403-for-protected': variant(
    'Plain HTTP refuses protected resources in as many bytes as the API refuses a missing key, and redirects public ones.',
    (base, { self }) => ({
      refuse: () => json(403, { error: 'Key required' }),
      plain: (call) => {
        const resource = self.route(call);
        if (resource === 'workout') return json(403, { error: 'TLS required' });
        return resource ? base.plain(call) : base.missing(call);
      },
    }),
  ),
  'plain-http-404': plain('Plain HTTP answers 404 to everything.', () => text(404, '404 page not found\n')),
  'plain-http-426': plain('Plain HTTP answers 426 Upgrade Required.', () =>
    empty(426, [
      ['Upgrade', 'TLS/1.2, HTTP/1.1'],
      ['Connection', 'Upgrade'],
    ]),
  ),
  'plain-http-500': plain('Plain HTTP answers 500.', () => html(500, 'Server Error (500)', '')),
  'plain-http-503': plain('Plain HTTP answers 503.', () => html(503, 'Service Unavailable', '')),
  'plain-http-parking-page': plain('Plain HTTP shows one page for everything, with status 200.', () =>
    html(200, 'Welcome', '<p>This server is set up.</p>'),
  ),
  'plain-http-tells-its-load': plain('Plain HTTP shows the load of its machines, whatever is asked for.', () =>
    json(200, { up: true, nodes: [1, 2].map((id) => ({ id, load: Math.random(), at: performance.now() })) }),
  ),
  'plain-http-401-for-all': plain(
    'Plain HTTP answers every path, also one that is not there, as the API refuses.',
    () => json(401, { detail: 'Authentication credentials were not provided.' }, [['WWW-Authenticate', 'Token']]),
  ),
  'plain-http-200-for-all': sayingTheSame('in the body of a 200', () =>
    json(200, { code: 401, request: Math.random(), data: null }),
  ),
  'plain-http-moment-for-all': sayingTheSame('with a line that holds the moment and the path', ({ path }) =>
    text(401, `denied after ${process.hrtime.bigint()} for ${path}\n`),
  ),
  'plain-http-head-200': plain(
    'Plain HTTP answers every HEAD with 200, for those who watch it, and redirects the rest.',
    (call, { httpsOrigin }) =>
      call.method === 'HEAD' ? json(200, { up: true }) : redirect(308, httpsOrigin + call.target),
  ),
  'plain-http-head-405': plain('Plain HTTP allows GET alone, which it redirects.', (call, { httpsOrigin }) =>
    call.method === 'GET'
      ? redirect(308, httpsOrigin + call.target)
      : json(405, { detail: 'Not here.' }, [['Allow', 'GET']]),
  ),
  'plain-http-options-204': plain(
    'Plain HTTP answers every OPTIONS itself, and describes nothing by it; it redirects the rest.',
    (call, { httpsOrigin }) =>
      call.method === 'OPTIONS'
        ? json(200, { methods: ['GET', 'HEAD', 'OPTIONS'] }, [['Allow', 'GET, HEAD, OPTIONS']])
        : redirect(308, httpsOrigin + call.target),
  ),
  'plain-http-refuses-odd-forms': plain(
    'Plain HTTP answers 400 to targets and fields that it does not know, and redirects the rest.',
    (call, { httpsOrigin }) =>
      /^\/(?!\/)[^?]*$/.test(call.target) && call.headers.length < 8
        ? redirect(308, httpsOrigin + call.target)
        : json(400, { detail: `Bad request: ${call.target}` }),
  ),
  'plain-http-refused-route-by-route': variant(
    'Every route refuses plain HTTP as it refuses a request without a key, the public ones too, and looks at a key first.',
    (base, { self }) => ({ plain: (call) => (self.route(call) ? refusal(call) : base.missing(call)) }),
  ),
  'plain-http-empty-200': plain('Plain HTTP answers 200 and nothing.', () => empty(200)),
  'plain-http-hangs-up': plain('Plain HTTP closes without an answer.', () => hangUp),
  'plain-http-silent': plain('Plain HTTP takes the connection and never answers.', () => silence, {
    settings: { TIMEOUT_MS: '3000' },
  }),
  'plain-http-speaks-ssh': plain('Something else than HTTP answers on the plain-HTTP port.', () => ({
    status: 0,
    headers: [],
    body: '',
    delivery: (socket) => socket.end('SSH-2.0-OpenSSH_9.7\r\nProtocol mismatch.\n'),
  })),
  'tls-port-says-400': {
    title: 'The TLS port answers plain HTTP with 400, as nginx does.',
    plainOnTlsPort: () => () =>
      html(400, '400 The plain HTTP request was sent to HTTPS port', '<hr><center>nginx</center>', [
        ['Connection', 'close'],
      ]),
  },
  'tls-port-redirects': {
    title: 'The TLS port redirects plain HTTP to https.',
    plainOnTlsPort: (behaviour) => behaviour.plain,
  },
});
