import type { KeyPageOpens } from '../../rules/key-page/record.js';
import { KeyRing } from '../../wire/keyring.js';
import type { KeyPageInput } from '../input.js';
import { keyLikeIn } from '../reading/key-candidates.js';

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
