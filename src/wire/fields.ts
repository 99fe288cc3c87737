import { isSetCookie, withoutCookieValues } from './cookies.js';
import type { KeyRing } from './keyring.js';
import { pieceSeparator } from './redaction.js';
import type { HeaderPair, Probe, TlsFacts } from './types.js';

const withoutDefaultPort = (origin: string): string =>
  origin
    .replace(/^https:\/\/(.*):443$/, '$1')
    .replace(/^http:\/\/(.*):80$/, '$1')
    .replace(/^https?:\/\//, '');

/** Methods whose requests have no content; all others say how long theirs is, even when there is none (RFC 9110, section 8.6). */
const withoutContent = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

/** What methods and field names are (RFC 9110, section 5.6.2). */
export const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** What no field value holds (RFC 9110, section 5.5). */
export const outsideFieldValue = /[^\t\x20-\x7e\x80-\xff]/;

/** The probe's fields behind those that every request has and this one does not name itself. */
export const completeFields = (probe: Probe, userAgent: string): HeaderPair[] => {
  const named = new Set(probe.headers.map(([name]) => name.toLowerCase()));
  const defaults: HeaderPair[] = [
    ['Host', withoutDefaultPort(probe.origin)],
    ['User-Agent', userAgent],
    ['Accept', 'application/json, */*;q=0.8'],
    ['Accept-Encoding', 'gzip, deflate, br'],
    ['Connection', probe.connection === 'fresh' ? 'close' : 'keep-alive'],
  ];
  if (!withoutContent.has(probe.method.toUpperCase()) && !named.has('transfer-encoding')) {
    defaults.push(['Content-Length', '0']);
  }
  return [...defaults.filter(([name]) => !named.has(name.toLowerCase())), ...probe.headers];
};

/** Text as the socket takes it, one character a byte: what is not ASCII travels as UTF-8. */
export const asBytes = (text: string): string =>
  /^[\x00-\x7f]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');

/** Redacts many short texts at the price of one. */
export const redactAll = (texts: readonly string[], keys: KeyRing): readonly string[] => {
  const joined = texts.join(pieceSeparator);
  const redacted = keys.redact(joined);
  if (redacted === joined) return texts;
  const pieces = redacted.split(pieceSeparator);
  return pieces.length === texts.length ? pieces : texts.map((text) => keys.redact(text));
};

/** Response fields as they may be kept, in order. `raw`: names and values in turn. */
export const keptFields = (raw: readonly string[], keys: KeyRing): HeaderPair[] => {
  const fields: HeaderPair[] = [];
  const safe = redactAll(raw, keys);
  for (let index = 0; index + 1 < safe.length; index += 2) {
    const name = safe[index] ?? '';
    const value = safe[index + 1] ?? '';
    fields.push([name, isSetCookie(name) ? withoutCookieValues(value) : value]);
  }
  return fields;
};

export const fieldOf = (raw: readonly string[], name: string): string | undefined => {
  for (let index = 0; index + 1 < raw.length; index += 2) {
    if (raw[index]?.toLowerCase() === name) return raw[index + 1];
  }
  return undefined;
};

/** All values of a list-based field as one. */
export const listOf = (raw: readonly string[], name: string): string => {
  const values: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    if (raw[index]?.toLowerCase() === name) values.push(raw[index + 1] ?? '');
  }
  return values.join(', ');
};

export const redactTls = (facts: TlsFacts, keys: KeyRing): TlsFacts => ({
  ...facts,
  chain: facts.chain.map((certificate) => ({
    ...certificate,
    subject: keys.redact(certificate.subject),
    issuer: keys.redact(certificate.issuer),
    altNames: redactAll(certificate.altNames, keys),
  })),
});
