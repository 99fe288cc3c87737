import net from 'node:net';
import tls from 'node:tls';
import {
  authorityOf,
  createAddressFamilies,
  createAddressGuard,
  type Endpoint,
  endpointOf,
  type FamilyEndpoint,
  type FixedAddresses,
  familyTimeoutMs,
  fixedAt,
} from './addresses.js';
import { brokenOff, failureOf, isDefect, type Phase, ProxyFailure, WireFailure, withinTimeout } from './failure.js';
import { bypassesProxy, type ForwardProxy, openTunnel, type ProxySettings, parseProxy } from './proxy.js';
import { deadline } from './time-limits.js';
import { certificateMessage, createTlsReader, secureContextFor, type TlsIdentity } from './tls-facts.js';
import type { AddressFamily, TlsFacts } from './types.js';

export interface DialledConnection {
  readonly socket: net.Socket;
  readonly tls?: TlsFacts;
  /** Remote address and port; those of the proxy if there is one. */
  readonly address?: string;
  /** The connection goes through a proxy. */
  readonly proxy?: true;
  /** Milliseconds. */
  readonly timing: { readonly connect: number; readonly tls?: number };
  /** Set for plain HTTP through a proxy: targets are absolute, with this Proxy-Authorization. */
  readonly forward?: { readonly authorization?: string };
}

export interface DialOptions extends TlsIdentity {
  readonly insecureTls: boolean;
  /** Milliseconds for connecting (with TLS), for headers and for the body, each. */
  readonly timeoutMs: number;
  /** Whether `timeoutMs` is not TIMEOUT_MS, so that failures do not name that setting. */
  readonly hasOwnTimeout?: boolean;
  readonly resolve: FixedAddresses;
  readonly proxy?: ProxySettings | undefined;
  /** The target. Plain HTTP to its TLS port also uses the tunnel. */
  readonly origin?: string;
  /**
   * Trusted origins. Any other origin came from a server, and must not lead into this machine's
   * networks. When absent, every origin is trusted.
   */
  readonly named?: readonly string[];
}

/** Options and callback of a connection attempt. */
interface DialHooks {
  /**
   * Protocols to offer. Where none is offered, the handshake names no host either, as that of a
   * load balancer that asks an address. It is repeated with the name if the server does not take
   * it.
   */
  readonly alpn: readonly string[];
  onSocket(socket: net.Socket): void;
}

/** Restrictions on the address. */
interface DialTarget {
  readonly family?: AddressFamily;
  /** Whether the address guard resolves the name. */
  readonly guarded?: boolean;
}

const msSince = (start: number): number => Math.round((performance.now() - start) * 100) / 100;

const waitFor = (socket: net.Socket, event: 'connect' | 'secureConnect', phase: Phase): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.once(event, () => resolve());
    socket.once('error', (error) => reject(failureOf(error, phase)));
    socket.once('close', () => reject(brokenOff()));
  });

/** SNI does not allow addresses (RFC 6066, section 3). */
const serverNameOf = (host: string): string => (net.isIP(host) ? '' : host);

/** An ALPN alert does not say which protocols were offered. */
const withAlpnAdvice = (failure: WireFailure, { alpn }: DialHooks): WireFailure =>
  failure.code === 'no-h2' && !alpn.includes('h2')
    ? new WireFailure('tls', 'the server does not speak HTTP/1.1, which is what this suite judges', failure.tls)
    : failure;

/** @param opened sockets of the attempt */
const tooLate = (proxy: ForwardProxy | undefined, opened: readonly net.Socket[], inTime: string): WireFailure => {
  if (proxy) return new ProxyFailure(`the proxy ${authorityOf(proxy)} gave no connection ${inTime}`);
  const isTaken = opened.some(({ connecting }) => !connecting);
  return new WireFailure(
    'connect-timeout',
    isTaken ? `the connection is taken, and no TLS handshake ends ${inTime}` : `no connection ${inTime}`,
  );
};

const hasFamily = (place: Endpoint): place is Endpoint & FamilyEndpoint => place.family !== undefined;

