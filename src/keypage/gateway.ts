import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import { authorityOf, type Endpoint, endpointOf } from '../wire/addresses.js';
import type { DialledConnection } from '../wire/connect.js';
import { WireFailure } from '../wire/failure.js';
import { isSameSite, ownOrigins } from './browser.js';
import type { KeyPageSettings } from './input.js';
import type { Limits } from './limits.js';
import { bodyOf, diallerOf, relay, WebSocketGuard, whyNot, without } from './relay.js';
import { NamedHosts, type Outgoing, SecretScanner, type Stopped } from './secret-scanner.js';
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

class GatewayServer implements Gateway {
  readonly stopped: Stopped[] = [];
  readonly #hosts = new NamedHosts();
  readonly #origins: readonly string[];
  readonly #scanner: SecretScanner;
  readonly #secrets: Secrets;
  readonly #whyNot: (failure: WireFailure) => string;
  readonly #dial: (place: Endpoint) => Promise<DialledConnection>;
  readonly #open = new Set<Duplex>();
  readonly #tunnels = new WeakMap<Duplex, Tunnel>();
  readonly #failures = new Map<string, string>();
  /** What was sent to other origins: a key in it may be recognised later. */
  readonly #sent: Outgoing[] = [];
  readonly #context: SecureContext;
  readonly #inside: http.Server;
  readonly #front: http.Server;

