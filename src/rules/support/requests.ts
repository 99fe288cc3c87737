import { hash } from 'node:crypto';
import { memoize, memoizePerObject } from '../../collections.js';
import type { Contract, Operation, SecurityScheme } from '../../contract/model.js';
import type { AddressFamily, HeaderPair, Probe } from '../../wire/types.js';
import type { Deployment, OperationSubject, Subject } from '../rule.js';
import { withRandomIds } from './random-ids.js';

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

/** `Authorization`, `the query parameter api_key`, `the cookie session`. */
export const locationOf = ({ in: place, field }: SecurityScheme): string =>
  place === 'header' ? field : `the ${place === 'query' ? 'query parameter' : 'cookie'} ${field}`;

const carriedBy = (security: readonly SecurityScheme[], { credential, instead }: RequestOptions) =>
  security.map((scheme) => ({
    place: scheme.in,
    name: scheme.field,
    value: `${scheme.in === 'query' ? encodeURIComponent(scheme.prefix) : scheme.prefix}${keyTemplate(scheme, instead?.[scheme.name] ?? credential)}`,
  }));

/** What a query may not hold as it is, encoded. */
export const inQuery = (text: string): string => text.replace(/[^A-Za-z0-9\-._~!$'()*,;:@/?[\]]/gu, encodeURIComponent);

/** The placeholder that the wire client replaces: `<API_KEY>`, `<API_KEY:first-half>`. */
export const keyTemplate = (scheme: SecurityScheme, credential: string): string => {
  const forms = [
    ...(credential === 'valid' ? [] : [credential]),
    ...(scheme.encoding === 'base64' ? ['base64'] : scheme.in === 'query' ? ['urlencoded'] : []),
  ];
  return forms.length === 0 ? `<${scheme.setting}>` : `<${scheme.setting}:${forms.join(':')}>`;
};

/** Path and query of the operation at this deployment. */
export const targetOf = ({ operation, deployment }: OperationSubject): string =>
  `${deployment.basePath}${withRandomIds(operation.target, operation, deployment)}`;

export const withQuery = (target: string, parameters: readonly string[]): string =>
  parameters.length === 0 ? target : `${target}${target.includes('?') ? '&' : '?'}${parameters.join('&')}`;

/**
 * The parameters of an operation that were given values: `{id}`, `the query`; `''` where there are
 * none.
 */
export const filledParameters = ({ path, target }: Operation): string => {
  const names = [...path.matchAll(/\{[^{}]*\}/g)].map(([name]) => name);
  const query = target.includes('?') && !path.includes('?') ? ['the query'] : [];
  return [...names, ...query].join(', ');
};

/** Splits at the first `?`; the second part keeps it. */
export const splitTarget = (target: string): readonly [path: string, query: string] => {
  const at = target.indexOf('?');
  return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at)];
};

/** Twelve hex digits that are the same for a label within one run and unguessable before it. */
export const nonce = (deployment: Deployment, label: string): string => noncesOf(deployment)(label);

const noncesOf = memoizePerObject(({ seed }: Deployment) =>
  memoize((label: string): string => hash('sha256', `${seed} ${label}`, 'hex').slice(0, 12)),
);

/**
 * A sibling path that does not exist: the last segment that is not empty is replaced by a random
 * name. The path stays below the base path, since another service may be above it. If the
 * operation's template is given, the last literal segment is replaced: another value of a parameter
 * may exist.
 */
export const missingPath = (path: string, deployment: Deployment, template = '', label = 'missing'): string => {
  const { basePath } = deployment;
  const below = basePath !== '' && path.startsWith(`${basePath}/`) ? basePath : '';
  const segments = path.slice(below.length).split('/');
  const filled = segments.flatMap((segment, index) => (segment === '' ? [] : [index]));
  const last = filled.at(-1 - parametersBehind(template)) ?? filled.at(-1) ?? -1;
  const name = `missing-${nonce(deployment, label)}`;
  return last < 0 ? `${below}/${name}` : `${below}${segments.with(last, name).join('/')}`;
};

/**
 * The number of segments with parameters after the last literal one; 0 where there is no literal
 * segment.
 */
const parametersBehind = (template: string): number => {
  const segments = template.split('/').filter((segment) => segment !== '');
  const last = segments.findLastIndex((segment) => !segment.includes('{'));
  return last < 0 ? 0 : segments.length - 1 - last;
};

/** The same request at a sibling path that does not exist; another one for each label. */
export const missingOf = (subject: OperationSubject, probe: Probe, label?: string): Probe => {
  const [path, query] = splitTarget(probe.target);
  return { ...probe, target: `${missingPath(path, subject.deployment, subject.operation.path, label)}${query}` };
};

