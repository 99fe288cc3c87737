import { memoize, pairsIn } from '../collections.js';
import { tool } from '../package.js';
import { percentDecoded } from '../urls.js';
import type { FieldFacts, Salt } from './body-shape.js';
import { isSetCookie, withoutCookieValues } from './cookies.js';
import { describeBody } from './describe-body.js';
import type { KeyRing } from './keyring.js';
import { maybeJson } from './partial-json.js';
import { isCurrentTime } from './scalars.js';
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

/** Redacts many short texts in one pass. */
export const redactAll = (texts: readonly string[], keys: KeyRing): readonly string[] => {
  const joined = texts.join(textSeparator);
  const redacted = keys.redact(joined);
  if (redacted === joined) return texts;
  const pieces = redacted.split(textSeparator);
  return pieces.length === texts.length ? pieces : texts.map((text) => keys.redact(text));
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

export const redactTls = (facts: TlsFacts, keys: KeyRing): TlsFacts => ({
  ...facts,
  chain: facts.chain.map((certificate) => ({
    ...certificate,
    subject: keys.redact(certificate.subject),
    issuer: keys.redact(certificate.issuer),
    altNames: redactAll(certificate.altNames, keys),
  })),
});

/**
 * Describes header fields that may contain data, such as dumps of errors and states of redirects.
 */

/** Whether a value may contain a record: at least two values, separated or encoded. */
const mayHoldRecord = (value: string): boolean =>
  value.length >= 12 && (/[\s,;&|{[]/.test(value) || maybeJson.test(value));

const longestValue = 16_384;
const maxCached = 256;

/**
 * The texts of a field or cookie. A cookie's name and attributes come from the settings. The angle
 * brackets of Link (RFC 8288, section 3) are no markup. What is percent-encoded, as in the name of
 * a file (RFC 8187), is read as it is and decoded.
 */
const textsIn = (name: string, value: string): ReadonlySet<string> => {
  const data = isSetCookie(name) ? value.replace(/;.*/s, '').replace(/^[^=]*=/, '') : value;
  const text = (/^link$/i.test(name) ? data.replaceAll(/[<>]/g, ' ') : data).slice(0, longestValue);
  return new Set([text, percentDecoded(text)]);
};

/**
 * Creates a function that describes fields. Descriptions are cached, since many fields are the same
 * in every answer.
 */
export const createFieldDescriber = (keys: KeyRing, salt: Salt) => {
  const known = new Map<string, FieldFacts | null>();

  const describe = (name: string, value: string, echoes: readonly string[]): FieldFacts | null => {
    const { shape } = describeBody({
      bytes: Buffer.from(value, 'latin1'),
      contentType: 'text/plain',
      truncated: false,
      echoes,
      salt,
      isPartOfKey: keys.holds,
      ...(isSetCookie(name) ? {} : { redact: keys.redact }),
    });
    const { values, parts } = shape;
    // Values of cookies are secrets, so only digests of them are stored.
    const embedded = isSetCookie(name) ? [] : [...(shape.shape ? [shape.shape] : []), ...(shape.embedded ?? [])];
    if (values.length + (parts?.length ?? 0) < 2) return null;
    return {
      name: keys.redact(name).toLowerCase(),
      values,
      ...(parts ? { parts } : {}),
      ...(embedded.length > 0 ? { embedded } : {}),
    };
  };

  const factsOf = (name: string, text: string, echoes: readonly string[]): FieldFacts | null => {
    if (!mayHoldRecord(text) || isCurrentTime(text)) return null;
    const repeated = echoes.filter((echo) => text.includes(echo));
    const place = [keys.version, name, ...repeated, '', text].join('\n');
    const before = known.get(place);
    if (before !== undefined) return before;
    const facts = describe(name, text, echoes);
    if (known.size >= maxCached) known.clear();
    known.set(place, facts);
    return facts;
  };

  /**
   * @param raw names and values in turn
   * @param echoes parts of the request that the server may repeat
   */
  return (raw: readonly string[], echoes: readonly string[]): readonly FieldFacts[] => {
    const found: FieldFacts[] = [];
    for (const [name, content] of pairsIn(raw))
      for (const text of textsIn(name, content)) {
        const facts = factsOf(name, text, echoes);
        if (facts) found.push(facts);
      }
    return found;
  };
};
