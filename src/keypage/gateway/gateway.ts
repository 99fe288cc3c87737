import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import { pairsIn } from '../../collections.js';
import { authorityOf, type Endpoint, endpointOf } from '../../wire/addresses.js';
import type { DialledConnection, Dialler } from '../../wire/connect.js';
import { WireFailure } from '../../wire/failure.js';
import type { KeyPageSettings, VisitLimits } from '../input.js';
import { ownOrigins } from '../input.js';
import { Holding, isWrite } from './holding.js';
import { LeakGuard } from './leak-guard.js';
import { bodyOf, diallerOf, relay, whyNot, without } from './relay.js';
import type { Secrets } from './secrets.js';

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

const http1 = ['http/1.1'] as const;
const parser = { insecureHTTPParser: true, maxHeaderSize: 256 * 1024 } as const;

const originOf = ({ scheme, host, port }: Endpoint): string =>
  new URL(`${scheme}://${authorityOf({ host, port })}`).origin;

const identity = async (): Promise<SecureContext> => {
  const { generate } = await import('selfsigned');
  const made = await generate([{ name: 'commonName', value: 'access-conformance' }], {
    keyType: 'ec',
    algorithm: 'sha256',
  });
  return createSecureContext({ cert: made.cert, key: made.private });
};

/** Whether a request changes something and is not sent now. */
const isHeldBy = (holding: Holding, { method = 'GET' }: IncomingMessage): boolean =>
  holding.isOn && isWrite({ method });

const onwardRequest = (options: http.RequestOptions, { method = 'GET' }: IncomingMessage): http.ClientRequest =>
  http.request({ ...parser, ...options, method });

/**
 * The proxy that the browser uses for everything. It inspects each request before it sends it.
 */
export class Gateway {
  readonly #settings: KeyPageSettings;
  readonly #secureContext: SecureContext;
  readonly #origins: readonly string[];
  /** Inspects each request. */
  readonly guard: LeakGuard;
  /** Foreign origins do not see the client certificate. */
  readonly #diallers: Readonly<Record<'own' | 'foreign', Dialler>>;
  readonly #open = new Set<Duplex>();
  readonly #tunnels = new WeakMap<Duplex, Tunnel>();
  readonly #failures = new Map<string, string>();
  readonly #fronts: http.Server[] = [];
  /** Serves the requests inside tunnels. It listens nowhere. */
  readonly #inside: http.Server;

  static async open(settings: KeyPageSettings, secrets: Secrets, limits: VisitLimits): Promise<Gateway> {
    return new Gateway(settings, secrets, limits, await identity());
  }

