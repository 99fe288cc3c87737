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
import { createRedactor, createSecretSearch, type SecretSearch } from './redaction.js';
import { createSecretGroups } from './secret-groups.js';
import {
  givesAway,
  literalSpellings,
  occursIn,
  type Searched,
  type Secret,
  shortSpellingsOf,
  spellingsOf,
} from './secret-spellings.js';

/** Properties of a key that do not reveal it: what rules may know about it (`KeyTraits` there). */
const traitsOf = (key = '') => ({ mixesCase: mixesCase(key), signed: isSigned(key) });

/** Cache limits: half the number of templates and short texts, and characters of a short text. */
const maxRemembered = 2_000;
const maxShortLength = 256;

/** Maximum number of redacted cookies; older ones are dropped. */
const maxCookies = 512;

/**
 * Some services set new cookies with each answer. Of sent ones, older ones are redacted literally.
 */
const sentCookieLimits = { together: 16, most: 64 };

export interface KeyRingOptions {
  /** Setting name (`API_KEY`, `API_KEY_<SCHEME>`) → key. */
  readonly keys: Readonly<Record<string, string>>;
  /** Other secrets, redacted as `<secret>`. */
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
export const createKeyRing = ({ keys, secrets = [], seed = randomHex() }: KeyRingOptions) => {
  const seedBytes = Buffer.from(seed);
  const values = new Map(Object.entries(keys).filter(([, key]) => key !== ''));
  const known: Secret[] = [...values].map(([setting, value]) => ({ value, placeholder: `<${setting}>` }));
  const invented = new Map<string, string>();
  const filled = new Map<string, string>();
  const hidden = new Set<string>();
  let search: SecretSearch | undefined;
  let redactor: ((text: string) => string) | undefined;
  let version = 0;
  /** The version since which only literal cookies were added. */
  let searchedSince = 0;

  const searchFor = (secrets: readonly Secret[]) =>
    createSecretSearch(secrets.flatMap(spellingsOf), secrets.flatMap(shortSpellingsOf));
  const literalsOf = (secrets: readonly Secret[]) => secrets.toReversed().flatMap(literalSpellings);

  const redactorOf = (secrets: readonly Secret[]) => createRedactor(searchFor(secrets), new Map(literalsOf(secrets)));
  /** Keys that were added later. */
  const replacements = createSecretGroups(redactorOf);
  const sentCookies = createSecretGroups(redactorOf, sentCookieLimits);

  const redactSearched = (text: string): string => {
    search ??= searchFor(known);
    redactor ??= createRedactor(search, new Map([...literalsOf(known), ...invented]));
    return sentCookies.redact(replacements.redact(redactor(text)));
  };
  /** Memoized, since runs repeat the same targets and fields. */
  const redactShort = memoize(redactSearched, maxRemembered);

  /**
   * Replaces every key in a text by its placeholder, in every spelling that a server is likely to
   * return. Withholds the whole text if it may contain a key in another way.
   */
  const redact = (text: string): string => {
    let safe = text.length > maxShortLength ? redactSearched(text) : redactShort(text);
    for (const cookie of hidden) if (safe.includes(cookie)) safe = safe.replaceAll(cookie, '<cookie>');
    return safe;
  };

  /** Invalidates cached redactions. */
  const change = (): void => {
    version += 1;
    searchedSince = version;
    redactShort.forget();
  };
  const renew = (): void => {
    redactor = undefined;
    change();
  };
  const add = (value: string, placeholder: string): void => {
    if (value === '' || known.some((secret) => secret.value === value)) return;
    known.push({ value, placeholder });
    search = undefined;
    renew();
  };
  for (const secret of secrets) add(secret, '<secret>');

  const addReplacement = (value: string, placeholder: string): void => {
    if (value === '' || known.some((each) => each.value === value) || replacements.has(value)) return;
    replacements.add({ value, placeholder });
    change();
  };

  /** Redacts a cookie literally from now on; cheap, since every response may set one. */
  const hideCookie = (cookie: string): void => {
    if (!hidden.delete(cookie)) version += 1;
    hidden.add(cookie);
    const [oldest] = hidden;
    if (hidden.size > maxCookies && oldest !== undefined) hidden.delete(oldest);
  };

  /** Drops the cached variants of a setting's former key. Random keys stay the same. */
  const forget = (setting: string): void => {
    for (const whole of [...filled.keys()]) {
      const [, name, form = ''] = /^<([A-Z0-9_]+):?([a-z0-9-]*)/.exec(whole) ?? [];
      if (name === setting && !(isKeyVariant(form) && isRandomVariant(form))) filled.delete(whole);
    }
    wholeKeysIn.forget();
  };

  const isKeySetting = (setting: string): boolean => values.has(setting) || /^API_KEY(?:_|$)/.test(setting);

  const made = (whole: string, setting: string, forms: readonly KeyVariant[]): string => {
    const before = filled.get(whole);
    if (before !== undefined) return before;
    const present = values.get(setting);
    const [first] = forms;
    if (present === undefined && !(first && isRandomVariant(first))) throw new MissingKeyError(setting);
    const key = forms.reduce(
      (text, form) => derive(text, form, seedBytes, setting),
      present ?? randomKey(seedBytes, setting),
    );
    filled.set(whole, key);
    if (first && isRandomVariant(first)) {
      invented.set(key, whole);
      renew();
    }
    return key;
  };

  /** Settings whose whole keys a template contains as placeholders. */
  const wholeKeysIn = memoize(
    (template: string): readonly string[] =>
      [...template.matchAll(placeholders)].flatMap(([, setting = '', suffix = '']) => {
        const key = values.get(setting);
        return key !== undefined && variantsOf(suffix).every((form) => isReal(key, form)) ? [setting] : [];
      }),
    maxRemembered,
  );

  /** Settings of the keys for which `isRealKey` holds. */
  const realKeysIn = (template: string): readonly string[] => {
    let found = template.includes('<') ? wholeKeysIn(template) : none;
    for (const [setting, key] of values) if (occursIn(key, template)) found = [...found, setting];
    return found;
  };

  return {
    /** Changes whenever `redact` may return other results. */
    get version(): number {
      return version;
    },
    /**
     * Replaces placeholders by keys: `<API_KEY>`, `<API_KEY_FOO>`, `<API_KEY:VARIANT>`,
     * `<API_KEY:VARIANT:base64>`, and those passed to `learn`.
     * @throws MissingKeyError for a setting without a key (`random`, `random-2` and `long` need
     * none)
     */
    fill: (template: string): string =>
      template.replace(placeholders, (whole, setting: string, suffix: string) =>
        isKeySetting(setting) ? made(whole, setting, variantsOf(suffix)) : whole,
      ),
    redact,
    /**
     * Whether a server may accept a filled template as the key: it contains a whole key, possibly
     * encoded, in another case or with a suffix.
     */
    isRealKey: (template: string): boolean => realKeysIn(template).length > 0,
    realKeysIn,
    /** Whether the template contains a given key, or a part or altered copy of one. */
    isMadeOfKey: (template: string): boolean =>
      template.includes('<') &&
      [...template.matchAll(placeholders)].some(
        ([, setting = '', suffix = '']) => values.has(setting) && !variantsOf(suffix).some(isRandomVariant),
      ),
    /** Whether an answer contains a whole key. */
    isGivenIn: (answer: Searched): boolean =>
      [...values].some(([setting, key]) => givesAway(key, `<${setting}>`, answer)),
    /** Whether a text is part of a key, such as its public prefix. */
    holds: (text: string): boolean => text !== '' && [...values.values()].some((key) => key.includes(text)),
    traits: (setting: string) => traitsOf(values.get(setting)),
    /** Whether another key has those traits of a setting's key on which the plan depends. */
    isAlike: (setting: string, key: string): boolean => {
      const [held, other] = [traitsOf(values.get(setting)), traitsOf(key)];
      return held.mixesCase === other.mixesCase && held.signed === other.signed;
    },
    /** Replaces the key of a setting. The old key and its variants are still redacted. */
    replace: (setting: string, key: string): void => {
      if (key === '' || values.get(setting) === key) return;
      values.set(setting, key);
      forget(setting);
      addReplacement(key, `<${setting}>`);
      change();
    },
    hideCookie,
    /** Redacts a cookie that is sent in every spelling: the server may return it. */
    sendCookie: (cookie: string): void => {
      if (sentCookies.has(cookie)) return;
      for (const { value } of sentCookies.add({ value: cookie, placeholder: '<cookie>' })) hideCookie(value);
      change();
    },
    /** Whether a text that was redacted at a version would still be returned as it is. */
    isStillSafe: (text: string, since: number): boolean =>
      since >= searchedSince ? ![...hidden].some((cookie) => text.includes(cookie)) : redact(text) === text,
    /**
     * Redacts another secret.
     * @param placeholder such as `<PAGE_KEY>`, which can then be filled, or `<secret>`
     */
    learn: (secret: string, placeholder: string): void => {
      const [, setting] = /^<([A-Z][A-Z0-9_]*)>$/.exec(placeholder) ?? [];
      if (setting === undefined) addReplacement(secret, placeholder);
      else add(secret, placeholder);
      if (setting !== undefined && secret !== '' && !(setting in keys)) {
        for (const whole of [...filled.keys()]) if (whole.startsWith(`<${setting}`)) filled.delete(whole);
        values.set(setting, secret);
        wholeKeysIn.forget();
        change();
      }
    },
  };
};

export type KeyRing = ReturnType<typeof createKeyRing>;
