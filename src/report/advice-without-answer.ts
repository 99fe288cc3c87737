/** What to try next where no answer came, or only that of a gateway. */

export interface Advice {
  readonly reasons: readonly [string, string, string];
  /** What the suite asked, and what came of it; absent where nothing was sent. */
  readonly tried?: string;
  readonly next: string;
}

/** Where the deployment is, for commands. */
export interface TargetAddress {
  readonly host: string;
  readonly port: string;
  /** The command that repeats the decisive request. */
  readonly curl: string;
  /** The document, as one word of a shell. */
  readonly contract: string;
}

/** An address is no name of a server (RFC 6066, section 3). */
export const handshake = ({ host, port }: TargetAddress): string =>
  `openssl s_client -connect ${host}:${port}${/^\[|^[\d.]+$/.test(host) ? '' : ` -servername ${host}`} -showcerts </dev/null`;

/** The command to try next, for these reasons, the likeliest first. */
export const advise = (next: string, ...reasons: Advice['reasons']): Omit<Advice, 'tried'> => ({ reasons, next });

/** With a flag in front, since a comment may stand at the end. */
export const withFlag = (flag: string, curl: string): string => curl.replace(/^curl/, `curl ${flag}`);

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
      'It is a stream of which nothing came in that time: `leaveOut` in DEVIATIONS leaves the operation out.',
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

export const ofGateways: ReadonlySet<string> = new Set(['502', '503', '504']);

/** @param code of the error, or the status */
export const withoutAnswer = (place: TargetAddress, code: string): Omit<Advice, 'tried'> =>
  (ofGateways.has(code) ? behindGateway : (noAnswer[code] ?? silent))(place);
