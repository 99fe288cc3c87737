import { memoize } from '../../collections.js';
import type { SecurityScheme } from '../../contract/model.js';
import { withQuery } from '../../urls.js';
import type { HeaderPair, Probe } from '../../wire/types.js';
import type { OperationSubject, Subject } from '../rule.js';
import { nonce } from './nonce.js';
import { protectedSubjects } from './subjects.js';
import { inQuery, missingTarget, splitTarget, targetOf, withRandomIds } from './targets.js';

/** Makes requests for an operation, as data. */

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

/**
 * The key that a request carries in the documented place and format: `none`, `valid`, or a changed
 * form by name (`random`, `first-half`…).
 */
export type Credential = 'none' | 'valid' | (string & {});

/** The target replaces path and query; the headers follow the operation's own and the key. */
export interface RequestOptions extends Partial<Omit<Probe, 'operation' | 'values' | 'name'>> {
  readonly name: string;
  readonly credential: Credential;
  /** Overrides `credential` for single schemes, by name. */
  readonly instead?: Readonly<Record<string, Credential>>;
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

/** What a probe changes of the documented request beside its target and its credentials. */
export const changeOf = (subject: OperationSubject, probe: Probe): Omit<RequestOptions, 'name' | 'credential'> => {
  const { connection, method, origin, protocol, round } = probe;
  const documented = requestFor(subject, { name: '', credential: 'none' }).headers.length;
  return { headers: probe.headers.slice(documented), connection, method, origin, protocol, round };
};

/** The same request with the key, to compare with if a bypass changes the format of the answer. */
export const formControl = (subject: OperationSubject, probe: Probe): Probe =>
  requestFor(subject, {
    ...changeOf(subject, probe),
    name: `${probe.name}, with the key`,
    credential: 'valid',
    target: probe.target,
  });

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

/** Eight rounds from `first`: they meet one server of three with a probability of 96 %. */
export const roundsToMeetOneInThree = (first: number): readonly number[] =>
  Array.from({ length: 8 }, (_, index) => first + index);

export const again = (probe: Probe, round = 2): Probe => ({ ...probe, round });

export const protectedRequests = (subject: OperationSubject): readonly Probe[] =>
  protectedSubjects(subject).map((each) => requestWithoutKey(each));
