import { memoize } from '../../collections.js';
import type { SecurityScheme } from '../../contract/model.js';
import type { AddressFamily, HeaderPair, Probe } from '../../wire/types.js';
import type { OperationSubject, Subject } from '../rule.js';
import { withRandomIds } from './random-ids.js';
import { protectedSubjects } from './subjects.js';
import { inQuery, targetOf, withQuery } from './targets.js';

/** The words in which rules say what to send. */

/**
 * The key that a probe carries: `none`, `valid`, or a form of it by name (`random`, `first-half`…),
 * in the documented header and format.
 */
export type Credential = 'none' | 'valid' | (string & {});

export interface RequestOptions {
  readonly name: string;
  readonly credential: Credential;
  /** What goes out for single schemes, by name, in place of `credential`. */
  readonly instead?: Readonly<Record<string, Credential>>;
  readonly method?: string;
  /** Replaces path and query, byte for byte. */
  readonly target?: string;
  /** After the operation's own and the credential's. */
  readonly headers?: readonly HeaderPair[];
  readonly round?: number;
  readonly occasion?: string;
  readonly connection?: Probe['connection'];
  readonly protocol?: Probe['protocol'];
  readonly origin?: string;
  readonly family?: AddressFamily;
}

/** User-Agent fields that services treat apart. */
export const agents = {
  browser: 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  crawler: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
} as const;

/** A request for the operation, everything as documented but for what `words` say. */
export const requestFor = (subject: OperationSubject, words: RequestOptions): Probe => {
  const { operation, deployment } = subject;
  const headers: HeaderPair[] = [];
  const cookies: string[] = [];
  const query: string[] = [];
  for (const [name, value] of operation.headers) {
    const filled = withRandomIds(value, operation, deployment);
    if (name.toLowerCase() === 'cookie') cookies.push(filled);
    else headers.push([name, filled]);
  }
  if (words.credential !== 'none' && operation.keyless === undefined) {
    for (const { place, name, value } of carriedBy(operation.security, words)) {
      if (place === 'header') headers.push([name, value]);
      else if (place === 'cookie') cookies.push(`${name}=${value}`);
      else query.push(`${inQuery(name)}=${value}`);
    }
  }
  // A client sends one Cookie field (RFC 6265, section 5.4).
  if (cookies.length > 0) headers.push(['Cookie', cookies.join('; ')]);
  if (words.headers) headers.push(...words.headers);
  return {
    operation: operation.id,
    name: words.name,
    method: words.method ?? operation.method,
    origin: words.origin ?? deployment.origin,
    target: withQuery(words.target ?? targetOf(subject), query),
    headers,
    connection: words.connection ?? 'shared',
    protocol: words.protocol ?? 'http/1.1',
    round: words.round ?? 1,
    ...(operation.placeholders ? { values: operation.placeholders } : {}),
    ...(words.occasion === undefined ? {} : { occasion: words.occasion }),
    ...(words.family === undefined ? {} : { family: words.family }),
  };
};

/**
 * The same request with the key. A bypass that changes the form of the answer is compared with it.
 */
export const formControl = (subject: OperationSubject, probe: Probe): Probe => {
  const { connection, method, origin, protocol, round, target } = probe;
  const documented = requestFor(subject, { name: '', credential: 'none' }).headers.length;
  return requestFor(subject, {
    name: `${probe.name}, with the key`,
    credential: 'valid',
    headers: probe.headers.slice(documented),
    connection,
    method,
    origin,
    protocol,
    round,
    target,
  });
};

const plainRead = memoize(
  (subject: OperationSubject): Probe => requestFor(subject, { name: 'without a key', credential: 'none' }),
);

/** The documented request without its credentials. Most rules ask with it. */
export const readWithoutKey = (subject: OperationSubject, more?: Partial<RequestOptions>): Probe =>
  more ? requestFor(subject, { name: 'without a key', credential: 'none', ...more }) : plainRead(subject);

/** The documented request of an operation that needs no credentials. */
export const readWithNothing = (subject: OperationSubject, more: Partial<RequestOptions> = {}): Probe =>
  requestFor(subject, { name: 'with nothing sent', credential: 'none', ...more });

/** A request that belongs to no operation. */
export const serviceRequest = (
  { deployment }: Subject,
  words: { name: string; target?: string; origin?: string; round?: number; connection?: Probe['connection'] },
): Probe => ({
  operation: 'service',
  name: words.name,
  method: 'GET',
  origin: words.origin ?? deployment.origin,
  target: words.target ?? `${deployment.basePath}/`,
  headers: [],
  connection: words.connection ?? 'shared',
  protocol: 'http/1.1',
  round: words.round ?? 1,
});

const carriedBy = (security: readonly SecurityScheme[], { credential, instead }: RequestOptions) =>
  security.map((scheme) => ({
    place: scheme.in,
    name: scheme.field,
    value: `${scheme.in === 'query' ? encodeURIComponent(scheme.prefix) : scheme.prefix}${keyTemplate(scheme, instead?.[scheme.name] ?? credential)}`,
  }));

/** The placeholder that the wire client replaces: `<API_KEY>`, `<API_KEY:first-half>`. */
export const keyTemplate = (scheme: SecurityScheme, credential: string): string => {
  const forms = [
    ...(credential === 'valid' ? [] : [credential]),
    ...(scheme.encoding === 'base64' ? ['base64'] : scheme.in === 'query' ? ['urlencoded'] : []),
  ];
  return forms.length === 0 ? `<${scheme.setting}>` : `<${scheme.setting}:${forms.join(':')}>`;
};

export const again = (probe: Probe, round = 2): Probe => ({ ...probe, round });

/** How protected operations answer a client without a key. */
export const protectedRequests = (subject: OperationSubject): readonly Probe[] =>
  protectedSubjects(subject).map((each) => readWithoutKey(each));