/** Opens connections: name resolution, proxy, TLS, certificate. */
export class Dialler {
  readonly #options: DialOptions;
  readonly #readTls = createTlsReader();
  readonly #families: ReturnType<typeof createAddressFamilies>;
  #context: tls.SecureContext | undefined;
  readonly #guard: ReturnType<typeof createAddressGuard>;
  readonly #target: Endpoint | undefined;

  constructor(options: DialOptions) {
    this.#options = options;
    this.#families = createAddressFamilies(options.resolve);
    this.#guard = createAddressGuard(options.named?.map(endpointOf), options.resolve);
    this.#target = options.origin === undefined ? undefined : endpointOf(options.origin);
  }

  /** @throws WireFailure */
  async dial(place: Endpoint, hooks: DialHooks): Promise<DialledConnection> {
    if (place.scheme === 'http' || hooks.alpn.length > 0) return this.#dialWithin(place, hooks);
    try {
      return await this.#dialWithin(place, hooks, this.#options.timeoutMs / 4);
    } catch (error) {
      if (isDefect(error)) throw error;
      return this.#dialWithin(place, { ...hooks, alpn: ['http/1.1'] });
    }
  }

  async #tcp(host: string, port: number, hooks: DialHooks, how: DialTarget = {}): Promise<net.Socket> {
    const { family, guarded = false } = how;
    const ofFamily = family === undefined ? undefined : await this.#families.addressOf({ host, port, family });
    const [fixed] = fixedAt(this.#options.resolve, { host, port });
    const socket = net.connect({
      ...(guarded && ofFamily === undefined ? { lookup: this.#guard.lookup } : {}),
      host: ofFamily ?? fixed ?? host,
      port,
      noDelay: true,
      // Node's default of 250 ms per address is less than a round trip to a distant host.
      autoSelectFamilyAttemptTimeout: Math.max(250, Math.min(2000, Math.floor(this.#options.timeoutMs / 3))),
    });
    hooks.onSocket(socket);
    await waitFor(socket, 'connect', 'connect');
    return socket;
  }

  async #secure(
    socket: net.Socket,
    host: string,
    hooks: DialHooks,
    extra: tls.ConnectionOptions,
  ): Promise<{ secured: tls.TLSSocket; facts: TlsFacts }> {
    let checked: tls.PeerCertificate | undefined;
    const secured = tls.connect({
      socket,
      servername: serverNameOf(host),
      // `createTlsReader` verifies the certificate, so that its facts are known even if it is
      // invalid. Nothing is sent before.
      rejectUnauthorized: false,
      checkServerIdentity: (_host, certificate) => {
        checked = certificate;
        return undefined;
      },
      ...extra,
    });
    hooks.onSocket(secured);
    await waitFor(secured, 'secureConnect', 'tls');
    return { secured, facts: this.#readTls(secured, host, checked) };
  }

  #isTarget({ host, port }: Endpoint): boolean {
    return host === this.#target?.host && port === this.#target.port;
  }

  #usesTunnel(place: Endpoint): boolean {
    return place.scheme === 'https' || this.#isTarget(place);
  }

  #proxyFor(place: Endpoint): ForwardProxy | undefined {
    const { proxy } = this.#options;
    if (!proxy || bypassesProxy(proxy.noProxy, place.host, place.port)) return undefined;
    const url = this.#usesTunnel(place) ? proxy.url : proxy.httpUrl;
    return url ? parseProxy(url) : undefined;
  }

  async #toProxy(proxy: ForwardProxy, hooks: DialHooks): Promise<net.Socket> {
    const socket = await this.#tcp(proxy.host, proxy.port, hooks);
    if (!proxy.tls) return socket;
    const { secured, facts } = await this.#secure(socket, proxy.host, hooks, {});
    if (facts.authorized || this.#options.insecureTls) return secured;
    secured.destroy();
    throw new WireFailure('certificate', certificateMessage(facts, proxy.host));
  }

  /** Failures to reach the proxy are reported as failures of the proxy, not of the target. */
  async #throughProxy(proxy: ForwardProxy, place: Endpoint, hooks: DialHooks): Promise<net.Socket> {
    const socket = await this.#toProxy(proxy, hooks).catch((error: unknown) => {
      if (isDefect(error)) throw error;
      const { message } = failureOf(error, 'connect');
      throw new ProxyFailure(`the proxy ${authorityOf(proxy)} cannot be used: ${message}`);
    });
    if (this.#usesTunnel(place)) await openTunnel(socket, proxy, place);
    return socket;
  }

