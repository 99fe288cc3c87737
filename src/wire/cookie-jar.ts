import { cookiesOf, cookieValuesOf, sessionSecrets, setsCookies } from './cookies.js';
import type { KeyRing } from './keyring.js';
import { cookiePlaceholder, visitorPlaceholder } from './probe-safety.js';

/** The cookies of the target, separately for responses to requests with and without the key. */
export class CookieJar {
  readonly #keys: KeyRing;
  readonly #keyed = new Map<string, string>();
  readonly #visitors = new Map<string, string>();

  constructor(keys: KeyRing) {
    this.#keys = keys;
  }

  /** Stores the cookies that a response sets. */
  store(rawHeaders: readonly string[], keyed: boolean): void {
    if (!setsCookies(rawHeaders)) return;
    const cookies = keyed ? this.#keyed : this.#visitors;
    for (const [name, value] of cookiesOf(rawHeaders)) cookies.set(name, value);
  }

  /** Redacts the cookies of a response from now on. */
  hide(rawHeaders: readonly string[]): void {
    if (!setsCookies(rawHeaders)) return;
    for (const value of cookieValuesOf(rawHeaders))
      for (const secret of sessionSecrets(value)) this.#keys.hideCookie(secret);
  }

  /** Replaces the cookie placeholders in a template. */
  fill(template: string): string {
    return this.#replace(this.#replace(template, cookiePlaceholder, this.#keyed), visitorPlaceholder, this.#visitors);
  }

  #replace(template: string, placeholder: string, cookies: ReadonlyMap<string, string>): string {
    if (!template.includes(placeholder)) return template;
    const all = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    for (const value of cookies.values()) if (sessionSecrets(value).length > 0) this.#keys.learn(value, '<cookie>');
    return template.replaceAll(placeholder, () => all);
  }
}
