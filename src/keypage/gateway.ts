import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import { pairsIn } from '../collections.js';
import { authorityOf, type Endpoint, endpointOf } from '../wire/addresses.js';
import type { DialledConnection } from '../wire/connect.js';
import { WireFailure } from '../wire/failure.js';
import { ownOrigins } from './browser.js';
import { Holding } from './holding.js';
import type { KeyPageSettings, VisitLimits } from './input.js';
import { isWrite } from './page-traffic.js';
import { bodyOf, diallerOf, relay, WebSocketGuard, whyNot, without } from './relay.js';
import { namedHosts, type Outgoing, type Secrets, type Stopped, secretScanner } from './secrets.js';

/** The gateway's proxy for one window. */
export interface Door {
  readonly server: string;
  readonly holding: Holding;
}

/** A connection of the browser and the connection to the server behind it. */
interface Tunnel {
  readonly origin: string;
  readonly agent: http.Agent;
  readonly socket: Socket;
  readonly holding: Holding;
}

/** Number of the latest requests to other origins that are kept, and bytes of each body. */
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

/**
 * Opens the proxy that the browser uses for everything. It inspects each request before it sends
 * it.
 */
export const openGateway = async (settings: KeyPageSettings, secrets: Secrets, { otherMs }: VisitLimits) => {
  const secureContext = await identity();
  const origins = ownOrigins(settings);
  const hosts = namedHosts();
  const scanner = secretScanner(secrets, origins);
  const stopped: Stopped[] = [];
  const open = new Set<Duplex>();
  const tunnels = new WeakMap<Duplex, Tunnel>();
  const failures = new Map<string, string>();
  /** Requests to other origins. A key in them may be recognised later. */
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
   * Whether a host may be asked, by its name alone. Once the page knows a secret, a host that is
   * not the page's own has to be named by a server first. Sites that differ only in the first label
   * may belong to others.
   */
  const letsHost = (origin: string, authority: string): boolean => {
    const { hostname } = new URL(origin);
    const own = origins.some((one) => new URL(one).hostname === hostname);
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

  const pass = async (request: IncomingMessage, response: ServerResponse, tunnel: Tunnel): Promise<void> => {
    const { origin, agent, holding } = tunnel;
    const own = scanner.isOwn(origin);
    const target = request.url ?? '/';
    const holds = holding.isOn && isWrite({ method: request.method ?? 'GET' });
    const body = own && !holds ? undefined : await bodyOf(request);
    if (holds && holding.takes(request, response, origin, body)) return;
    if (!lets(request, origin, target, body ?? (own ? Buffer.alloc(0) : undefined))) return;
    // Answers are read, so none may be compressed.
    const isOut = (name: string, value: string): boolean =>
      name === 'accept-encoding' || (name === 'referer' && scanner.isInUrl(value));
    const headers = without(request.rawHeaders, isOut);
    const onward = http.request({ ...parser, agent, method: request.method ?? 'GET', path: target, headers });
    relay(onward, response, hosts.read);
    if (body) onward.end(body);
    else request.pipe(onward);
  };

  /** Plain HTTP. Cookies are removed, unless the key page itself has no TLS. */
  const passPlain = async (request: IncomingMessage, response: ServerResponse, holding: Holding): Promise<void> => {
    const url = new URL(request.url ?? '');
    const holds = holding.isOn && isWrite({ method: request.method ?? 'GET' });
    const body = await bodyOf(request);
    if (holds && holding.takes(request, response, url.origin, body)) return;
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

  /** WebSockets. They are uncompressed; to other origins they are searched frame by frame. */
  const upgrade = (request: IncomingMessage, browser: Duplex, head: Buffer): void => {
    const tunnel = tunnels.get(browser);
    if (!tunnel) return void browser.destroy();
    const { origin, socket, holding } = tunnel;
    const target = request.url ?? '/';
    if (!lets(request, origin, target, Buffer.alloc(0))) return;
    const own = scanner.isOwn(origin);
    const headers = without(request.rawHeaders, (name) => name === 'sec-websocket-extensions');
    const lines = pairsIn(headers).map((field) => field.join(': '));
    socket.write(`${[`${request.method} ${target} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`, 'latin1');
    if (head.length > 0) browser.unshift(head);
    socket.pipe(browser);
    const guard = new WebSocketGuard(own ? () => false : scanner.isInData, holding.framesTo(origin));
    if (!own)
      remember({
        origin,
        target: '',
        headers: [],
        get body() {
          return guard.said;
        },
      });
    guard.once('error', () => {
      if (!own) stop(origin, 'frame', true);
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
  const openTunnel = async (authority: string, browser: Duplex, head: Buffer, holding: Holding): Promise<void> => {
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
    // Each browser connection has its own server connection. If the server closes it, the browser
    // notices.
    socket.once('close', () => secured.destroy());
    secured.once('close', () => socket.destroy());
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    agent.createConnection = () => socket;
    tunnels.set(secured, { origin, agent, socket, holding });
    inside.emit('connection', secured);
  };

  const fronts: http.Server[] = [];
  const openDoor = async (): Promise<Door> => {
    const holding = new Holding(origins);
    const front = http.createServer(parser, (request, response) => {
      passPlain(request, response, holding).catch(() => request.socket.destroy());
    });
    fronts.push(front);
    front.on('connect', (request, browser, head) => {
      openTunnel(request.url ?? '', browser, head, holding).catch(() => browser.destroy());
    });
    // A WebSocket outside a tunnel.
    front.on('upgrade', (_request, browser) => browser.destroy());
    front.on('clientError', (_error, socket) => socket.destroy());
    front.on('connection', keep);
    await new Promise<void>((resolve, reject) => {
      front.once('error', reject);
      front.listen(0, '127.0.0.1', resolve);
    });
    return { server: `http://127.0.0.1:${(front.address() as AddressInfo).port}`, holding };
  };

  return {
    openDoor,
    stopped: stopped as readonly Stopped[],
    /** Other origins that were sent a key that was not known then. */
    sentKeysTo: (): readonly string[] => [...new Set(sent.filter(scanner.carriedKey).map(({ origin }) => origin))],
    /** Call before passwords are typed: from then on pages can know them. */
    markPasswordsTyped: (passwords: readonly string[]): void => secrets.markTyped(passwords),
    /** Why the last connection to an origin failed, as the end of a sentence. */
    whyNotAt: (origin: string): string | undefined => failures.get(origin),
    close: (): void => {
      for (const front of fronts) front.close();
      for (const socket of open) socket.destroy();
    },
  };
};

export type Gateway = Awaited<ReturnType<typeof openGateway>>;
