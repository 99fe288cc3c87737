import type { IncomingMessage } from 'node:http';
import type { KeyPageOpens } from '../rules/key-page/record.js';
import { KeyRing } from '../wire/keyring.js';
import type { KeyPageInput } from './input.js';
import { keyLikeIn } from './key-candidates.js';

const noKeys = (secrets: readonly string[] = []): KeyRing => new KeyRing({ keys: {}, secrets });

/** Whether a text contains a secret of the ring, in any form that is redacted. */
const holds = (ring: Pick<KeyRing, 'redact'>, text: string): boolean => ring.redact(text) !== text;

/** The secrets of one visit. The redaction learns each one before it is used. */
export class Secrets {
  readonly #input: KeyPageInput;
  readonly #labels = new Map<string, string>();
  /** Finds them in every form that the wire client knows. */
  readonly #ring = noKeys();
  /** Passwords that were not typed yet, so that no page can know them. */
  readonly #untyped = new Map<string, KeyRing>();
  /** All the others: keys, and passwords that were typed. */
  readonly #known = noKeys();
  readonly #passwords: KeyRing;
  readonly #accepted = noKeys();
  #keys = 0;
  /** A page knows one of the secrets. */
  areKnown = false;

  constructor(input: KeyPageInput) {
    this.#input = input;
    const { password, withoutKey } = input.settings;
    this.#passwords = noKeys([password, withoutKey?.password].flatMap((one) => one || []));
    this.#addPassword(password, '<WEB_PASSWORD>');
    this.#addPassword(withoutKey?.password, '<WEB_PASSWORD_WITHOUT_KEY>');
  }

  #add(secret: string, placeholder: string): void {
    this.#labels.set(secret, placeholder);
    this.#ring.learn(secret, placeholder);
    this.#input.learn(secret, placeholder);
  }

  #addPassword(password: string | undefined, placeholder: string): void {
    if (password === undefined || password === '' || this.#labels.has(password)) return;
    this.#add(password, placeholder);
    this.#untyped.set(password, noKeys([password]));
  }

  /** The placeholder of a key, numbered in order of appearance. */
  label(key: string): string {
    const known = this.#labels.get(key);
    if (known === undefined) {
      this.#keys += 1;
      this.#add(key, `<KEY_PAGE_KEY_${this.#keys}>`);
      this.#known.learn(key, `<KEY_PAGE_KEY_${this.#keys}>`);
      this.areKnown = true;
    }
    return this.#labels.get(key) ?? '';
  }

  async opens(key: string): Promise<KeyPageOpens> {
    const placeholder = this.label(key);
    const opens = await this.#input.opens(key);
    if (opens === 'granted') this.#accepted.learn(key, placeholder);
    return opens;
  }

  holdsKey(text: string): boolean {
    return holds(this.#accepted, text);
  }

  /** Whether a text contains a password. Such a text is never tried as a key. */
  holdsPassword(text: string): boolean {
    return holds(this.#passwords, text);
  }

  /** The text without passwords, in any form that is redacted. */
  withoutPasswords(text: string): string {
    return this.#passwords.redact(text);
  }

  all(): string[] {
    return [...this.#labels.keys()];
  }

  /** Whether a text contains one of these secrets or of the run's, in any form that is redacted. */
  containedIn(text: string): boolean {
    return holds(this.#ring, text) || holds(this, text);
  }

  /** Marks these passwords, or all, as typed: from now on pages can know them. */
  markTyped(passwords: readonly string[] = [...this.#untyped.keys()]): void {
    this.areKnown = true;
    for (const password of passwords) if (this.#untyped.delete(password)) this.#known.learn(password, '<secret>');
  }

  /** Whether a text contains an untyped password by chance, and no key or other secret. */
  containedByChance(text: string): boolean {
    return (
      [...this.#untyped.values()].some((ring) => holds(ring, text)) &&
      !holds(this.#known, text) &&
      keyLikeIn(text).length === 0
    );
  }

  redact(text: string): string {
    return this.#input.redact(text);
  }
}

export interface Outgoing {
  /** `https://host:port`, the port only where it is not the scheme's own. */
  readonly origin: string;
  readonly target: string;
  /** Names and values alternating. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** A request that was stopped because it carried a secret, or could have carried one unseen. */
export interface Stopped {
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

/** @param own origins that may get a secret; only https ones are used */
export const secretScanner = (secrets: Secrets, own: readonly string[]) => {
  /**
   * Beginnings of URLs whose last part contained a password before it was typed: by chance, and in
   * this place alone.
   */
  const byChance = new Set<string>();

  const isOwn = (origin: string): boolean => origin.startsWith('https:') && own.includes(origin);

  const isInUrl = (url: string): boolean => {
    let beginning = '';
    const parts = componentsOf(url).filter((part) => {
      beginning += part;
      if (secrets.containedByChance(part)) byChance.add(beginning);
      return !byChance.has(beginning);
    });
    return secrets.containedIn(parts.join(''));
  };

  const isInData = (data: Buffer): boolean => decodedBodies(data).some((text) => secrets.containedIn(text));

  return {
    isOwn,
    isInUrl,
    isInData,
    /** Where a request carries a secret that it may not carry. Own origins get none in a URL. */
    secretIn: ({ origin, target, headers, body }: Outgoing): 'url' | 'header' | 'body' | undefined => {
      if (isInUrl(`${origin}${target}`)) return 'url';
      if (isOwn(origin)) return undefined;
      if (headerValues(headers).some(isInUrl)) return 'header';
      return isInData(body) ? 'body' : undefined;
    },
    /** Whether a request that was sent carries a key that is known by now. */
    carriedKey: ({ origin, target, headers, body }: Outgoing): boolean =>
      [`${origin}${target}`, ...headerValues(headers), ...decodedBodies(body)].some((text) => secrets.holdsKey(text)),
  };
};

/** Names and addresses of hosts, with a port if one follows. */
const hostNames = /((?:[a-z\d_-]{1,63}\.)+[a-z\d-]{1,63}|localhost|\[[\da-f:.]{2,45}\])(:\d{1,5})?/gi;

/** Characters kept of the last piece of a body, since a name may be split. */
const maxName = 260;

/**
 * Hosts whose names stood in what servers sent. A script can put a secret into a name that it makes
 * up, in any spelling, and the look-up of the name gives it away.
 */
export const namedHosts = () => {
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
