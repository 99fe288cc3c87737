import { hash } from 'node:crypto';
import { memoize, memoizePerObject } from '../../collections.js';
import type { Operation, RandomId, SecurityScheme } from '../../contract/model.js';
import { withQuery } from '../../urls.js';
import type { AddressFamily, HeaderPair, Probe } from '../../wire/types.js';
import type { Deployment, OperationSubject, Subject } from '../rule.js';
import { protectedSubjects } from './subjects.js';

/** Makes requests for an operation. */

/** A UUID of version 4 (RFC 9562, section 5.4) whose random bits are those of a digest in hex. */
export const uuidOf = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;

/** A number or a UUID. It is the same for a label within one run, and cannot be guessed before. */
const randomId = ({ kind, label }: RandomId, { seed }: Pick<Deployment, 'seed'>): string => {
  const hex = hash('sha256', `${seed} random id ${label}`, 'hex');
  if (kind === 'uuid') return uuidOf(hex);
  // From 10^14 to 8.2 * 10^14: larger than counters get, and exact as a double.
  return String(100_000_000_000_001n + (BigInt(`0x${hex.slice(0, 16)}`) % 720_000_000_000_000n));
};

/** Replaces the stand-ins in a target or field value with random ids. */
const withRandomIds = (
  text: string,
  { randomIds = [] }: Pick<Operation, 'randomIds'>,
  deployment: Pick<Deployment, 'seed'>,
): string =>
  randomIds.reduce(
    (so, id) => (so.includes(id.standIn) ? so.replaceAll(id.standIn, randomId(id, deployment)) : so),
    text,
  );

/** Request targets: of operations, and of paths that do not exist. */

/** Percent-encodes the characters that a query must not contain. */
export const inQuery = (text: string): string => text.replace(/[^A-Za-z0-9\-._~!$'()*,;:@/?[\]]/gu, encodeURIComponent);

/** Path and query of the operation at this deployment. */
export const targetOf = ({ operation, deployment }: OperationSubject): string =>
  `${deployment.basePath}${withRandomIds(operation.target, operation, deployment)}`;

/** The operation's parameters that got values: `{id}, the query`. `''` if there are none. */
export const filledParameters = ({ path, target }: Operation): string => {
  const names = [...path.matchAll(/\{[^{}]*\}/g)].map(([name]) => name);
  const query = target.includes('?') && !path.includes('?') ? ['the query'] : [];
  return [...names, ...query].join(', ');
};

/** Splits at the first `?`, which the second part keeps. */
export const splitTarget = (target: string): readonly [path: string, query: string] => {
  const at = target.indexOf('?');
  return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at)];
};

export const withoutSlash = (path: string): string => path.replace(/\/$/, '');

/** Splits a path behind the base path, which is `''` where the path is not below it. */
export const splitBase = (
  path: string,
  { basePath }: Pick<Deployment, 'basePath'>,
): readonly [base: string, below: string] =>
  path.startsWith(`${basePath}/`) ? [basePath, path.slice(basePath.length)] : ['', path];

/** Twelve hex digits that are the same for a label within one run, and cannot be guessed before. */
export const nonce = (deployment: Deployment, label: string): string => noncesOf(deployment)(label);

const noncesOf = memoizePerObject(({ seed }: Deployment) =>
  memoize((label: string): string => hash('sha256', `${seed} ${label}`, 'hex').slice(0, 12)),
);

/** A target with a query that no other request has: no cache answers it, or keeps its answer. */
export const onItsOwnQuery = (subject: OperationSubject, label: string, target = targetOf(subject)): string =>
  withQuery(target, [`nothing-${nonce(subject.deployment, `${label} ${subject.operation.id}`)}=1`]);

/**
 * A target like this one whose path does not exist: the last literal segment of the operation's
 * path, or else the last segment that is not empty, is replaced by a random name. A parameter is
 * not replaced, since another value may exist. The path stays below the base path, above which
 * another service may be. Each label has another path.
 */
export const missingTarget = (
  { operation, deployment }: OperationSubject,
  target: string,
  label = 'missing',
): string => {
  const [path, query] = splitTarget(target);
  const [base, below] = splitBase(path, deployment);
  const segments = below.split('/');
  const filled = segments.flatMap((segment, index) => (segment === '' ? [] : [index]));
  const last = filled.at(-1 - parametersBehind(operation.path)) ?? filled.at(-1) ?? -1;
  const name = `missing-${nonce(deployment, label)}`;
  return `${base}${last < 0 ? `/${name}` : segments.with(last, name).join('/')}${query}`;
};

/** How many parameter segments follow the last literal one; 0 if there is no literal one. */
const parametersBehind = (template: string): number => {
  const segments = template.split('/').filter((segment) => segment !== '');
  const last = segments.findLastIndex((segment) => !segment.includes('{'));
  return last < 0 ? 0 : segments.length - 1 - last;
};

/** The same request at a sibling path that does not exist. */
export const missingOf = (subject: OperationSubject, probe: Probe, label?: string): Probe => ({
  ...probe,
  target: missingTarget(subject, probe.target, label),
});

