import { memoizePerObject, pairsIn, wordsIn } from '../collections.js';
import { percentDecoded } from '../urls.js';
import type { KeyRing } from './keyring.js';
import type { HeaderPair, Probe } from './types.js';

/** Compares lengths first, which rules out most names. */
export const isSetCookie = (name: string): boolean =>
  (name.length === 10 || name.length === 11) && /^set-cookie2?$/i.test(name);

/** Known cookie attributes. Any other attribute may be a secret. */
const attributes = new Set(
  wordsIn(`
  path domain expires max-age secure httponly samesite partitioned priority
`),
);

/** The comma where an intermediary joined fields, but not the one in an Expires date. */
const fieldJoint = /,(?=\s*[^\s;,="<>]+=)/;

const nameAndValue = (pair: string): readonly [name: string, value: string] | undefined => {
  const equals = pair.indexOf('=');
  return equals < 0 ? undefined : [pair.slice(0, equals), pair.slice(equals + 1)];
};

const withoutValue = (pair: string): string => {
  const named = nameAndValue(pair);
  return named ? `${named[0]}=<cookie>` : '<cookie>';
};

const withoutUnknownValue = (attribute: string): string => {
  const name = (nameAndValue(attribute)?.[0] ?? attribute).trim().toLowerCase();
  return name === '' || attributes.has(name) ? attribute : ` ${withoutValue(attribute.trim())}`;
};

/** `sid=<cookie>; Path=/; HttpOnly`: keeps name and attributes, and hides the secret value. */
export const withoutCookieValues = (field: string): string =>
  field
    .split(fieldJoint)
    .map((cookie) => {
      const [pair = '', ...rest] = cookie.split(';');
      return [withoutValue(pair), ...rest.map(withoutUnknownValue)].join(';');
    })
    .join(',');

/** Splits a field into cookies. A comma in the first value belongs to it, as in browsers. */
const cookiesIn = (field: string): string[] => {
  const semicolon = field.indexOf(';');
  if (semicolon < 0) return [field];
  const [first = '', ...others] = field.slice(semicolon).split(fieldJoint);
  return [field.slice(0, semicolon) + first, ...others];
};

/** @param raw names and values of header fields in turn */
const setsCookies = memoizePerObject((raw: readonly string[]): boolean =>
  raw.some((text, index) => index % 2 === 0 && isSetCookie(text)),
);

const setCookieFields = (raw: readonly string[]): string[] =>
  pairsIn(raw).flatMap(([name, value]) => (isSetCookie(name) ? [value] : []));

/**
 * Name and value of each cookie that a response sets.
 * @param raw names and values of header fields in turn
 */
export const cookiesOf = (raw: readonly string[]): HeaderPair[] =>
  setCookieFields(raw)
    .flatMap(cookiesIn)
    .flatMap((cookie) => {
      const named = nameAndValue(cookie.split(';', 1)[0] ?? '');
      return named && named[0].trim() !== '' ? [[named[0].trim(), named[1].trim()] as const] : [];
    });

/** Values of cookies and of unknown attributes, any of which may open a session. */
export const cookieValuesOf = (raw: readonly string[]): string[] =>
  setCookieFields(raw)
    .flatMap((field) => field.split(fieldJoint))
    .flatMap((cookie) => cookie.split(';').filter((part, index) => index === 0 || withoutUnknownValue(part) !== part))
    .map((part) => (nameAndValue(part)?.[1] ?? part).trim());

/** Minimum length of a session secret, and of one that needs no digit between letters. */
const minSecretLength = 8;
const longSecretLength = 16;

/**
 * Whether a value looks random. Words, dates, numbers, paths, links and addresses are content that
 * judgements need, so they are not redacted.
 */
const isRandomLooking = (value: string): boolean => {
  if (value.length < minSecretLength || !/[a-z]/i.test(value)) return false;
  if (/[\s@{}]|^\/|:\/\/|^\d{4}-\d\d-\d\d/.test(value)) return false;
  if (value.length < longSecretLength)
    return /^[\w.~+=-]+$/.test(value) && /[a-z].*\d.*[a-z]|\d.*[a-z].*\d/i.test(value);
  return /\d/.test(value) || (value.match(/[a-z][A-Z]/g)?.length ?? 0) >= 3;
};

/** Parts of a cookie value that may open a session, in every spelling that may come back. */
export const sessionSecrets = (value: string): string[] => {
  const plain = value.replace(/^"(.*)"$/, '$1');
  const whole = [plain, percentDecoded(plain)];
  const pieces = percentDecoded(plain)
    .split(/[:.|&=,;"{}\s]+/)
    .filter((piece) => piece.length >= longSecretLength);
  const opaque = [...whole, ...pieces].filter(isRandomLooking);
  return [...new Set(opaque.flatMap((one) => [one, encodeURIComponent(one)]))];
};

/** Placeholder for cookies from responses to requests with the key; as secret as the key. */
export const cookiePlaceholder = '<COOKIES>';

/** Placeholder for cookies from responses to requests without a key. */
export const visitorPlaceholder = '<VISITOR_COOKIES>';

/**
 * Whether a request carries cookies of the key, or a text in its path or fields that `isSecret`.
 */
export const carriesSecret = ({ target, headers }: Probe, isSecret: (text: string) => boolean): boolean => {
  const holds = (text: string): boolean => text.includes(cookiePlaceholder) || isSecret(text);
  return holds(target) || headers.some((field) => holds(field[1]));
};

/** The cookies of the target, separately for responses to requests with and without the key. */
export const createCookieJar = (keys: KeyRing) => {
  const keyed = new Map<string, string>();
  const visitors = new Map<string, string>();

  const replace = (template: string, placeholder: string, cookies: ReadonlyMap<string, string>): string => {
    if (!template.includes(placeholder)) return template;
    const all = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    for (const value of cookies.values()) if (sessionSecrets(value).length > 0) keys.sendCookie(value);
    return template.replaceAll(placeholder, () => all);
  };

  return {
    /** Stores the cookies that a response sets. */
    store: (rawHeaders: readonly string[], isKeyed: boolean): void => {
      if (!setsCookies(rawHeaders)) return;
      for (const [name, value] of cookiesOf(rawHeaders)) (isKeyed ? keyed : visitors).set(name, value);
    },
    /** Redacts the cookies of a response from now on. */
    hide: (rawHeaders: readonly string[]): void => {
      if (!setsCookies(rawHeaders)) return;
      for (const value of cookieValuesOf(rawHeaders))
        for (const secret of sessionSecrets(value)) keys.hideCookie(secret);
    },
    /** Replaces the cookie placeholders in a template. */
    fill: (template: string): string =>
      replace(replace(template, cookiePlaceholder, keyed), visitorPlaceholder, visitors),
  };
};

export type CookieJar = ReturnType<typeof createCookieJar>;
