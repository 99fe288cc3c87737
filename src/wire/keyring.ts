import { memoize } from '../collections.js';
import {
  derive,
  isKeyVariant,
  isRandomVariant,
  isSigned,
  type KeyVariant,
  keyVariants,
  mixesCase,
  randomHex,
  randomKey,
} from './key-variants.js';
import { KnownSecrets } from './known-secrets.js';
import { givesAway, occursIn, type Searched } from './secret-spellings.js';

/** Properties of a key that do not reveal it: what rules may know about it (`KeyTraits` there). */
const traitsOf = (key = '') => ({ mixesCase: mixesCase(key), signed: isSigned(key) });

/** Cache limit: half the number of templates. */
const maxRemembered = 2_000;

interface KeyRingOptions {
  /** Setting name (`API_KEY`, `API_KEY_<SCHEME>`) → key. */
  readonly keys: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  /** Makes random variants the same in every process of a run. */
  readonly seed?: string;
}

/** A template needs a key that was not given. */
export class MissingKeyError extends Error {
  override readonly name = 'MissingKeyError';
  readonly setting: string;
  constructor(setting: string) {
    super(`${setting} is not set, and a probe needs it`);
    this.setting = setting;
  }
}

/** A template names an unknown variant. */
export class UnknownKeyVariantError extends Error {
  override readonly name = 'UnknownKeyVariantError';
  constructor(form: string) {
    super(`no such form of a key: ${form} (forms: ${keyVariants.join(', ')})`);
  }
}

const none: readonly string[] = [];

const placeholders = /<([A-Z][A-Z0-9_]*)((?::[a-z0-9-]+)*)>/g;

const variantsOf = (suffix: string): KeyVariant[] =>
  suffix
    .split(':')
    .filter((form) => form !== '')
    .map((form) => {
      if (!isKeyVariant(form)) throw new UnknownKeyVariantError(form);
      return form;
    });

const ownerVariants: ReadonlySet<KeyVariant> = new Set(['appended', 'lower', 'upper', 'urlencoded', 'base64']);

const isReal = (key: string, form: KeyVariant): boolean =>
  ownerVariants.has(form) || (form === 'case-flipped' && !mixesCase(key));

