import { memoize } from '../collections.js';
import {
  derive,
  isKeyVariant,
  isRandomVariant,
  isSigned,
  type KeyVariant,
  keyVariants,
  mixesCase,
  newSeed,
  randomKey,
} from './key-variants.js';
import { createRedactor } from './redaction.js';
import { literalSpellings, type Secret, shortSpellingsOf, spellingsOf } from './secret-spellings.js';

/** What may be said about a key without saying the key. */
export interface KeyTraits {
  readonly present: boolean;
  readonly length: number;
  /** Letters of both cases: flipping the case then makes another key. */
  readonly mixesCase: boolean;
  /** Alphabet of base64url: the last character may have aliases. */
  readonly base64url: boolean;
  /** Three parts, the last of them a signature (a JSON Web Token). */
  readonly signed: boolean;
  /** `user:password`. */
  readonly basic: boolean;
}

/**
 * Holds the keys. The only place where a template becomes a key, and where a key becomes its
 * placeholder again.
 */
export interface KeyRing {
  /**
   * Puts keys in the place of placeholders: `<API_KEY>`, `<API_KEY_FOO>`, `<API_KEY:FORM>`,
   * `<API_KEY:FORM:base64>`, and placeholders given to `learn`.
   * @throws MissingKeyError for a setting without a key (`random`, `random-2` and `long` need
   * none).
   */
  fill(template: string): string;
  /** Another number whenever a text may be redacted in another way than before. */
  readonly version: number;
  /**
   * Takes every key out of a text, in every spelling it is likely to come back in, and puts the
   * placeholder there.
   */
  redact(text: string): string;
  /**
   * True when the template, filled, serves the key's owner in some store: a whole key, perhaps in
   * another case or with something appended.
   */
  isRealKey(template: string): boolean;
  /**
   * True when the template holds a key that was given, or anything made of one: half of it, a copy
   * with one character changed.
   */
  isMadeOfKey(template: string): boolean;
  /** Whether a text is a part of a key, its public prefix for one. */
  holds(text: string): boolean;
  traits(setting: string): KeyTraits;
  /**
   * Redacts one more secret from now on; `placeholder` looks like `<PAGE_KEY>` and can be filled.
   */
  learn(secret: string, placeholder: string): void;
  /**
   * Takes out `<cookie>`s from now on, letter by letter: there may be one in every answer, and
   * nothing alters them.
   */
  hideCookie(cookie: string): void;
}

/**
 * Templates, and short texts, that are remembered, and the most characters that one of these has.
 */
const maxRemembered = 1_000;
const maxShortLength = 256;

/** Cookies that are remembered: what a session is called matters while it is used. */
const maxCookies = 512;

export interface KeyRingOptions {
  /** Setting name (`API_KEY`, `API_KEY_<SCHEME>`) → key. */
  readonly keys: Readonly<Record<string, string>>;
  /** Other secrets, redacted as `<secret>`. */
  readonly secrets?: readonly string[];
  /**
   * Makes `random` and its family the same in every process of a run (the run's salt); random when
   * absent.
   */
  readonly seed?: Buffer | string;
}

/** A template asks for a key that was not given. */
export class MissingKeyError extends Error {
  override readonly name = 'MissingKeyError';
  readonly setting: string;
  constructor(setting: string) {
    super(`${setting} is not set, and a probe needs it`);
    this.setting = setting;
  }
}

/** A template names a form that does not exist. */
export class UnknownKeyVariantError extends Error {
  override readonly name = 'UnknownKeyFormError';
  constructor(form: string) {
    super(`no such form of a key: ${form} (forms: ${keyVariants.join(', ')})`);
  }
}

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

export const createKeyRing = ({ keys, secrets = [], seed = newSeed() }: KeyRingOptions): KeyRing => {
  const seedBytes = Buffer.from(seed);
  const values = new Map(Object.entries(keys).filter(([, key]) => key !== ''));
  const known: Secret[] = [...values].map(([setting, value]) => ({ value, placeholder: `<${setting}>` }));
  const invented = new Map<string, string>();
  const filled = new Map<string, string>();
  const hidden = new Set<string>();
  let redactor: ((text: string) => string) | undefined;
  let version = 0;

  const build = (): ((text: string) => string) =>
    createRedactor({
      spellings: known.flatMap(spellingsOf),
      literal: new Map([...known.toReversed().flatMap(literalSpellings), ...invented]),
      short: known.flatMap(shortSpellingsOf),
    });

  const redactNow = (text: string): string => {
    redactor ??= build();
    let safe = redactor(text);
    for (const cookie of hidden) if (safe.includes(cookie)) safe = safe.replaceAll(cookie, '<cookie>');
    return safe;
  };
  /** A run has the same targets and fields again and again. */
  const redactShort = memoize(redactNow, maxRemembered);

  /** Texts are redacted in another way from now on. */
  const change = (): void => {
    version += 1;
    redactShort.forget();
  };
  const renew = (): void => {
    redactor = undefined;
    change();
  };
  const add = (value: string, placeholder: string): void => {
    if (value === '' || known.some((secret) => secret.value === value)) return;
    known.push({ value, placeholder });
    renew();
  };
  for (const secret of secrets) add(secret, '<secret>');

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

  /** Of templates with placeholders; a run has a few hundred. */
  const standsForKey = memoize((template: string): boolean => {
    for (const [, setting = '', suffix = ''] of template.matchAll(placeholders)) {
      const key = values.get(setting);
      if (key !== undefined && variantsOf(suffix).every((form) => isReal(key, form))) return true;
    }
    return false;
  }, maxRemembered);

  return {
    get version() {
      return version;
    },
    fill: (template) =>
      template.replace(placeholders, (whole, setting: string, suffix: string) =>
        isKeySetting(setting) ? made(whole, setting, variantsOf(suffix)) : whole,
      ),
    redact: (text) => (text.length > maxShortLength ? redactNow(text) : redactShort(text)),
    isRealKey: (template) => {
      for (const key of values.values()) if (key.length >= 6 && template.includes(key)) return true;
      return template.includes('<') && standsForKey(template);
    },
    isMadeOfKey: (template) =>
      template.includes('<') &&
      [...template.matchAll(placeholders)].some(
        ([, setting = '', suffix = '']) => values.has(setting) && !variantsOf(suffix).some(isRandomVariant),
      ),
    holds: (text) => text !== '' && [...values.values()].some((key) => key.includes(text)),
    traits: (setting) => {
      const key = values.get(setting) ?? '';
      return {
        present: key !== '',
        length: key.length,
        mixesCase: mixesCase(key),
        base64url: /^[\w-]{16,}$/.test(key) && /[G-Zg-z_-]/.test(key),
        signed: isSigned(key),
        basic: /^[^:]+:./.test(key),
      };
    },
    hideCookie: (cookie) => {
      if (!hidden.delete(cookie)) change();
      hidden.add(cookie);
      const [oldest] = hidden;
      if (hidden.size > maxCookies && oldest !== undefined) hidden.delete(oldest);
    },
    learn: (secret, placeholder) => {
      add(secret, placeholder);
      const [, setting] = /^<([A-Z][A-Z0-9_]*)>$/.exec(placeholder) ?? [];
      if (setting !== undefined && secret !== '' && !(setting in keys)) {
        for (const whole of [...filled.keys()]) if (whole.startsWith(`<${setting}`)) filled.delete(whole);
        values.set(setting, secret);
        standsForKey.forget();
      }
    },
  };
};
