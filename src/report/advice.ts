import { shellWord } from '../engine/curl-line.js';
import type { Exchange } from '../wire/types.js';
import type { ShownCause } from './causes.js';
import { answerSummary } from './describe-finding.js';
import type { RunSummary } from './run-summary.js';

export interface Advice {
  readonly reasons: readonly [string, string, string];
  /** What the suite asked, and what came of it; absent where nothing was sent. */
  readonly tried?: string;
  readonly next: string;
}

type Likely = (place: TargetAddress, values: readonly string[]) => Omit<Advice, 'tried'> | undefined;

/** Where the deployment is, for commands. */
interface TargetAddress {
  readonly host: string;
  readonly port: string;
  /** The command that repeats the decisive request. */
  readonly curl: string;
  /** The document, as one word of a shell. */
  readonly contract: string;
}

/** An address is no name of a server (RFC 6066, section 3). */
const handshake = ({ host, port }: TargetAddress): string =>
  `openssl s_client -connect ${host}:${port}${/^\[|^[\d.]+$/.test(host) ? '' : ` -servername ${host}`} -showcerts </dev/null`;

/** The command to try next, for these reasons, the likeliest first. */
const advise = (next: string, ...reasons: Advice['reasons']): Omit<Advice, 'tried'> => ({ reasons, next });

/** With a flag in front, since a comment may stand at the end. */
const withFlag = (flag: string, curl: string): string => curl.replace(/^curl/, `curl ${flag}`);

const slow = 'It needs longer than TIMEOUT_MS allows: set a larger one.';

/** By the code of the error. */
const noAnswer: Readonly<Record<string, (place: TargetAddress) => Omit<Advice, 'tried'>>> = {
  refused: ({ host, port, curl }) =>
    advise(
      curl,
      `The service is not running, or it listens on another port than ${port}.`,
      `BASE_URL names another host than the one that is meant (${host}).`,
      'A firewall, or a load balancer without a healthy server behind it, refuses connections from here.',
    ),
  unreachable: ({ host }) =>
    advise(
      `nslookup ${host}`,
      `The name ${host} is misspelled in BASE_URL, or the DNS does not have it yet.`,
      'It is known only in another network: a VPN, a cluster, a company.',
      'This machine reaches the Internet only by a proxy (HTTPS_PROXY).',
    ),
  proxy: ({ host, port }) =>
    advise(
      'access-conformance doctor',
      'HTTPS_PROXY names another host or port than the proxy has, or the proxy is not running.',
      `The proxy allows no connections to ${host}:${port}, or wants a name and a password (HTTPS_PROXY=http://name:password@host:port).`,
      `${host} is reached without a proxy: name it in NO_PROXY.`,
    ),
  'connect-timeout': ({ port, curl }) =>
    advise(
      curl,
      `A firewall drops connections from here to port ${port}, or what takes them speaks no TLS.`,
      'BASE_URL names an address at which nothing is any more.',
      'The service is so busy that it takes no connection in time (TIMEOUT_MS).',
    ),
  'headers-timeout': ({ curl }) =>
    advise(
      withFlag('--max-time 120', curl),
      'The service takes the connection, and is too busy or stuck to answer.',
      'What it asks itself (a database, an identity provider) does not answer it.',
      slow,
    ),
  'body-timeout': ({ curl }) =>
    advise(
      withFlag('--max-time 120', curl),
      'It answers with a stream that does not end: `leaveOut` in DEVIATIONS leaves the operation out.',
      slow,
      'What it asks itself (a database, another service) stops in the middle of the answer.',
    ),
  tls: (place) =>
    advise(
      handshake(place),
      `Port ${place.port} speaks plain HTTP or something else, and no TLS.`,
      'The server asks for a client certificate (CLIENT_CERT_FILE and CLIENT_KEY_FILE).',
      'It knows no host of this name, or offers only versions of TLS that are no longer safe.',
    ),
  // The certificate that the first request got was accepted.
  certificate: (place) =>
    advise(
      handshake(place),
      'One of several servers behind the name has an old certificate, or that of another host.',
      'A proxy has another certificate for some connections, such as those over HTTP/2.',
      'Something between here and there opens TLS now and then, and shows a certificate of its own.',
    ),
  reset: (place) =>
    advise(
      place.curl,
      'A gateway closes the connection, since nothing answers behind it.',
      'A firewall closes connections from here, or of programs that are no browser.',
      'The server asks for a client certificate (CLIENT_CERT_FILE and CLIENT_KEY_FILE).',
    ),
  'not-http': ({ port, curl }) =>
    advise(
      curl,
      `Port ${port} speaks another protocol than HTTP.`,
      'BASE_URL names the port of another service, such as a database or a message broker.',
      'A proxy in front forwards the bytes to the wrong place.',
    ),
};

const silent = ({ curl }: TargetAddress): Omit<Advice, 'tried'> =>
  advise(
    curl,
    'The service is not running, or cannot be reached from here.',
    'BASE_URL names another host or port than the one that is meant.',
    'Something between here and there (a firewall, a proxy) does not let the requests through.',
  );

const behindGateway = ({ curl }: TargetAddress): Omit<Advice, 'tried'> =>
  advise(
    curl,
    'The service is not running behind its gateway, or it is still starting: run again when it answers.',
    'What it needs itself (a database, another service) is not there.',
    'It limits the rate of requests with this status: set RATE, or CONCURRENCY=1.',
  );

const ofGateways: ReadonlySet<string> = new Set(['502', '503', '504']);

/** @param code of the error, or the status */
const withoutAnswer = (place: TargetAddress, code: string): Omit<Advice, 'tried'> =>
  (ofGateways.has(code) ? behindGateway : (noAnswer[code] ?? silent))(place);

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
