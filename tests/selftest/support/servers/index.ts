import { certificateOf, writeCaFile } from '../../../../src/reference/certificates.js';
import { byName } from '../../../../src/reference/definitions.js';
import { closedPort, listen } from '../../../../src/reference/listen.js';
import { empty, html, json, redirect } from '../../../../src/reference/messages.js';
import { hostileDefinitions } from './hostile/index.js';
import {
  answering,
  overTcp,
  overTls,
  type RunningTestServer,
  type TestServer,
  type TestServerDefinition,
} from './test-server.js';

/**
 * Servers that answer every request alike. The suite must not find a clause kept or broken by them.
 */

const degenerateDefinitions: readonly TestServerDefinition[] = [
  { name: 'all-200-empty', title: 'Answers everything with 200 and nothing.', server: answering(() => empty(200)) },
  {
    name: 'all-200-same-json',
    title: 'Answers everything with 200 and the same JSON.',
    server: answering(() => json(200, { ok: true, items: ['one', 'two'] })),
  },
  {
    name: 'all-200-html',
    title: 'Answers everything with 200 and the same page.',
    server: answering(() => html(200, 'It works', '<p>Welcome.</p>')),
  },
  { name: 'all-204', title: 'Answers everything with 204.', server: answering(() => empty(204)) },
  {
    name: 'all-404',
    title: 'Answers everything with 404.',
    server: answering(() => json(404, { detail: 'Not found.' })),
  },
  {
    name: 'all-500',
    title: 'Answers everything with 500.',
    server: answering(() => html(500, 'Server Error (500)', '')),
  },
  {
    name: 'all-503',
    title: 'Answers everything with 503.',
    server: answering(() => html(503, 'Service Unavailable', '')),
  },
  {
    name: 'all-429',
    title: 'Answers everything with 429, to be tried again in an hour.',
    server: answering(() => json(429, { detail: 'Throttled.' }, [['Retry-After', '3600']])),
  },
  {
    name: 'all-401',
    title: 'Answers everything with 401.',
    server: answering(() =>
      json(401, { detail: 'Authentication credentials were not provided.' }, [['WWW-Authenticate', 'Token']]),
    ),
  },
  { name: 'all-403', title: 'Answers everything with 403.', server: answering(() => html(403, 'Request blocked', '')) },
  { name: 'all-405', title: 'Answers everything with 405.', server: answering(() => empty(405, [['Allow', 'TRACE']])) },
  {
    name: 'all-redirect',
    title: 'Redirects everything to one path, which redirects too.',
    server: answering(() => redirect(302, '/elsewhere/')),
  },
  {
    name: 'all-redirect-elsewhere',
    title: 'Redirects every path to the same one at another host.',
    server: answering(({ target }) => redirect(301, `https://www.fitness.example${target}`)),
  },
  {
    name: 'all-echo',
    title: 'Answers everything with 200 and the request itself.',
    server: answering(({ method, target, headers }) => json(200, { method, target, headers })),
  },
  {
    name: 'closes',
    title: 'Closes every connection as soon as it is open.',
    server: overTcp((socket) => socket.destroy()),
  },
  {
    name: 'closes-after-handshake',
    title: 'Closes every connection after the TLS handshake.',
    server: overTls((socket) => socket.destroy()),
  },
  {
    name: 'no-http',
    title: 'Speaks SMTP over TLS.',
    server: overTls((socket) => socket.end('220 mail.fitness.example ESMTP ready\r\n500 5.5.2 Error: bad syntax\r\n')),
  },
  {
    name: 'no-tls',
    title: 'Speaks plain HTTP where TLS is expected.',
    server: overTcp((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nOK'));
    }),
  },
  {
    name: 'silent',
    title: 'Takes every connection and says nothing.',
    server: overTcp((socket) => {
      socket.on('error', () => {});
    }),
  },
  { name: 'dead-port', title: 'Nobody listens.', server: () => null },
];

/** Servers that answer every request alike, or not at all. */
export const degenerateServers: readonly TestServer[] = degenerateDefinitions;

/** Servers that attack their client. */
export const hostileServers: readonly TestServer[] = hostileDefinitions;

/**
 * Starts one of `degenerateServers` or `hostileServers`.
 * @throws RangeError that names the nearest one, for a name that does not exist
 */
export const startTestServer = async (name: string): Promise<RunningTestServer> => {
  const definition = byName('test server', [...degenerateDefinitions, ...hostileDefinitions], name);
  const { ca, ...leaf } = await certificateOf('valid');
  const server = await definition.server(leaf);
  server?.on('tlsClientError', () => {});
  const { caFile, remove } = await writeCaFile(ca);
  const host = '127.0.0.1';
  const { port, close } = server
    ? await listen(server, host, 0)
    : { port: await closedPort(host), close: async () => {} };
  return {
    baseUrl: `https://${host}:${port}`,
    ca,
    caFile,
    close: async () => {
      await Promise.all([close(), remove()]);
    },
  };
};