  async #open(place: Endpoint, hooks: DialHooks, progress: { atProxy?: ForwardProxy }): Promise<DialledConnection> {
    const start = performance.now();
    const proxy = this.#proxyFor(place);
    if (proxy && place.family !== undefined)
      throw new WireFailure('no-address', 'the proxy chooses the address of the host');
    if (proxy) progress.atProxy = proxy;
    this.#guard.check(place);
    const guarded = !this.#guard.isNamed(place);
    const socket = proxy
      ? await this.#throughProxy(proxy, place, hooks)
      : await this.#tcp(place.host, place.port, hooks, { guarded, ...(place.family ? { family: place.family } : {}) });
    delete progress.atProxy;
    const address = socket.remoteAddress
      ? authorityOf({ host: socket.remoteAddress, port: socket.remotePort ?? 0 })
      : undefined;
    const at = { ...(address === undefined ? {} : { address }), ...(proxy ? { proxy: true as const } : {}) };
    const connect = msSince(start);
    if (place.scheme === 'http') {
      const forward =
        proxy &&
        !this.#usesTunnel(place) &&
        (proxy.authorization === undefined ? {} : { authorization: proxy.authorization });
      return { socket, ...at, timing: { connect }, ...(forward ? { forward } : {}) };
    }
    const handshake = performance.now();
    const { secured, facts } = await this.#handshake(socket, place.host, hooks);
    if (!proxy && this.#isTarget(place)) this.#guard.addTargetAddress(socket.remoteAddress ?? '');
    return { socket: secured, ...at, tls: facts, timing: { connect, tls: msSince(handshake) } };
  }

  async #handshake(socket: net.Socket, host: string, hooks: DialHooks) {
    this.#context ??= secureContextFor(this.#options);
    const { secured, facts } = await this.#secure(socket, host, hooks, {
      secureContext: this.#context,
      ...(hooks.alpn.length > 0 ? { ALPNProtocols: [...hooks.alpn] } : { servername: '' }),
    });
    if (facts.authorized || this.#options.insecureTls) return { secured, facts };
    secured.destroy();
    throw new WireFailure('certificate', certificateMessage(facts, host), facts);
  }

  async #dialWithin(place: Endpoint, hooks: DialHooks, atMostMs = this.#options.timeoutMs): Promise<DialledConnection> {
    const opened: net.Socket[] = [];
    const progress: { atProxy?: ForwardProxy } = {};
    const longest = hasFamily(place) ? Math.min(atMostMs, familyTimeoutMs) : atMostMs;
    const inTime =
      this.#options.hasOwnTimeout || longest < this.#options.timeoutMs
        ? `within ${longest} ms`
        : withinTimeout(longest);
    let cancelDeadline = (): void => undefined;
    const late = new Promise<never>((_resolve, reject) => {
      cancelDeadline = deadline(longest, () => reject(tooLate(progress.atProxy, opened, inTime)));
    });
    try {
      return await Promise.race([
        late,
        this.#open(
          place,
          {
            ...hooks,
            onSocket: (socket) => {
              // Errors are handled on `close`.
              socket.on('error', () => undefined);
              opened.push(socket);
              hooks.onSocket(socket);
            },
          },
          progress,
        ),
      ]);
    } catch (error) {
      for (const socket of opened) socket.destroy();
      if (isDefect(error)) throw error;
      const failure = withAlpnAdvice(failureOf(error, 'connect'), hooks);
      throw hasFamily(place) ? this.#families.failed(place, failure) : failure;
    } finally {
      cancelDeadline();
    }
  }
}