/** Holds the keys. Only here do placeholders become keys, and keys placeholders. */
export class KeyRing extends KnownSecrets {
  readonly #given: Readonly<Record<string, string>>;
  readonly #seedBytes: Buffer<ArrayBuffer>;
  /** Keys by setting, with those that were learned. */
  readonly #values: Map<string, string>;
  /** Keys and their variants by placeholder. */
  readonly #filled = new Map<string, string>();
  /** Settings whose whole keys a template contains as placeholders. */
  readonly #wholeKeysIn = memoize(
    (template: string): readonly string[] =>
      [...template.matchAll(placeholders)].flatMap(([, setting = '', suffix = '']) => {
        const key = this.#values.get(setting);
        return key !== undefined && variantsOf(suffix).every((form) => isReal(key, form)) ? [setting] : [];
      }),
    maxRemembered,
  );

  constructor({ keys, secrets = [], seed = randomHex() }: KeyRingOptions) {
    const values = new Map(Object.entries(keys).filter(([, key]) => key !== ''));
    super([...values].map(([setting, value]) => ({ value, placeholder: `<${setting}>` })));
    this.#given = keys;
    this.#seedBytes = Buffer.from(seed);
    this.#values = values;
    for (const secret of secrets) this.add({ value: secret, placeholder: '<secret>' });
  }

  /**
   * Replaces placeholders by keys: `<API_KEY>`, `<API_KEY_FOO>`, `<API_KEY:VARIANT>`,
   * `<API_KEY:VARIANT:base64>`, and those passed to `learn`.
   * @throws MissingKeyError for a setting without a key (`random`, `random-2` and `long` need
   * none)
   */
  fill(template: string): string {
    return template.replace(placeholders, (whole, setting: string, suffix: string) =>
      this.#isKeySetting(setting) ? this.#made(whole, setting, variantsOf(suffix)) : whole,
    );
  }

  /**
   * Whether a server may accept a filled template as the key: it contains a whole key, possibly
   * encoded, in another case or with a suffix.
   */
  isRealKey(template: string): boolean {
    return this.realKeysIn(template).length > 0;
  }

  /** Settings of the keys for which `isRealKey` holds. */
  realKeysIn(template: string): readonly string[] {
    let found = template.includes('<') ? this.#wholeKeysIn(template) : none;
    for (const [setting, key] of this.#values) if (occursIn(key, template)) found = [...found, setting];
    return found;
  }

  /** Whether the template contains a given key, or a part or altered copy of one. */
  isMadeOfKey(template: string): boolean {
    return (
      template.includes('<') &&
      [...template.matchAll(placeholders)].some(
        ([, setting = '', suffix = '']) => this.#values.has(setting) && !variantsOf(suffix).some(isRandomVariant),
      )
    );
  }

  /** Whether an answer contains a whole key. */
  isGivenIn(answer: Searched): boolean {
    return [...this.#values].some(([setting, key]) => givesAway(key, `<${setting}>`, answer));
  }

  /** Whether a text is part of a key, such as its public prefix. */
  holds(text: string): boolean {
    return text !== '' && [...this.#values.values()].some((key) => key.includes(text));
  }

  traits(setting: string) {
    return traitsOf(this.#values.get(setting));
  }

  /** Whether another key has those traits of a setting's key on which the plan depends. */
  isAlike(setting: string, key: string): boolean {
    const [held, other] = [traitsOf(this.#values.get(setting)), traitsOf(key)];
    return held.mixesCase === other.mixesCase && held.signed === other.signed;
  }

  /** Replaces the key of a setting. The old key and its variants are still redacted. */
  replace(setting: string, key: string): void {
    if (key === '' || this.#values.get(setting) === key) return;
    this.#values.set(setting, key);
    this.#forget(setting);
    this.addLater({ value: key, placeholder: `<${setting}>` });
    this.invalidate();
  }

  /**
   * Redacts another secret.
   * @param placeholder such as `<PAGE_KEY>`, which can then be filled, or `<secret>`
   */
  learn(secret: string, placeholder: string): void {
    const [, setting] = /^<([A-Z][A-Z0-9_]*)>$/.exec(placeholder) ?? [];
    if (setting === undefined) this.addLater({ value: secret, placeholder });
    else this.add({ value: secret, placeholder });
    if (setting === undefined || secret === '' || setting in this.#given) return;
    for (const whole of [...this.#filled.keys()]) if (whole.startsWith(`<${setting}`)) this.#filled.delete(whole);
    this.#values.set(setting, secret);
    this.#wholeKeysIn.forget();
    this.invalidate();
  }

  /** Drops the cached variants of a setting's former key. Random keys stay the same. */
  #forget(setting: string): void {
    for (const whole of [...this.#filled.keys()]) {
      const [, name, form = ''] = /^<([A-Z0-9_]+):?([a-z0-9-]*)/.exec(whole) ?? [];
      if (name === setting && !(isKeyVariant(form) && isRandomVariant(form))) this.#filled.delete(whole);
    }
    this.#wholeKeysIn.forget();
  }

  #isKeySetting(setting: string): boolean {
    return this.#values.has(setting) || /^API_KEY(?:_|$)/.test(setting);
  }

  #made(whole: string, setting: string, forms: readonly KeyVariant[]): string {
    const before = this.#filled.get(whole);
    if (before !== undefined) return before;
    const present = this.#values.get(setting);
    const [first] = forms;
    if (present === undefined && !(first && isRandomVariant(first))) throw new MissingKeyError(setting);
    const key = forms.reduce(
      (text, form) => derive(text, form, this.#seedBytes, setting),
      present ?? randomKey(this.#seedBytes, setting),
    );
    this.#filled.set(whole, key);
    if (first && isRandomVariant(first)) {
      this.addInvented(key, whole);
    }
    return key;
  }
}
