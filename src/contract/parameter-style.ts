import { isObject } from '../collections.js';
import { child, isArray, isScalar } from './json-values.js';

type Encode = (value: unknown) => string;

/**
 * Reserved characters (RFC 3986, section 2.2) that a query may hold: no `#`, `[` or `]` whatever a
 * document allows.
 */
const reserved = /%(?:3A|2F|3F|40|21|24|26|27|28|29|2A|2B|2C|3B|3D)/g;
/** The characters that a path segment may hold. */
const reservedInSegment = /%(?:3A|40|21|24|26|27|28|29|2A|2B|2C|3B|3D)/g;

const percent: Encode = (value) => encodeURIComponent(String(value));
const percentBut =
  (kept: RegExp): Encode =>
  (value) =>
    percent(value).replace(kept, decodeURIComponent);
const percentButReserved = percentBut(reserved);
const percentButReservedInSegment = percentBut(reservedInSegment);
/**
 * Header fields carry text without encoding. `serialise` refuses characters that no field value may
 * have.
 */
const plain: Encode = (value) => String(value);

const defaultStyle: Readonly<Record<string, string>> = {
  path: 'simple',
  header: 'simple',
  query: 'form',
  cookie: 'form',
};

const separators: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' };

const flat = (value: unknown): boolean =>
  isScalar(value) ||
  (isArray(value) && value.every(isScalar)) ||
  (isObject(value) && Object.values(value).every(isScalar));

/** `a,b` · `k,v,l,w` · exploded objects `k=v,l=w` */
const simple = (value: unknown, explode: boolean, encode: Encode, separator = ','): string => {
  if (isArray(value)) return value.map(encode).join(separator);
  if (!isObject(value)) return encode(value);
  return Object.entries(value)
    .map(([key, member]) => `${encode(key)}${explode ? '=' : ','}${encode(member)}`)
    .join(separator);
};

const form = (
  name: string,
  value: unknown,
  explode: boolean,
  encode: Encode,
  joint: string,
  separator = ',',
): string => {
  if (explode && isArray(value)) return value.map((item) => `${encode(name)}=${encode(item)}`).join(joint);
  if (explode && isObject(value))
    return Object.entries(value)
      .map(([key, member]) => `${encode(key)}=${encode(member)}`)
      .join(joint);
  const list = isObject(value) ? Object.entries(value).flat() : value;
  return `${encode(name)}=${isArray(list) ? list.map(encode).join(separator) : encode(list)}`;
};

/** The `style` of a parameter; one with `content` has that of its place. */
export const styleOf = (parameter: unknown, place: string): unknown =>
  (child(parameter, 'content') === undefined ? child(parameter, 'style') : undefined) ?? defaultStyle[place];

/**
 * A parameter value as it is sent, by the parameter's `style` and `explode` (OpenAPI 3.1, section
 * 4.8.12.3): the segment's text for a path parameter, `name=value` for query and cookie, the field
 * value for a header. `undefined` where the style has no form for such a value.
 */
export const serialise = (parameter: unknown, name: string, place: string, value: unknown): string | undefined => {
  if (!flat(value)) return undefined;
  const content = child(parameter, 'content') !== undefined;
  const style = styleOf(parameter, place);
  const explode = !content && (child(parameter, 'explode') ?? (style === 'form' || style === 'cookie')) === true;
  const sparing = place === 'path' ? percentButReservedInSegment : percentButReserved;
  const encode = child(parameter, 'allowReserved') === true ? sparing : percent;
  if (place === 'header') {
    const text = simple(value, explode, plain);
    return /^[\t\x20-\x7e\x80-\xff]*$/.test(text) ? text : undefined;
  }
  // The whole query: a text is taken as written, but for what no query may hold (RFC 3986, section
  // 3.4).
  if (place === 'querystring')
    return isScalar(value)
      ? String(value).replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]/gu, encodeURIComponent)
      : form('', value, true, percent, '&');
  switch (style) {
    case 'simple':
      return simple(value, explode, encode);
    case 'label':
      return `.${simple(value, explode, encode, explode ? '.' : ',')}`;
    case 'matrix':
      return `;${form(name, value, explode, encode, ';')}`;
    case 'form':
      return form(name, value, explode, encode, place === 'cookie' ? '; ' : '&');
    case 'cookie':
      return form(name, value, explode, plain, '; ');
    case 'spaceDelimited':
    case 'pipeDelimited':
      return form(name, value, explode, encode, '&', separators[String(style)]);
    case 'deepObject':
      if (!isObject(value)) return undefined;
      return Object.entries(value)
        .map(([key, member]) => `${encode(name)}%5B${encode(key)}%5D=${encode(member)}`)
        .join('&');
    default:
      return undefined;
  }
};