/** The same request at the base path. If the operation is there, at a missing path. */
export const baseOf = (subject: OperationSubject, probe: Probe): Probe => {
  const { basePath } = subject.deployment;
  return isBase(subject)
    ? { ...probe, target: `${basePath}/missing-${nonce(subject.deployment, 'base')}` }
    : { ...probe, target: `${basePath}/` };
};

const isBase = ({ operation }: OperationSubject): boolean => /^\/*$/.test(splitTarget(operation.target)[0]);

/** Requests as data. */

/**
 * The key that a request carries in the documented place and format: `none`, `valid`, or a changed
 * form by name (`random`, `first-half`…).
 */
export type Credential = 'none' | 'valid' | (string & {});

export interface RequestOptions {
  readonly name: string;
  readonly credential: Credential;
  /** Overrides `credential` for single schemes, by name. */
  readonly instead?: Readonly<Record<string, Credential>>;
  readonly method?: string;
  /** Replaces path and query, byte for byte. */
  readonly target?: string;
  /** Sent after the operation's own fields and the key. */
  readonly headers?: readonly HeaderPair[];
  readonly round?: number;
  readonly occasion?: string;
  readonly connection?: Probe['connection'];
  readonly protocol?: Probe['protocol'];
  readonly origin?: string;
  readonly family?: AddressFamily;
}

/** Values of User-Agent that services treat differently. */
export const agents = {
  browser: 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  /** Health checks of Kubernetes, and of clouds and services that watch sites. */
  monitors: 'kube-probe/1.33 ELB-HealthChecker/2.0 GoogleHC/1.0 UptimeRobot/2.0 Pingdom.com_bot_version_1.4',
  crawler: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
} as const;

/** The fields that ask for WebSocket (RFC 6455, section 4.1). */
export const webSocketUpgrade: readonly HeaderPair[] = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Version', '13'],
  ['Sec-WebSocket-Key', 'AAAAAAAAAAAAAAAAAAAAAA=='],
];

/** A request for the operation. Everything is as documented except for what `words` change. */
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
    target: withQuery(withRandomIds(words.target ?? targetOf(subject), operation, deployment), query),
    headers,
    connection: words.connection ?? 'shared',
    protocol: words.protocol ?? 'http/1.1',
    round: words.round ?? 1,
    ...(operation.placeholders ? { values: operation.placeholders } : {}),
    ...(words.occasion === undefined ? {} : { occasion: words.occasion }),
    ...(words.family === undefined ? {} : { family: words.family }),
  };
};

/** The same request with the key, to compare with if a bypass changes the format of the answer. */
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

/** The documented request without its credentials. Cached, since most rules need it. */
export const requestWithoutKey = (subject: OperationSubject, more?: Partial<RequestOptions>): Probe =>
  more ? requestFor(subject, { name: 'without a key', credential: 'none', ...more }) : plainRead(subject);

export const overHttp2 = (subject: OperationSubject): Probe =>
  requestWithoutKey(subject, { name: 'without a key, over HTTP/2', protocol: 'h2', connection: 'fresh' });

export const randomKey = 'a random key of the same length and alphabet';

/** The read with a random key. Rules that compare with it share this request. */
export const requestWithRandomKey = (subject: OperationSubject): Probe =>
  requestFor(subject, { name: randomKey, credential: 'random' });

/** What follows a read with the key on its connection. */
const followers = {
  none: {
    name: 'without a key, on the connection that just carried it',
    keyed: {
      name: 'with the key, before its connection is used again',
      occasion: 'for the connection that carried it',
    },
  },
  random: {
    name: 'with a random key, on the connection that just carried a good one',
    keyed: {
      name: 'with the key, before a random one on its connection',
      occasion: 'for a random key on its connection',
    },
  },
} as const;

/** A read with the key, and one without it or with a random key on the same connection. */
export const onKeyedConnection = (
  subject: OperationSubject,
  credential: keyof typeof followers,
): readonly [keyed: Probe, follower: Probe] => {
  const { name, keyed } = followers[credential];
  return [
    requestFor(subject, { ...keyed, credential: 'valid' }),
    requestFor(subject, { name, credential, connection: 'keyed' }),
  ];
};

/** The documented request of an operation that needs no credentials. */
export const requestWithNothing = (subject: OperationSubject, more: Partial<RequestOptions> = {}): Probe =>
  requestWithoutKey(subject, { name: 'with nothing sent', ...more });

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

/** The placeholder that the wire client replaces by a key: `<API_KEY>`, `<API_KEY:first-half>`. */
export const keyTemplate = (scheme: SecurityScheme, credential: string): string => {
  const forms = [
    ...(credential === 'valid' ? [] : [credential]),
    ...(scheme.encoding === 'base64' ? ['base64'] : scheme.in === 'query' ? ['urlencoded'] : []),
  ];
  return forms.length === 0 ? `<${scheme.setting}>` : `<${scheme.setting}:${forms.join(':')}>`;
};

export const again = (probe: Probe, round = 2): Probe => ({ ...probe, round });

/** The requests without a key of a few protected operations. */
export const protectedRequests = (subject: OperationSubject): readonly Probe[] =>
  protectedSubjects(subject).map((each) => requestWithoutKey(each));