  constructor(settings: KeyPageSettings, secrets: Secrets, { otherMs }: Limits, context: SecureContext) {
    const origins = ownOrigins(settings);
    this.#origins = origins;
    this.#secrets = secrets;
    this.#whyNot = (failure) => whyNot(failure, settings);
    this.#scanner = new SecretScanner(secrets, origins);
    const { clientCert: _none, ...others } = settings;
    const dialler = (of: typeof others) => diallerOf(of, settings.insecureTls, otherMs);
    const dials = { own: dialler(settings), foreign: dialler(others) };
    this.#dial = (place) => {
      const dial = origins.includes(originOf(place)) ? dials.own : dials.foreign;
      return dial(place, { alpn: http1, onSocket: (socket) => this.#keep(socket) });
    };
    this.#context = context;
    this.#inside = http.createServer({ ...parser, keepAliveTimeout: 0 }, (request, response) => {
      const tunnel = this.#tunnels.get(request.socket);
      if (tunnel) this.#pass(request, response, tunnel).catch(() => request.socket.destroy());
      else request.socket.destroy();
    });
    this.#inside.on('upgrade', (request, browser, head) => this.#upgrade(request, browser, head));
    this.#inside.on('clientError', (_error, socket) => socket.destroy());
    this.#front = http.createServer(parser, (request, response) => {
      this.#passPlain(request, response).catch(() => request.socket.destroy());
    });
    this.#front.on('connect', (request, browser, head) => {
      this.#tunnel(request.url ?? '', browser, head).catch(() => browser.destroy());
    });
    // A WebSocket outside a tunnel.
    this.#front.on('upgrade', (_request, browser) => browser.destroy());
    this.#front.on('clientError', (_error, socket) => socket.destroy());
    this.#front.on('connection', (socket) => this.#keep(socket));
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#front.once('error', reject);
      this.#front.listen(0, '127.0.0.1', resolve);
    });
  }

  get server(): string {
    return `http://127.0.0.1:${(this.#front.address() as AddressInfo).port}`;
  }

  sentKeysTo(): readonly string[] {
    const carried = this.#sent.filter((outgoing) => this.#scanner.carriedKey(outgoing));
    return [...new Set(carried.map(({ origin }) => origin))];
  }

  markPasswordsTyped(passwords: readonly string[]): void {
    this.#secrets.markTyped(passwords);
  }

  whyNotAt(origin: string): string | undefined {
    return this.#failures.get(origin);
  }

  close(): void {
    this.#front.close();
    for (const socket of this.#open) socket.destroy();
  }

  #keep(socket: Duplex): void {
    this.#open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#open.delete(socket));
  }

  #remember(outgoing: Outgoing): void {
    this.#sent.push(outgoing);
    if (this.#sent.length > maxKept) this.#sent.shift();
  }

  #stop(origin: string, where: Stopped['where'], felt: boolean): void {
    if (this.stopped.length >= maxReported) return;
    if (this.stopped.every((known) => known.origin !== origin || known.where !== where || known.felt !== felt))
      this.stopped.push({ origin, where, felt });
  }

  /**
   * Whether a host may be asked, by its name alone. Once a secret is known to the page, a server has
   * to have named it, unless it belongs to the page's own site.
   */
  #letsHost(origin: string, authority: string): boolean {
    const { hostname } = new URL(origin);
    const own = this.#origins.some((one) => isSameSite(new URL(one).hostname, hostname));
    if (!this.#secrets.areKnown) this.#hosts.add(origin);
    const where = this.#scanner.isInUrl(authority) ? 'host' : own || this.#hosts.has(origin) ? undefined : 'name';
    if (where) this.#stop(origin, where, true);
    return where === undefined;
  }

  /** A TLS connection of the browser. It ends here; the server is verified as for the API. */
  async #tunnel(authority: string, browser: Duplex, head: Buffer): Promise<void> {
    this.#keep(browser);
    const origin = new URL(`https://${authority}`).origin;
    if (!this.#letsHost(origin, authority)) return void browser.destroy();
    let socket: Socket;
    try {
      ({ socket } = await this.#dial(endpointOf(origin)));
      this.#failures.delete(origin);
    } catch (error) {
      if (error instanceof WireFailure) this.#failures.set(origin, this.#whyNot(error));
      browser.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    browser.write('HTTP/1.1 200 OK\r\n\r\n');
    if (head.length > 0) browser.unshift(head);
    const secured = new TLSSocket(browser, {
      isServer: true,
      secureContext: this.#context,
      ALPNProtocols: [...http1],
    });
    this.#keep(secured);
    // Each connection has its own: if the server closes it, the browser notices.
    socket.once('close', () => secured.destroy());
    secured.once('close', () => socket.destroy());
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    agent.createConnection = () => socket;
    this.#tunnels.set(secured, { origin, agent, socket });
    this.#inside.emit('connection', secured);
  }

  /** Whether a request may be sent. If not, its connection is closed, without an answer. */
  #lets(request: IncomingMessage, origin: string, target: string, body: Buffer | undefined): boolean {
    if (this.#scanner.isOwn(origin) && request.headers.authorization !== undefined) this.#secrets.markTyped();
    const outgoing = body && { origin, target, headers: request.rawHeaders, body };
    const where = outgoing ? this.#scanner.secretIn(outgoing) : 'unseen';
    if (outgoing && where === undefined) {
      if (!this.#scanner.isOwn(origin))
        this.#remember({ ...outgoing, body: Buffer.from(outgoing.body.subarray(0, maxKeptBytes)) });
      return true;
    }
    this.#stop(origin, where ?? 'unseen', isFelt(request));
    request.socket.destroy();
    return false;
  }

  async #pass(request: IncomingMessage, response: ServerResponse, { origin, agent }: Tunnel): Promise<void> {
    const own = this.#scanner.isOwn(origin);
    const target = request.url ?? '/';
    const body = own ? Buffer.alloc(0) : await bodyOf(request);
    if (!this.#lets(request, origin, target, body)) return;
    // Answers are read, so none may be compressed.
    const isOut = (name: string, value: string): boolean =>
      name === 'accept-encoding' || (name === 'referer' && this.#scanner.isInUrl(value));
    const headers = without(request.rawHeaders, isOut);
    const onward = http.request({ ...parser, agent, method: request.method ?? 'GET', path: target, headers });
    relay(onward, response, (answer) => this.#hosts.read(answer));
    if (own) request.pipe(onward);
    else onward.end(body);
  }

  /** Plain HTTP. Cookies are removed, unless the key page itself has no TLS. */
  async #passPlain(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '');
    const body = await bodyOf(request);
    if (!this.#letsHost(url.origin, url.host)) return void request.socket.destroy();
    const target = `${url.pathname}${url.search}`;
    if (!this.#lets(request, url.origin, target, body)) return;
    const { socket, forward } = await this.#dial(endpointOf(url.origin));
    const session = this.#origins.includes(url.origin) ? '' : '|cookie$';
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
    relay(onward, response, (answer) => this.#hosts.read(answer));
    onward.end(body);
  }

  /** WebSockets. To other origins they are uncompressed and searched frame by frame. */
  #upgrade(request: IncomingMessage, browser: Duplex, head: Buffer): void {
    const tunnel = this.#tunnels.get(browser);
    if (!tunnel) return void browser.destroy();
    const { origin, socket } = tunnel;
    const target = request.url ?? '/';
    if (!this.#lets(request, origin, target, Buffer.alloc(0))) return;
    const own = this.#scanner.isOwn(origin);
    const headers = without(request.rawHeaders, (name) => !own && name === 'sec-websocket-extensions');
    const lines = [`${request.method} ${target} HTTP/1.1`];
    for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
    socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
    if (head.length > 0) browser.unshift(head);
    socket.pipe(browser);
    if (own) browser.pipe(socket);
    else {
      const guard = new WebSocketGuard((data) => this.#scanner.isInData(data));
      this.#remember({
        origin,
        target: '',
        headers: [],
        get body() {
          return guard.said;
        },
      });
      guard.once('error', () => {
        this.#stop(origin, 'frame', true);
        browser.destroy();
      });
      browser.pipe(guard).pipe(socket);
    }
  }
}

export const openGateway = async (settings: KeyPageSettings, secrets: Secrets, limits: Limits): Promise<Gateway> => {
  const gateway = new GatewayServer(settings, secrets, limits, await identity());
  await gateway.listen();
  return gateway;
};
