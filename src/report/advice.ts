import { shellWord } from '../engine/shell-words.js';
import type { Exchange } from '../wire/types.js';
import {
  type Advice,
  advise,
  handshake,
  ofGateways,
  type TargetAddress,
  withFlag,
  withoutAnswer,
} from './advice-without-answer.js';
import type { ShownCause } from './causes.js';
import { answerSummary } from './describe-finding.js';
import type { RunSummary } from './run-summary.js';

type Likely = (place: TargetAddress, values: readonly string[]) => Omit<Advice, 'tried'> | undefined;

const unknownKey: Advice['reasons'] = [
  'The key is wrong, expired or revoked, or it belongs to another deployment.',
  'The service takes the key in another header or format than the document says, or in the query (tried with PROBE_KEY_IN_URL=true).',
  'Something in front of the service drops or replaces the field of the key.',
];

const lacksParameter =
  'The request lacks a parameter: give one that the document calls optional in PARAMETERS, or add one that it does not name.';

const lacksRight = 'The account of the key lacks a right to the operation, or has nothing there.';

const featureOff =
  'The service has a feature switched off, or makes a mistake: `leaveOut` in DEVIATIONS leaves the operation out.';

const notServed = 'This deployment does not serve the operation, or serves it at another path.';

/** By what is known of the key, or by the status alone. */
const keyRefused: Readonly<Record<string, Advice['reasons']>> = {
  404: [notServed, lacksRight, featureOff],
  'for-all': [
    'The operation asks for no key: see whether the body is data, and whether that is meant.',
    'The key is wrong, expired or revoked, and the body says so.',
    'Something in front of the service drops or replaces the field of the key.',
  ],
  'any-key': [
    'The operation takes any value for a key: see whether the body is data.',
    'The key is wrong, expired or revoked, and the body says so.',
    'The service takes the key in another header or format than the document says.',
  ],
  method: [
    'The document names another method than the service takes there.',
    'A firewall or a gateway in front of the service answers with 405.',
    featureOff,
  ],
  taken: [lacksRight, lacksParameter, featureOff],
  'value-taken': [
    lacksRight,
    'The value of a parameter names nothing here, or nothing of this account: give another one in PARAMETERS.',
    featureOff,
  ],
  // The reason itself says that the field may be lost on the way.
  'opens-elsewhere': [lacksRight, featureOff, 'The operation takes another kind of key than the document says.'],
};

