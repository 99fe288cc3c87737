import type { HeaderPair } from './types.js';

export const isSetCookie = (name: string): boolean => /^set-cookie2?$/i.test(name);

/**
 * Attributes that say how a cookie is kept; whatever else stands behind its value may be a value
 * too.
 */
const attributes = new Set([
  'path',
  'domain',
  'expires',
  'max-age',
  'secure',
  'httponly',
  'samesite',
  'partitioned',
  'priority',
]);

/**
 * Where some intermediary joined fields: a comma before another `name=`. The one inside an Expires
 * date stands before no such thing.
 */
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

/**
 * `sid=<cookie>; Path=/; HttpOnly`: name and attributes tell how sessions are kept, the value opens
 * one.
 */
export const withoutCookieValues = (field: string): string =>
  field
    .split(fieldJoint)
    .map((cookie) => {
      const [pair = '', ...rest] = cookie.split(';');
      return [withoutValue(pair), ...rest.map(withoutUnknownValue)].join(';');
    })
    .join(',');

/**
 * A field as the cookies in it. A comma inside the first value is part of it, as it is for
 * browsers.
 */
const cookiesIn = (field: string): string[] => {
  const semicolon = field.indexOf(';');
  if (semicolon < 0) return [field];
  const [first = '', ...others] = field.slice(semicolon).split(fieldJoint);
  return [field.slice(0, semicolon) + first, ...others];
};

const setCookieFields = (raw: readonly string[]): string[] => {
  const values: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2)
    if (isSetCookie(raw[index] ?? '')) values.push(raw[index + 1] ?? '');
  return values;
};

/**
 * `name=value` of each cookie that an answer sets. `raw`: names and values of its fields in turn.
 */
export const cookiesOf = (raw: readonly string[]): HeaderPair[] =>
  setCookieFields(raw)
    .flatMap(cookiesIn)
    .flatMap((cookie) => {
      const named = nameAndValue(cookie.split(';', 1)[0] ?? '');
      return named && named[0].trim() !== '' ? [[named[0].trim(), named[1].trim()] as const] : [];
    });

/**
 * The cookies that an answer sets, and attributes that nobody knows: whatever may open a session.
 */
export const cookieValuesOf = (raw: readonly string[]): string[] =>
  setCookieFields(raw)
    .flatMap((field) => field.split(fieldJoint))
    .flatMap((cookie) => cookie.split(';').filter((part, index) => index === 0 || withoutUnknownValue(part) !== part))
    .map((part) => (nameAndValue(part)?.[1] ?? part).trim());

/**
 * Fewest characters of what may open a session, and of what does so although it has no digit
 * inside.
 */
const shortest = 8;
const long = 16;

/**
 * Whether a value looks drawn by lot. Words, languages, dates, numbers, paths, links and addresses
 * are not redacted wherever they stand: they are what answers are made of, and what a judgement
 * rests on.
 */
const isOpaque = (value: string): boolean => {
  if (value.length < shortest || !/[a-z]/i.test(value)) return false;
  if (/[\s@{}]|^\/|:\/\/|^\d{4}-\d\d-\d\d/.test(value)) return false;
  if (value.length < long) return /^[\w.~+=-]+$/.test(value) && /[a-z].*\d.*[a-z]|\d.*[a-z].*\d/i.test(value);
  return /\d/.test(value) || (value.match(/[a-z][A-Z]/g)?.length ?? 0) >= 3;
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** What of a cookie's value may open a session, in the spellings in which it may come back. */
export const sessionSecrets = (value: string): string[] => {
  const plain = value.replace(/^"(.*)"$/, '$1');
  const whole = [plain, decoded(plain)];
  const pieces = decoded(plain)
    .split(/[:.|&=,;"{}\s]+/)
    .filter((piece) => piece.length >= long);
  const opaque = [...whole, ...pieces].filter(isOpaque);
  return [...new Set(opaque.flatMap((one) => [one, encodeURIComponent(one)]))];
};
