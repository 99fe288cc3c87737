import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import { pairsIn } from '../collections.js';
import { authorityOf, type Endpoint, endpointOf } from '../wire/addresses.js';
import type { DialledConnection } from '../wire/connect.js';
import { WireFailure } from '../wire/failure.js';
import { isSameSite, ownOrigins } from './browser.js';
import type { KeyPageSettings } from './input.js';
import type { Limits } from './limits.js';
import { bodyOf, diallerOf, relay, WebSocketGuard, whyNot, without } from './relay.js';
import { namedHosts, type Outgoing, type Stopped, secretScanner } from './secret-scanner.js';
import type { Secrets } from './secrets.js';

/** The proxy that the browser uses for everything. It inspects each request before it sends it. */
export interface Gateway {
  readonly server: string;
  readonly stopped: readonly Stopped[];
  /** Other origins that were sent a key that was not known then. */
  sentKeysTo(): readonly string[];
  /** Call before passwords are typed: from then on pages can know them. */
  markPasswordsTyped(passwords: readonly string[]): void;
  /** Why the last connection to an origin failed, as the end of a sentence. */
  whyNotAt(origin: string): string | undefined;
  close(): void;
}

/** A connection of the browser and the connection to the server behind it. */
interface Tunnel {
  readonly origin: string;
  readonly agent: http.Agent;
  readonly socket: Socket;
}

/** Requests to other origins that are kept, the latest, and bytes of each body. */
const maxKept = 1_000;
const maxKeptBytes = 16 * 1024;
const maxReported = 20;
const http1 = ['http/1.1'] as const;
const parser = { insecureHTTPParser: true, maxHeaderSize: 256 * 1024 } as const;

const originOf = ({ scheme, host, port }: Endpoint): string =>
  new URL(`${scheme}://${authorityOf({ host, port })}`).origin;

/** Pages do not see answers to requests without CORS, except scripts and styles. */
const isFelt = ({ headers }: IncomingMessage): boolean =>
  headers['sec-fetch-mode'] !== 'no-cors' || /^(script|style)$/.test(String(headers['sec-fetch-dest']));

const identity = async (): Promise<SecureContext> => {
  const { generate } = await import('selfsigned');
  const made = await generate([{ name: 'commonName', value: 'access-conformance' }], {
    keyType: 'ec',
    algorithm: 'sha256',
  });
  return createSecureContext({ cert: made.cert, key: made.private });
};

