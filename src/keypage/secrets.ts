import type { KeyPageInput, Opens } from './input.js';

/** The secrets of one walk: each is learnt by the report's redaction before it can get anywhere, and is a label afterwards. */
export class Secrets {
  readonly #input: KeyPageInput;
  readonly #labels = new Map<string, string>();
  #keys = 0;

  constructor(input: KeyPageInput) {
    this.#input = input;
    const { password, withoutKey } = input.settings;
    if (password) this.add(password, '<WEB_PASSWORD>');
    if (withoutKey?.password) this.add(withoutKey.password, '<WEB_PASSWORD_WITHOUT_KEY>');
  }

  add(secret: string, placeholder: string): void {
    if (this.#labels.has(secret)) return;
    this.#labels.set(secret, placeholder);
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

  /** Whether a text carries one of the secrets, as it is or as a form or URL writes it. */
  areIn(text: string): boolean {
    return [...this.#labels.keys()].some((secret) =>
      [
        secret,
        encodeURIComponent(secret),
        new URLSearchParams({ s: secret }).toString().slice(2),
        JSON.stringify(secret).slice(1, -1),
      ].some((form) => text.includes(form)),
    );
  }

  redact(text: string): string {
    return this.#input.redact(text);
  }
}
