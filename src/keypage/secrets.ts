import type { Opens } from '../rules/key-page/record.js';
import { createKeyRing, type KeyRing } from '../wire/keyring.js';
import { keyLikeIn } from './candidates.js';
import type { KeyPageInput } from './input.js';

/** The secrets of one walk: each is learnt by the report's redaction before it can get anywhere, and is a label afterwards. */
export class Secrets {
  readonly #input: KeyPageInput;
  readonly #labels = new Map<string, string>();
  /** Knows them in every spelling that the wire client knows. */
  readonly #ring = createKeyRing({ keys: {} });
  /** Passwords that no page can know by now, each in all its spellings: none was typed yet. */
  readonly #untyped = new Map<string, KeyRing>();
  /** All the others: keys, and passwords that were typed. */
  readonly #known = createKeyRing({ keys: {} });
  #keys = 0;

  constructor(input: KeyPageInput) {
    this.#input = input;
    const { password, withoutKey } = input.settings;
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
    this.#untyped.set(password, createKeyRing({ keys: {}, secrets: [password] }));
  }

  /** `key 1`, `key 2`… in the order in which keys were met. */
  label(key: string): string {
    const known = this.#labels.get(key);
    if (known === undefined) {
      this.#keys += 1;
      this.#add(key, `<KEY_PAGE_KEY_${this.#keys}>`);
      this.#known.learn(key, `<KEY_PAGE_KEY_${this.#keys}>`);
    }
    return this.#labels.get(key) ?? '';
  }

  /** Asks the API about a key. */
  async opens(key: string): Promise<Opens> {
    this.label(key);
    return this.#input.opens(key);
  }

  all(): string[] {
    return [...this.#labels.keys()];
  }

  /** Whether a text carries one of the secrets, or one of the run's: in any spelling that is kept out of reports. */
  areIn(text: string): boolean {
    return this.#ring.redact(text) !== text || this.redact(text) !== text;
  }

  /** From here on pages can know these passwords; all of them, where none is named. */
  areOut(passwords: readonly string[] = [...this.#untyped.keys()]): void {
    for (const password of passwords) if (this.#untyped.delete(password)) this.#known.learn(password, '<secret>');
  }

  /** Whether a text carries a password by chance: one that no page knows, in a text that is no key and carries no other secret. */
  areInByChance(text: string): boolean {
    return (
      [...this.#untyped.values()].some((ring) => ring.redact(text) !== text) &&
      this.#known.redact(text) === text &&
      keyLikeIn(text).length === 0
    );
  }

  redact(text: string): string {
    return this.#input.redact(text);
  }
}
