import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Holding } from './holding.js';
import { WebSocketGuard } from './relay.js';
import { namedHosts, type Outgoing, type Secrets, type Stopped, secretScanner } from './secrets.js';

/** Number of the latest requests to other origins that are kept, and bytes of each body. */
const maxKept = 1_000;
const maxKeptBytes = 16 * 1024;
const maxReported = 20;

/** Pages do not see answers to requests without CORS, except scripts and styles. */
const isFelt = ({ headers }: IncomingMessage): boolean =>
  headers['sec-fetch-mode'] !== 'no-cors' || /^(script|style)$/.test(String(headers['sec-fetch-dest']));

/**
 * Decides what the browser may send, and notes what it may not: a secret goes to no other origin.
 */
export class LeakGuard {
  readonly #secrets: Secrets;
  readonly #origins: readonly string[];
  readonly #hosts = namedHosts();
  readonly #scanner: ReturnType<typeof secretScanner>;
  readonly #stopped: Stopped[] = [];
  /** Requests to other origins. A key in them may be recognised later. */
  readonly #sent: Outgoing[] = [];
  /** Reads the hosts that an answer names. */
  readonly readHosts = this.#hosts.read;

  /** @param origins the page's own */
  constructor(secrets: Secrets, origins: readonly string[]) {
    this.#secrets = secrets;
    this.#origins = origins;
    this.#scanner = secretScanner(secrets, origins);
  }

  get stopped(): readonly Stopped[] {
    return this.#stopped;
  }

  sentKeysTo(): readonly string[] {
    return [...new Set(this.#sent.filter(this.#scanner.carriedKey).map(({ origin }) => origin))];
  }

  markPasswordsTyped(passwords: readonly string[]): void {
    this.#secrets.markTyped(passwords);
  }

  isOwn(origin: string): boolean {
    return this.#scanner.isOwn(origin);
  }

  isInUrl(text: string): boolean {
    return this.#scanner.isInUrl(text);
  }

  /**
   * Whether a host may be asked, by its name alone. Once the page knows a secret, a host that is
   * not the page's own has to be named by a server first. Sites that differ only in the first label
   * may belong to others.
   */
  letsHost(origin: string, authority: string): boolean {
    const { hostname } = new URL(origin);
    const own = this.#origins.some((one) => new URL(one).hostname === hostname);
    if (!this.#secrets.areKnown) this.#hosts.add(origin);
    const where = this.isInUrl(authority) ? 'host' : own || this.#hosts.has(origin) ? undefined : 'name';
    if (where) this.#stop(origin, where, true);
    return where === undefined;
  }

  /** Whether a request may be sent. If not, its connection is closed, without an answer. */
  lets(request: IncomingMessage, origin: string, target: string, body: Buffer | undefined): boolean {
    const isOwn = this.isOwn(origin);
    if (isOwn && request.headers.authorization !== undefined) this.#secrets.markTyped();
    const outgoing = body && { origin, target, headers: request.rawHeaders, body };
    const where = outgoing ? this.#scanner.secretIn(outgoing) : 'unseen';
    if (outgoing && where === undefined) {
      if (!isOwn) this.#remember({ ...outgoing, body: Buffer.from(outgoing.body.subarray(0, maxKeptBytes)) });
      return true;
    }
    this.#stop(origin, where ?? 'unseen', isFelt(request));
    request.socket.destroy();
    return false;
  }

  /** Passes on the WebSocket frames that may be sent. One that may not closes the connection. */
  frames(origin: string, holding: Holding, browser: Duplex): WebSocketGuard {
    const isOwn = this.isOwn(origin);
    const guard = new WebSocketGuard(isOwn ? () => false : this.#scanner.isInData, holding.framesTo(origin));
    if (!isOwn)
      this.#remember({
        origin,
        target: '',
        headers: [],
        get body() {
          return guard.said;
        },
      });
    guard.once('error', () => {
      if (!isOwn) this.#stop(origin, 'frame', true);
      browser.destroy();
    });
    return guard;
  }

  #remember(outgoing: Outgoing): void {
    this.#sent.push(outgoing);
    if (this.#sent.length > maxKept) this.#sent.shift();
  }

  #stop(origin: string, where: Stopped['where'], felt: boolean): void {
    if (this.#stopped.length >= maxReported) return;
    if (this.#stopped.every((known) => known.origin !== origin || known.where !== where || known.felt !== felt))
      this.#stopped.push({ origin, where, felt });
  }
}
