import { memoize } from '../collections.js';
import { createRedactor, createSecretSearch, type SecretSearch } from './redaction.js';
import { literalSpellings, type Secret, shortSpellingsOf, spellingsOf } from './secret-spellings.js';

/** Cache limits: half the number of short texts, and characters of a short text. */
const maxRemembered = 2_000;
const maxShortLength = 256;

/** Maximum number of redacted cookies; older ones are dropped. */
const maxCookies = 512;

/**
 * Some services set new cookies with each answer. Of sent ones, older ones are redacted literally.
 */
const sentCookieLimits = { together: 16, most: 64 };

const searchFor = (secrets: readonly Secret[]): SecretSearch =>
  createSecretSearch(secrets.flatMap(spellingsOf), secrets.flatMap(shortSpellingsOf));

const literalsOf = (secrets: readonly Secret[]) => secrets.toReversed().flatMap(literalSpellings);

const redactorOf = (secrets: readonly Secret[]) => createRedactor(searchFor(secrets), new Map(literalsOf(secrets)));

interface SecretGroup {
  readonly secrets: readonly Secret[];
  redact?: (text: string) => string;
}

interface GroupLimits {
  /** Maximum number of secrets in one group, if a power of two. */
  readonly together?: number;
  /** Maximum number of all secrets. The oldest are dropped. */
  readonly most?: number;
}

/**
 * Groups of secrets whose sizes are powers of two, and distinct below `together`, so that few
 * redactors are rebuilt for each new secret.
 */
const createSecretGroups = (
  redactorOf: (secrets: readonly Secret[]) => (text: string) => string,
  { together = Number.POSITIVE_INFINITY, most = Number.POSITIVE_INFINITY }: GroupLimits = {},
) => {
  const groups: SecretGroup[] = [];
  const all = (): readonly Secret[] => groups.flatMap(({ secrets }) => secrets);

  const merged = (secrets: readonly Secret[]): readonly Secret[] => {
    const last = groups.at(-1);
    if (last?.secrets.length !== secrets.length || secrets.length >= together) return secrets;
    groups.pop();
    return merged([...last.secrets, ...secrets]);
  };

  return {
    has: (value: string): boolean => all().some((secret) => secret.value === value),
    /** Returns the secrets that are dropped. */
    add: (secret: Secret): readonly Secret[] => {
      groups.push({ secrets: merged([secret]) });
      const dropped: Secret[] = [];
      while (all().length > most) dropped.push(...(groups.shift()?.secrets ?? []));
      return dropped;
    },
    redact: (text: string): string => {
      let safe = text;
      for (const group of groups) {
        group.redact ??= redactorOf(group.secrets);
        safe = group.redact(safe);
      }
      return safe;
    },
  };
};

/** The secrets of a run, which it redacts. */
export class KnownSecrets {
  readonly #known: Secret[];
  /** Random keys, with their placeholders. They are redacted literally. */
  readonly #invented = new Map<string, string>();
  /** Keys that were added later. */
  readonly #later = createSecretGroups(redactorOf);
  readonly #sentCookies = createSecretGroups(redactorOf, sentCookieLimits);
  /** Cookies that are redacted literally. */
  readonly #hidden = new Set<string>();
  #search: SecretSearch | undefined;
  #redactor: ((text: string) => string) | undefined;
  #version = 0;
  #size: number;
  /** The version since which only literal cookies were added. */
  #searchedSince = 0;
  /** Memoized, since runs repeat the same targets and fields. */
  readonly #redactShort = memoize((text: string) => this.#redactSearched(text), maxRemembered);

  constructor(known: readonly Secret[]) {
    this.#known = [...known];
    this.#size = known.length;
  }

  /** Number of secrets, without cookies. */
  get size(): number {
    return this.#size;
  }

  /** Changes whenever `redact` may return other results. */
  get version(): number {
    return this.#version;
  }

  /**
   * Replaces every key in a text by its placeholder, in every spelling that a server is likely to
   * return. Withholds the whole text if it may contain a key in another way.
   */
  redact(text: string): string {
    let safe = text.length > maxShortLength ? this.#redactSearched(text) : this.#redactShort(text);
    for (const cookie of this.#hidden) if (safe.includes(cookie)) safe = safe.replaceAll(cookie, '<cookie>');
    return safe;
  }

  /** Whether a text that was redacted at a version would still be returned as it is. */
  isStillSafe(text: string, since: number): boolean {
    return since >= this.#searchedSince
      ? ![...this.#hidden].some((cookie) => text.includes(cookie))
      : this.redact(text) === text;
  }

  protected add(secret: Secret): void {
    if (secret.value === '' || this.#knows(secret)) return;
    this.#known.push(secret);
    this.#size += 1;
    this.#search = undefined;
    this.#redactor = undefined;
    this.invalidate();
  }

  /** Adds a secret of which there may be many, without a new search for all. */
  protected addLater(secret: Secret): void {
    if (secret.value === '' || this.#knows(secret) || this.#later.has(secret.value)) return;
    this.#later.add(secret);
    this.#size += 1;
    this.invalidate();
  }

  protected addInvented(key: string, placeholder: string): void {
    this.#invented.set(key, placeholder);
    this.#redactor = undefined;
    this.invalidate();
  }

  /** Redacts a cookie literally from now on; cheap, since every response may set one. */
  hideCookie(cookie: string): void {
    if (!this.#hidden.delete(cookie)) this.#version += 1;
    this.#hidden.add(cookie);
    const [oldest] = this.#hidden;
    if (this.#hidden.size > maxCookies && oldest !== undefined) this.#hidden.delete(oldest);
  }

  /** Redacts a cookie that is sent in every spelling: the server may return it. */
  sendCookie(cookie: string): void {
    if (this.#sentCookies.has(cookie)) return;
    for (const { value } of this.#sentCookies.add({ value: cookie, placeholder: '<cookie>' })) this.hideCookie(value);
    this.invalidate();
  }

  /** Everything that depends on `version` is to be made anew. */
  protected invalidate(): void {
    this.#version += 1;
    this.#searchedSince = this.#version;
    this.#redactShort.forget();
  }

  /** Builds the search for secrets, for which the first text would have to wait. */
  prepare(): void {
    this.#redactSearched('');
  }

  #redactSearched(text: string): string {
    this.#search ??= searchFor(this.#known);
    this.#redactor ??= createRedactor(this.#search, new Map([...literalsOf(this.#known), ...this.#invented]));
    return this.#sentCookies.redact(this.#later.redact(this.#redactor(text)));
  }

  #knows({ value }: Secret): boolean {
    return this.#known.some((each) => each.value === value);
  }
}