export const openGateway = async (
  settings: KeyPageSettings,
  secrets: Secrets,
  { otherMs }: Limits,
): Promise<Gateway> => {
  const secureContext = await identity();
  const origins = ownOrigins(settings);
  const hosts = namedHosts();
  const scanner = secretScanner(secrets, origins);
  const stopped: Stopped[] = [];
  const open = new Set<Duplex>();
  const tunnels = new WeakMap<Duplex, Tunnel>();
  const failures = new Map<string, string>();
  /** What was sent to other origins: a key in it may be recognised later. */
  const sent: Outgoing[] = [];

  const keep = (socket: Duplex): void => {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => open.delete(socket));
  };

  const { clientCert: _none, ...others } = settings;
  const dialler = (of: typeof others) => diallerOf(of, settings.insecureTls, otherMs);
  const dials = { own: dialler(settings), foreign: dialler(others) };
  const dial = (place: Endpoint): Promise<DialledConnection> =>
    dials[origins.includes(originOf(place)) ? 'own' : 'foreign'](place, { alpn: http1, onSocket: keep });

  const remember = (outgoing: Outgoing): void => {
    sent.push(outgoing);
    if (sent.length > maxKept) sent.shift();
  };

  const stop = (origin: string, where: Stopped['where'], felt: boolean): void => {
    if (stopped.length >= maxReported) return;
    if (stopped.every((known) => known.origin !== origin || known.where !== where || known.felt !== felt))
      stopped.push({ origin, where, felt });
  };

  /**
   * Whether a host may be asked, by its name alone. Once a secret is known to the page, a server has
   * to have named it, unless it belongs to the page's own site.
   */
  const letsHost = (origin: string, authority: string): boolean => {
    const { hostname } = new URL(origin);
    const own = origins.some((one) => isSameSite(new URL(one).hostname, hostname));
    if (!secrets.areKnown) hosts.add(origin);
    const where = scanner.isInUrl(authority) ? 'host' : own || hosts.has(origin) ? undefined : 'name';
    if (where) stop(origin, where, true);
    return where === undefined;
  };

  /** Whether a request may be sent. If not, its connection is closed, without an answer. */
  const lets = (request: IncomingMessage, origin: string, target: string, body: Buffer | undefined): boolean => {
    const isOwn = scanner.isOwn(origin);
    if (isOwn && request.headers.authorization !== undefined) secrets.markTyped();
    const outgoing = body && { origin, target, headers: request.rawHeaders, body };
    const where = outgoing ? scanner.secretIn(outgoing) : 'unseen';
    if (outgoing && where === undefined) {
      if (!isOwn) remember({ ...outgoing, body: Buffer.from(outgoing.body.subarray(0, maxKeptBytes)) });
      return true;
    }
    stop(origin, where ?? 'unseen', isFelt(request));
    request.socket.destroy();
    return false;
  };

  const pass = async (request: IncomingMessage, response: ServerResponse, { origin, agent }: Tunnel): Promise<void> => {
    const own = scanner.isOwn(origin);
    const target = request.url ?? '/';
    const body = own ? Buffer.alloc(0) : await bodyOf(request);
    if (!lets(request, origin, target, body)) return;
    // Answers are read, so none may be compressed.
    const isOut = (name: string, value: string): boolean =>
      name === 'accept-encoding' || (name === 'referer' && scanner.isInUrl(value));
    const headers = without(request.rawHeaders, isOut);
    const onward = http.request({ ...parser, agent, method: request.method ?? 'GET', path: target, headers });
    relay(onward, response, hosts.read);
    if (own) request.pipe(onward);
    else onward.end(body);
  };

  /** Plain HTTP. Cookies are removed, unless the key page itself has no TLS. */
  const passPlain = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '');
    const body = await bodyOf(request);
    if (!letsHost(url.origin, url.host)) return void request.socket.destroy();
    const target = `${url.pathname}${url.search}`;
    if (!lets(request, url.origin, target, body)) return;
    const { socket, forward } = await dial(endpointOf(url.origin));
    const session = origins.includes(url.origin) ? '' : '|cookie$';
    const isOut = new RegExp(`^(proxy-|connection$|accept-encoding$${session})`);
    const headers = without(request.rawHeaders, (name) => isOut.test(name));
    if (forward?.authorization !== undefined) headers.push('Proxy-Authorization', forward.authorization);
    const onward = http.request({
      ...parser,
      createConnection: () => socket,
      method: request.method ?? 'GET',
      path: forward ? url.href : target,
      headers: [...headers, 'Connection', 'close'],
    });
    relay(onward, response, hosts.read);
    onward.end(body);
  };

  /** WebSockets. To other origins they are uncompressed and searched frame by frame. */
  const upgrade = (request: IncomingMessage, browser: Duplex, head: Buffer): void => {
    const tunnel = tunnels.get(browser);
    if (!tunnel) return void browser.destroy();
    const { origin, socket } = tunnel;
    const target = request.url ?? '/';
    if (!lets(request, origin, target, Buffer.alloc(0))) return;
    const own = scanner.isOwn(origin);
    const headers = without(request.rawHeaders, (name) => !own && name === 'sec-websocket-extensions');
    const lines = pairsIn(headers).map((field) => field.join(': '));
    socket.write(`${[`${request.method} ${target} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`, 'latin1');
    if (head.length > 0) browser.unshift(head);
    socket.pipe(browser);
    if (own) return void browser.pipe(socket);
    const guard = new WebSocketGuard(scanner.isInData);
    remember({
      origin,
      target: '',
      headers: [],
      get body() {
        return guard.said;
      },
    });
    guard.once('error', () => {
      stop(origin, 'frame', true);
      browser.destroy();
    });
    browser.pipe(guard).pipe(socket);
  };

  const inside = http.createServer({ ...parser, keepAliveTimeout: 0 }, (request, response) => {
    const tunnel = tunnels.get(request.socket);
    if (tunnel) pass(request, response, tunnel).catch(() => request.socket.destroy());
    else request.socket.destroy();
  });
  inside.on('upgrade', upgrade);
  inside.on('clientError', (_error, socket) => socket.destroy());

  /** A TLS connection of the browser. It ends here; the server is verified as for the API. */
  const openTunnel = async (authority: string, browser: Duplex, head: Buffer): Promise<void> => {
    keep(browser);
    const { origin } = new URL(`https://${authority}`);
    if (!letsHost(origin, authority)) return void browser.destroy();
    let socket: Socket;
    try {
      ({ socket } = await dial(endpointOf(origin)));
      failures.delete(origin);
    } catch (error) {
      if (error instanceof WireFailure) failures.set(origin, whyNot(error, settings));
      browser.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    browser.write('HTTP/1.1 200 OK\r\n\r\n');
    if (head.length > 0) browser.unshift(head);
    const secured = new TLSSocket(browser, { isServer: true, secureContext, ALPNProtocols: [...http1] });
    keep(secured);
    // Each connection has its own: if the server closes it, the browser notices.
    socket.once('close', () => secured.destroy());
    secured.once('close', () => socket.destroy());
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    agent.createConnection = () => socket;
    tunnels.set(secured, { origin, agent, socket });
    inside.emit('connection', secured);
  };

  const front = http.createServer(parser, (request, response) => {
    passPlain(request, response).catch(() => request.socket.destroy());
  });
  front.on('connect', (request, browser, head) => {
    openTunnel(request.url ?? '', browser, head).catch(() => browser.destroy());
  });
  // A WebSocket outside a tunnel.
  front.on('upgrade', (_request, browser) => browser.destroy());
  front.on('clientError', (_error, socket) => socket.destroy());
  front.on('connection', keep);
  await new Promise<void>((resolve, reject) => {
    front.once('error', reject);
    front.listen(0, '127.0.0.1', resolve);
  });

  return {
    server: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    stopped,
    sentKeysTo: () => [...new Set(sent.filter(scanner.carriedKey).map(({ origin }) => origin))],
    markPasswordsTyped: (passwords) => secrets.markTyped(passwords),
    whyNotAt: (origin) => failures.get(origin),
    close: () => {
      front.close();
      for (const socket of open) socket.destroy();
    },
  };
};