/** By the id of the cause. What is not here says in its reason what to do. */
const likely: Readonly<Record<string, Likely>> = {
  'no-answer': (place, [code = '']) => withoutAnswer(place, code),
  'control-unusable': (place, [why, code = '']) => {
    if (why === 'no-answer' || (why === 'status' && ofGateways.has(code))) return withoutAnswer(place, code);
    // A whole run says it at the key's own check, which tries other forms of it.
    return why === 'status' && ['401', '403'].includes(code)
      ? advise('access-conformance doctor', ...unknownKey)
      : undefined;
  },
  'untrusted-certificate': (place) =>
    advise(
      handshake(place),
      'The certificate comes from an authority of your own: set CA_FILE to the certificate of that authority.',
      'The server sends its certificate without the intermediate one: have it send the full chain.',
      'A proxy on the way, such as that of a company, opens TLS and signs with an authority of its own.',
    ),
  'no-key': (_, [setting = 'API_KEY']) =>
    advise(
      'access-conformance doctor',
      `${setting} is not set: put it into .env, or name a file with ${setting === 'API_KEY' ? 'API_KEY_FILE' : 'API_KEYS_FILE'}.`,
      'The .env that holds it is in another folder than the one where the command runs.',
      'In CI, the secret is not passed to this job; jobs of forks get none.',
    ),
  'no-key-documented': ({ contract }) =>
    advise(
      `access-conformance init --contract ${contract}`,
      'It needs a key, and the document is wrong: init writes overlay.yaml, in which you say so.',
      'It is public on purpose, and something in front of the service refuses this client.',
      'BASE_URL names another service than the one that the document describes.',
    ),
  'server-error': ({ curl }) =>
    advise(
      curl,
      'The service makes a mistake at this request: its log says which.',
      'It lacks something that this operation needs: `leaveOut` in DEVIATIONS leaves the operation out.',
      lacksParameter,
    ),
  'key-refused': ({ curl }, values) => advise(curl, ...(keyRefused[values.at(-1) ?? ''] ?? unknownKey)),
  'answered-like-nothing': ({ curl }, values) => {
    if (values.includes('plain'))
      return advise(
        curl,
        'The API answers plain HTTP too, and asks for a key at every path: close the port, or redirect all of it to https.',
        'A firewall or a gateway gives every request the same answer, on both sides.',
        'HTTP_BASE_URL names the port of something else.',
      );
    return values.includes('there')
      ? advise(
          curl,
          'The account of the key has nothing there, or the service hides the operation from it.',
          notServed,
          'A gateway in front of the service does not pass this path on.',
        )
      : advise(
          curl,
          'BASE_URL lacks a prefix of the path, or has one too many.',
          notServed,
          'A firewall or a gateway gives every request the same answer.',
        );
  },
  'redirects-elsewhere': ({ curl }) =>
    advise(
      withFlag('-L', curl),
      'The service has moved to another host: set BASE_URL to it.',
      'A login page or a gateway of single sign-on stands in front of the API.',
      'The documented path is not the one that the service uses.',
    ),
  'redirects-to-itself': ({ curl }) =>
    advise(
      withFlag('-L', curl),
      'The service sets a cookie and expects it at the next request: a client of an API keeps none.',
      'A proxy ends TLS without telling the service, which redirects to https for ever: have it set X-Forwarded-Proto.',
      'Two rules of the gateway undo each other, such as one that adds a slash and one that removes it.',
    ),
  'rate-limit': () =>
    advise(
      'RATE=5/s RATE_LIMIT_WAIT_S=600 access-conformance run',
      'The limit of this key or address is lower than what a run needs: set RATE to what it allows.',
      'Another program uses the same key or address at the same time.',
      'An earlier run has used up the limit.',
    ),
  'client-refused': () =>
    advise(
      'PROBES=standard CONCURRENCY=1 access-conformance run',
      'A firewall or the service bans a client that sends wrong keys or unusual requests: exempt this address.',
      'A client without a key has a limit, which this run has used up.',
      'The service had an outage.',
    ),
  'service-silent': () =>
    advise(
      'access-conformance run --resume',
      'The service ended, hangs or is being deployed.',
      'A firewall or the service shuts out a client that sends wrong keys or unusual requests: exempt this address.',
      'The network between here and there failed.',
    ),
  'key-no-longer-opens': ({ curl }) =>
    advise(
      curl,
      'The service bans a client that sends wrong keys or unusual paths.',
      'The key expired, or was revoked, during the run.',
      'The service had an outage.',
    ),
  'http-base-url-unknown': ({ host }) =>
    advise(
      `HTTP_BASE_URL=http://${host} access-conformance run --only HTTPS-2`,
      'BASE_URL has a port of its own, so the port of plain HTTP is not known.',
      'The deployment has a plain-HTTP side: set HTTP_BASE_URL to it.',
      'It has none: set HTTP_BASE_URL=none.',
    ),
};

const addressOf = (
  { target: { baseUrl }, contract: { file } }: RunSummary,
  [curl = `curl -v ${baseUrl}`]: readonly string[],
) => {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  return { host: url?.hostname ?? baseUrl, port: url?.port || '443', curl, contract: shellWord(file) };
};

/**
 * What to do about a cause that was not judged; `undefined` where its reason says all there is.
 * @param exchange the decisive one
 */
export const adviceFor = (cause: ShownCause, run: RunSummary, exchange: Exchange | undefined): Advice | undefined => {
  const { id = '', values = [] } = cause.first.cause ?? {};
  const known = Object.hasOwn(likely, id) ? likely[id] : undefined;
  if (cause.outcome !== 'inconclusive' && cause.outcome !== 'blocked') return undefined;
  const advice = known?.(addressOf(run, cause.curl), values);
  const last = exchange?.attempts.at(-1);
  if (!advice || !exchange || !last) return advice;
  const came = `${last.response ? 'answered with' : 'no answer,'} ${answerSummary(last)}`;
  return { ...advice, tried: `${exchange.probe.method} ${exchange.request.url}: ${came}.` };
};
