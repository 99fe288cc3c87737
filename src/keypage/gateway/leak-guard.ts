import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Holding } from './holding.js';
import { unpacked } from './packed.js';
import { WebSocketGuard } from './relay.js';
import type { Secrets } from './secrets.js';

/** Names and addresses of hosts, with a port if one follows. */
const hostNames = /((?:[a-z\d_-]{1,63}\.)+[a-z\d-]{1,63}|localhost|\[[\da-f:.]{2,45}\])(:\d{1,5})?/gi;

/** Characters kept of the last piece of a body, since a name may be split. */
const maxName = 260;

/**
 * Hosts whose names stood in what servers sent. A script can put a secret into a name that it makes
 * up, in any spelling, and the look-up of the name gives it away.
 */
const namedHosts = () => {
  const names = new Set<string>();
  const note = (text: string): void => {
    for (const [name] of text.matchAll(hostNames)) names.add(name.toLowerCase());
  };
  return {
    /** Notes the hosts that an answer names, in its fields and in a body of text. */
    read: (answer: IncomingMessage): void => {
      note(answer.rawHeaders.join('\n'));
      if (!/text|json|script|xml/i.test(answer.headers['content-type'] ?? '')) return;
      let rest = '';
      answer.on('data', (chunk: Buffer) => {
        const text = rest + chunk.toString('latin1');
        note(text);
        rest = text.slice(-maxName);
      });
    },
    /** Whether the host of an origin was named, or asked when no secret was known. */
    has: (origin: string): boolean => names.has(new URL(origin).host),
    /** Notes an origin that was asked when no secret was known. */
    add: (origin: string): void => void names.add(new URL(origin).host),
  };
};

interface Outgoing {
  /** `https://host:port`, the port only where it is not the scheme's own. */
  readonly origin: string;
  readonly target: string;
  /** Names and values alternating. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** A request that was stopped because it carried a secret, or could have carried one unseen. */
interface Stopped {
  readonly origin: string;
  /** `name`: a host whose name no server gave. */
  readonly where: 'host' | 'name' | 'url' | 'header' | 'body' | 'frame' | 'unseen';
  /** The page can notice it. What the page shows afterwards may be due to the stopped request. */
  readonly felt: boolean;
}

const places: Readonly<Record<Exclude<Stopped['where'], 'host' | 'name' | 'unseen'>, string>> = {
  url: 'in the URL',
  header: 'in a header field',
  body: 'in the body of a request',
  frame: 'in a WebSocket',
};

/** For a request to another origin that was sent before its key was known. */
export const sentenceOfSent = (origin: string): string =>
  `The page sent a key to ${origin} before the suite could know it for a key.`;

/** A sentence for the report. */
export const sentenceOf = ({ origin, where }: Stopped): string => {
  if (where === 'host')
    return 'The page tried to send a password or a key in the name of a host; the suite stopped it.';
  if (where === 'name')
    return 'The page made up the name of a host when it knew a password or a key; the suite stopped it.';
  if (where === 'unseen')
    return `The page tried to send to ${origin} more than can be searched for a password or a key; the suite stopped it.`;
  return `The page tried to send a password or a key to ${origin} ${places[where]}; the suite stopped it.`;
};

/** Segments of a path, names and values of a query, with what stands between them. */
const componentsOf = (url: string): string[] => url.split(/([/?&=;#])/);

/** A body in each of the encodings in which a page can write one. */
const decodedBodies = (body: Buffer): string[] => {
  if (body.length === 0) return [];
  const swapped = Buffer.from(body.subarray(body.length % 2)).swap16();
  return [body.toString('utf8'), body.toString('latin1'), body.toString('utf16le'), swapped.toString('utf16le')];
};

const headerValues = (headers: readonly string[]): string[] => headers.filter((_part, index) => index % 2 === 1);

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
  readonly #stopped: Stopped[] = [];
  /** Requests to other origins. A key in them may be recognised later. */
  readonly #sent: Outgoing[] = [];
  /**
   * Beginnings of URLs whose last part contained a password before it was typed: by chance, and in
   * this place alone.
   */
  readonly #byChance = new Set<string>();
  readonly readHosts = this.#hosts.read;

  /** @param origins the page's own. Those with TLS may get a secret */
  constructor(secrets: Secrets, origins: readonly string[]) {
    this.#secrets = secrets;
    this.#origins = origins;
  }

  get stopped(): readonly Stopped[] {
    return this.#stopped;
  }

  /** Other origins that were sent a key that was not known then. */
  sentKeysTo(): readonly string[] {
    const textsOf = ({ origin, target, headers, body }: Outgoing): string[] => [
      `${origin}${target}`,
      ...headerValues(headers),
      ...[body, ...(unpacked(body) ?? [])].flatMap(decodedBodies),
    ];
    const carriesKey = (one: Outgoing): boolean => textsOf(one).some((text) => this.#secrets.holdsKey(text));
    return [...new Set(this.#sent.filter(carriesKey).map(({ origin }) => origin))];
  }

  isOwn(origin: string): boolean {
    return origin.startsWith('https:') && this.#origins.includes(origin);
  }

  isInUrl(url: string): boolean {
    let beginning = '';
    const parts = componentsOf(url).filter((part) => {
      beginning += part;
      if (this.#secrets.containedByChance(part)) this.#byChance.add(beginning);
      return !this.#byChance.has(beginning);
    });
    return this.#secrets.containedIn(parts.join(''));
  }

  /** `unseen`: it may be in what was compressed, which is too much to be searched. */
  #secretInData(data: Buffer): 'body' | 'unseen' | undefined {
    const holds = (bytes: Buffer): boolean => decodedBodies(bytes).some((text) => this.#secrets.containedIn(text));
    if (holds(data)) return 'body';
    const parts = unpacked(data);
    if (parts === undefined) return 'unseen';
    return parts.some(holds) ? 'body' : undefined;
  }

  /** Where a request carries a secret that it may not carry. Own origins get none in a URL. */
  #secretIn({ origin, target, headers, body }: Outgoing): 'url' | 'header' | 'body' | 'unseen' | undefined {
    if (this.isInUrl(`${origin}${target}`)) return 'url';
    if (this.isOwn(origin)) return undefined;
    if (headerValues(headers).some((value) => this.isInUrl(value))) return 'header';
    return this.#secretInData(body);
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
    const where = outgoing ? this.#secretIn(outgoing) : 'unseen';
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
    const holdsSecret = (data: Buffer): boolean => !isOwn && this.#secretInData(data) !== undefined;
    const guard = new WebSocketGuard(holdsSecret, holding.framesTo(origin));
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