/**
 * The same request at the base path. If the operation itself is there: at another path that does
 * not exist.
 */
export const baseOf = (subject: OperationSubject, probe: Probe): Probe => {
  const { basePath } = subject.deployment;
  return isBase(subject)
    ? { ...probe, target: `${basePath}/missing-${nonce(subject.deployment, 'base')}` }
    : { ...probe, target: `${basePath}/` };
};

const isBase = ({ operation }: OperationSubject): boolean => /^\/*$/.test(splitTarget(operation.target)[0]);

export const again = (probe: Probe, round = 2): Probe => ({ ...probe, round });

/** Whether every key that the operation asks for was given. */
export const keyAvailable = ({ operation, deployment }: OperationSubject): boolean =>
  operation.security.every(({ setting }) => deployment.keys[setting] !== undefined);

/** Whether the operation's key would be sent in the URL, which PROBE_KEY_IN_URL does not allow. */
export const keyConfined = ({ operation, deployment }: OperationSubject): boolean =>
  operation.security.some((scheme) => scheme.in === 'query') && !deployment.probeKeyInUrl;

/**
 * The other security requirements of an operation, each as the subject of an operation that has it.
 */
export const otherSecurityRequirements = memoize((subject: OperationSubject): readonly OperationSubject[] => {
  const { operation } = subject;
  const { alternatives = [] } = operation;
  return alternatives.map((security, index) => ({
    ...subject,
    operation: { ...operation, security, alternatives: [operation.security, ...alternatives.toSpliced(index, 1)] },
  }));
});

/** The schemes of a security requirement: `"bearer" and "tenant"`. */
export const securityRequirementOf = ({ operation }: OperationSubject): string =>
  operation.security.map(({ name }) => `"${name}"`).join(' and ');

/** Whether keys for these schemes alone meet a security requirement of the operation. */
export const isDocumentedRequirement = ({ operation }: OperationSubject, keyed: readonly SecurityScheme[]): boolean =>
  [operation.security, ...(operation.alternatives ?? [])].some((way) =>
    way.every(({ name }) => keyed.some((scheme) => scheme.name === name)),
  );

const subjectsIn = memoizePerObject((deployment: Deployment) =>
  memoizePerObject((contract: Contract) =>
    memoizePerObject((operation: Operation): OperationSubject => ({ contract, deployment, operation })),
  ),
);

/** An operation as subject: one object, since requests and controls are kept by their subject. */
export const subjectFor = ({ contract, deployment }: Subject, operation: Operation): OperationSubject =>
  subjectsIn(deployment)(contract)(operation);

const operationsById = memoizePerObject(
  ({ operations }: Contract): ReadonlyMap<string, Operation> =>
    new Map(operations.map((operation) => [operation.id, operation])),
);

/** An operation of a contract by its id. */
export const operationIn = (contract: Contract, id: string): Operation | undefined => operationsById(contract).get(id);

const mostRefusals = 2;

const firstProtected = memoize((contract: Contract): readonly Operation[] =>
  contract.operations.filter(({ access, method }) => access === 'protected' && method === 'GET').slice(0, mostRefusals),
);

/** A few protected operations, as subjects. */
export const protectedSubjects = (subject: Subject): readonly OperationSubject[] =>
  firstProtected(subject.contract).map((operation) => subjectFor(subject, operation));

/** How protected operations answer a client without a key. */
export const protectedRequests = (subject: OperationSubject): readonly Probe[] =>
  protectedSubjects(subject).map((each) => readWithoutKey(each));

const mostAsked = 50;

/** What protected operations ask for. */
const asked = memoize((contract: Contract): readonly (readonly SecurityScheme[])[] => [
  ...contract.operations
    .filter(({ access }) => access === 'protected')
    .slice(0, mostAsked)
    .map(({ security }) => security),
  ...contract.schemes.map((scheme) => [scheme]),
]);

/**
 * The schemes of a protected operation of the contract, of which all keys were given and may be
 * sent; none where there is no such operation.
 */
export const keysOf = (subject: OperationSubject): readonly SecurityScheme[] =>
  asked(subject.contract).find(
    (security) => security.length > 0 && canSendKey({ ...subject, operation: { ...subject.operation, security } }),
  ) ?? [];

/** The operation's only scheme; `undefined` where several keys travel together. */
export const onlyScheme = (operation: Operation): SecurityScheme | undefined =>
  operation.security.length === 1 ? operation.security[0] : undefined;

/** Whether a read with the key can be sent at all. */
export const canSendKey = (subject: OperationSubject): boolean =>
  subject.operation.keyless === undefined && keyAvailable(subject) && !keyConfined(subject);
