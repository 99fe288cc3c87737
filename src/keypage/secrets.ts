import { createKeyRing, type KeyRing } from '../wire/keyring.js';
import type { KeyPageInput, Opens } from './input.js';

/** The secrets of one walk: each is learnt by the report's redaction before it can get anywhere, and is a label afterwards. */
export class Secrets {
  readonly #input: KeyPageInput;
  readonly #labels = new Map<string, string>();
  /** Knows them in every spelling that the wire client knows. */
  readonly #ring = createKeyRing({ keys: {} });
  readonly #password: KeyRing | undefined;
  #keys = 0;

  constructor(input: KeyPageInput) {
    this.#input = input;
    const { password } = input.settings;
    if (password) {
      this.add(password, '<WEB_PASSWORD>');
      this.#password = createKeyRing({ keys: {}, secrets: [password] });
    }
  }

  add(secret: string, placeholder: string): void {
    if (this.#labels.has(secret)) return;
    this.#labels.set(secret, placeholder);
    this.#ring.learn(secret, placeholder);
    this.#input.learn(secret, placeholder);
  }

  /** `key 1`, `key 2`… in the order in which keys were met. */
  label(key: string): string {
    const known = this.#labels.get(key);
    if (known === undefined) {
      this.#keys += 1;
      this.add(key, `<KEY_PAGE_KEY_${this.#keys}>`);
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

  passwordIsIn(text: string): boolean {
    return this.#password !== undefined && this.#password.redact(text) !== text;
  }

  redact(text: string): string {
    return this.#input.redact(text);
  }
}