  private constructor(
    settings: KeyPageSettings,
    secrets: Secrets,
    { otherMs }: VisitLimits,
    secureContext: SecureContext,
  ) {
    this.#settings = settings;
    this.#secureContext = secureContext;
    this.#origins = ownOrigins(settings);
    this.guard = new LeakGuard(secrets, this.#origins);
    const { clientCert: _none, ...others } = settings;
    const dialler = (of: typeof others) => diallerOf(of, settings.insecureTls, otherMs);
    this.#diallers = { own: dialler(settings), foreign: dialler(others) };
    this.#inside = http.createServer({ ...parser, keepAliveTimeout: 0 }, (request, response) => {
      const tunnel = this.#tunnels.get(request.socket);
      if (tunnel) this.#pass(request, response, tunnel).catch(() => request.socket.destroy());
      else request.socket.destroy();
    });
    this.#inside.on('upgrade', (request, browser, head) => this.#upgrade(request, browser, head));
    this.#inside.on('clientError', (_error, socket) => socket.destroy());
  }

  /** Why the last connection to an origin failed, as the end of a sentence. */
  whyNotAt(origin: string): string | undefined {
    return this.#failures.get(origin);
  }

  async openDoor(): Promise<Door> {
    const holding = new Holding(this.#origins);
    const front = http.createServer(parser, (request, response) => {
      this.#passPlain(request, response, holding).catch(() => request.socket.destroy());
    });
    this.#fronts.push(front);
    front.on('connect', (request, browser, head) => {
      this.#openTunnel(request.url ?? '', browser, head, holding).catch(() => browser.destroy());
    });
    // A WebSocket outside a tunnel.
    front.on('upgrade', (_request, browser) => browser.destroy());
    front.on('clientError', (_error, socket) => socket.destroy());
    front.on('connection', (socket) => this.#keep(socket));
    await new Promise<void>((resolve, reject) => {
      front.once('error', reject);
      front.listen(0, '127.0.0.1', resolve);
    });
    return { server: `http://127.0.0.1:${(front.address() as AddressInfo).port}`, holding };
  }

  close(): void {
    for (const front of this.#fronts) front.close();
    for (const socket of this.#open) socket.destroy();
  }

  #keep(socket: Duplex): void {
    this.#open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#open.delete(socket));
  }

  #dial(place: Endpoint): Promise<DialledConnection> {
    const dialler = this.#diallers[this.#origins.includes(originOf(place)) ? 'own' : 'foreign'];
    return dialler.dial(place, { alpn: http1, onSocket: (socket) => this.#keep(socket) });
  }

  /** A TLS connection of the browser. It ends here; the server is verified as for the API. */
  async #openTunnel(authority: string, browser: Duplex, head: Buffer, holding: Holding): Promise<void> {
    this.#keep(browser);
    const { origin } = new URL(`https://${authority}`);
    if (!this.guard.letsHost(origin, authority)) return void browser.destroy();
    let socket: Socket;
    try {
      ({ socket } = await this.#dial(endpointOf(origin)));
      this.#failures.delete(origin);
    } catch (error) {
      if (error instanceof WireFailure) this.#failures.set(origin, whyNot(error, this.#settings));
      browser.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    browser.write('HTTP/1.1 200 OK\r\n\r\n');
    if (head.length > 0) browser.unshift(head);
    const secured = new TLSSocket(browser, {
      isServer: true,
      secureContext: this.#secureContext,
      ALPNProtocols: [...http1],
    });
    this.#keep(secured);
    // Each browser connection has its own server connection. If the server closes it, the browser
    // notices.
    socket.once('close', () => secured.destroy());
    secured.once('close', () => socket.destroy());
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    agent.createConnection = () => socket;
    this.#tunnels.set(secured, { origin, agent, socket, holding });
    this.#inside.emit('connection', secured);
  }

  async #pass(request: IncomingMessage, response: ServerResponse, tunnel: Tunnel): Promise<void> {
    const { origin, agent, holding } = tunnel;
    const guard = this.guard;
    const own = guard.isOwn(origin);
    const path = request.url ?? '/';
    const holds = isHeldBy(holding, request);
    const body = own && !holds ? undefined : await bodyOf(request);
    if (holds && holding.takes(request, response, origin, body)) return;
    if (!guard.lets(request, origin, path, body ?? (own ? Buffer.alloc(0) : undefined))) return;
    // Answers are read, so none may be compressed.
    const isOut = (name: string, value: string): boolean =>
      name === 'accept-encoding' || (name === 'referer' && guard.isInUrl(value));
    const onward = onwardRequest({ agent, path, headers: without(request.rawHeaders, isOut) }, request);
    relay(onward, response, guard.readHosts);
    if (body) onward.end(body);
    else request.pipe(onward);
  }

  /** Plain HTTP. Cookies are removed, unless the key page itself has no TLS. */
  async #passPlain(request: IncomingMessage, response: ServerResponse, holding: Holding): Promise<void> {
    const url = new URL(request.url ?? '');
    const holds = isHeldBy(holding, request);
    const body = await bodyOf(request);
    if (holds && holding.takes(request, response, url.origin, body)) return;
    if (!this.guard.letsHost(url.origin, url.host)) return void request.socket.destroy();
    const target = `${url.pathname}${url.search}`;
    if (!this.guard.lets(request, url.origin, target, body)) return;
    const { socket, forward } = await this.#dial(endpointOf(url.origin));
    const session = this.#origins.includes(url.origin) ? '' : '|cookie$';
    const isOut = new RegExp(`^(proxy-|connection$|accept-encoding$${session})`);
    const headers = without(request.rawHeaders, (name) => isOut.test(name));
    if (forward?.authorization !== undefined) headers.push('Proxy-Authorization', forward.authorization);
    const onward = onwardRequest(
      {
        createConnection: () => socket,
        path: forward ? url.href : target,
        headers: [...headers, 'Connection', 'close'],
      },
      request,
    );
    relay(onward, response, this.guard.readHosts);
    onward.end(body);
  }

  /** WebSockets. They are uncompressed; to other origins they are searched frame by frame. */
  #upgrade(request: IncomingMessage, browser: Duplex, head: Buffer): void {
    const tunnel = this.#tunnels.get(browser);
    if (!tunnel) return void browser.destroy();
    const { origin, socket, holding } = tunnel;
    const target = request.url ?? '/';
    if (!this.guard.lets(request, origin, target, Buffer.alloc(0))) return;
    const headers = without(request.rawHeaders, (name) => name === 'sec-websocket-extensions');
    const lines = pairsIn(headers).map((field) => field.join(': '));
    socket.write(`${[`${request.method} ${target} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`, 'latin1');
    if (head.length > 0) browser.unshift(head);
    socket.pipe(browser);
    browser.pipe(this.guard.frames(origin, holding, browser)).pipe(socket);
  }
}
