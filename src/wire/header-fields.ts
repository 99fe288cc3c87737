import { memoize, pairsIn } from '../collections.js';
import { tool } from '../package.js';
import { isSetCookie, withoutCookieValues } from './cookies.js';
import type { KeyRing } from './keyring.js';
import { withheldText } from './redaction.js';
import { textSeparator } from './spelling-search.js';
import type { HeaderPair, Probe, TlsFacts } from './types.js';

/** The value of Host: the authority without the default port. */
const hostOf = (origin: string): string => {
  const authority = origin.slice(origin.indexOf('://') + 3);
  const usual = origin.startsWith('https:') ? ':443' : ':80';
  return authority.endsWith(usual) ? authority.slice(0, -usual.length) : authority;
};

/** Methods without request content. Others send Content-Length: 0 (RFC 9110, section 8.6). */
const withoutContent = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

/** Characters that no field value may contain (RFC 9110, section 5.5). */
export const outsideFieldValue = /[^\t\x20-\x7e\x80-\xff]/;

/** Compares field names case-insensitively, and their lengths first, which rules out most names. */
const isNamed = (field: string, name: string): boolean =>
  field.length === name.length && field.toLowerCase() === name.toLowerCase();

/**
 * A User-Agent names a product (RFC 9110, section 10.1.5), an Accept without a value accepts
 * nothing, and HTTP/1.0 knows no Host: without a value, none of them is sent.
 */
export const isLeftOut = ([name, value]: HeaderPair): boolean =>
  value === '' && ['User-Agent', 'Accept', 'Host'].some((one) => isNamed(name, one));

/** Returns a function that adds the fields of every request, unless the probe has them. */
export const createCompleter = (): ((probe: Probe) => HeaderPair[]) => {
  const host = memoize((origin: string): HeaderPair => ['Host', hostOf(origin)]);
  const always: readonly HeaderPair[] = [
    ['User-Agent', `${tool.name}/${tool.version}`],
    ['Accept', 'application/json, */*;q=0.8'],
    ['Accept-Encoding', 'gzip, deflate, br'],
  ];
  const closing: HeaderPair = ['Connection', 'close'];
  const persisting: HeaderPair = ['Connection', 'keep-alive'];
  const empty: HeaderPair = ['Content-Length', '0'];
  return ({ origin, connection, method, headers }) => {
    const isGiven = (name: string): boolean => headers.some((own) => isNamed(own[0], name));
    const all = [host(origin), ...always, connection === 'fresh' ? closing : persisting];
    if (!withoutContent.has(method.toUpperCase()) && !isGiven('Transfer-Encoding')) all.push(empty);
    if (headers.length === 0) return all;
    return [...all.filter((field) => !isGiven(field[0])), ...headers.filter((field) => !isLeftOut(field))];
  };
};

/** Encodes text for the socket, one character per byte: UTF-8 beyond ASCII. */
export const asBytes = (text: string): string =>
  /^[\x00-\x7f]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');

/**
 * Redacts many short texts in one pass. If pieces of a secret are spread over them, all of them are
 * withheld.
 */
export const redactAll = (texts: readonly string[], keys: Pick<KeyRing, 'redact'>): readonly string[] => {
  const joined = texts.join(textSeparator);
  const redacted = keys.redact(joined);
  if (redacted === joined) return texts;
  const pieces = redacted.split(textSeparator);
  if (pieces.length === texts.length) return pieces;
  const alone = texts.map((text) => keys.redact(text));
  return keys.redact(alone.join(textSeparator)) === withheldText ? texts.map(() => withheldText) : alone;
};

/**
 * Redacts response fields, in order.
 * @param raw names and values in turn
 */
export const keptFields = (raw: readonly string[], keys: KeyRing): HeaderPair[] =>
  pairsIn(redactAll(withoutValuesOfCookies(raw), keys));

const withoutValuesOfCookies = (raw: readonly string[]): readonly string[] =>
  pairsIn(raw).flatMap(([name, value]) => [name, isSetCookie(name) ? withoutCookieValues(value) : value]);

export const fieldOf = (raw: readonly string[], name: string): string | undefined =>
  pairsIn(raw).find(([field]) => isNamed(field, name))?.[1];

/** All values of a list-based field, joined by commas. */
export const listOf = (raw: readonly string[], name: string): string =>
  pairsIn(raw)
    .flatMap(([field, value]) => (isNamed(field, name) ? [value] : []))
    .join(', ');

export const redactTls = (facts: TlsFacts, keys: KeyRing): TlsFacts => {
  const texts = facts.chain.flatMap(({ subject, issuer, altNames }) => [subject, issuer, ...altNames]);
  const redacted = redactAll(texts, keys).values();
  const next = (): string => redacted.next().value ?? '';
  return {
    ...facts,
    chain: facts.chain.map((certificate) => ({
      ...certificate,
      subject: next(),
      issuer: next(),
      altNames: certificate.altNames.map(next),
    })),
  };
};
