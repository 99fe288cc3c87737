import { wordsIn } from '../../collections.js';
import { plainPathOf } from '../../contract/json-values.js';
import type { Operation } from '../../contract/model.js';
import { upperSnake } from '../../names.js';
import { withoutQuery, withQuery } from '../../urls.js';
import type { Exchange, Probe } from '../../wire/types.js';
import { answerOf, isSuccess } from '../oracle/answers.js';
import type { KeyHolder, OperationSubject } from '../rule.js';
import { listed } from '../support/judgement.js';
import { splitTarget } from '../support/targets.js';

/** Requests that name another account beside their path: in the query, and in fields. */

/** Words by which queries name an account. */
const nouns = wordsIn(`
  user account owner member customer client author tenant org organization organisation team
  company workspace
`);

/** Fields in which clients and gateways name an account. */
const fields = wordsIn(`
  X-User-Id X-User X-Account-Id X-Account X-Owner-Id X-Customer-Id X-Client-Id X-Tenant-Id X-Tenant
  X-Org-Id X-Organization-Id X-Team-Id X-Company-Id X-Workspace-Id X-On-Behalf-Of X-Act-As
`);

/** Stands for what `owns` in IDENTITIES says of an identity: `<ID_OF_TOMAS>`. */
export const accountPlaceholder = (name: string): string => `<ID_OF_${upperSnake(name)}>`;

/**
 * What the placeholder stands for, in words.
 * @param isInUrl whether it stands in a URL
 */
export const accountSource = (name: string, isInUrl: boolean): string =>
  `what owns in IDENTITIES says of ${name}${isInUrl ? ', percent-encoded in the URL' : ''}`;

/** The value of a parameter that names the account whose key asks. */
export const ownAccountSource = 'what owns in IDENTITIES says of the account, percent-encoded in the URL';

/** Whether a placeholder stands for an account, and not for a value that was read. */
export const isAccountPlaceholder = (placeholder: string): boolean => placeholder.startsWith('<ID_OF_');

/** Where a request names an account: a query parameter, or a field. */
export type AccountClaim = NonNullable<Operation['parameterNames']>[number];

/** `customer` → `customer`, `customer_id`, `customerId` */
const withIds = (noun: string): readonly string[] => [noun, `${noun}_id`, `${noun}Id`];

/** The names by which rows name their owner: `/data/customer/id` → `data`, `customer`. */
const ownerNouns = ({ owner }: Pick<Operation, 'owner'>): readonly string[] =>
  (owner === undefined ? [] : plainPathOf(owner))
    .slice(-2)
    .map((noun) => String(noun).replace(/_?id$/i, ''))
    .filter((noun) => noun !== '');

const queryClaim = (name: string): AccountClaim => ({ in: 'query', name });

/** Words for an account: usual ones, and those by which rows of the operation name their owner. */
export const accountNouns = (operation: Pick<Operation, 'owner'>): readonly string[] => [
  ...new Set([...ownerNouns(operation), ...nouns]),
];

const hasNoun = (name: string, all: readonly string[]): boolean => {
  const words = upperSnake(name).toLowerCase().split('_');
  return all.some((noun) => words.includes(noun.toLowerCase()));
};

export const mayNameAccount = (operation: Pick<Operation, 'owner'>, parameter: string): boolean =>
  hasNoun(parameter, accountNouns(operation));

/** Documented parameters of which a value was chosen for all: it may be any account's. */
const chosenClaims = ({ operation: { parameterNames = [], chosen = [] } }: OperationSubject): readonly AccountClaim[] =>
  parameterNames.filter(({ name }) => chosen.includes(name));

/** Other documented parameters whose name has one of the nouns in it. */
const documentedClaims = (
  { operation: { parameterNames = [], chosen = [] } }: OperationSubject,
  all: readonly string[],
): readonly AccountClaim[] => parameterNames.filter(({ name }) => !chosen.includes(name) && hasNoun(name, all));

const namesSent = ({ operation: { target, headers, security } }: OperationSubject): readonly string[] => [
  ...new URLSearchParams(splitTarget(target)[1]).keys(),
  ...headers.map(([field]) => field),
  ...security.map(({ field }) => field),
];

/** Whether the request names an account here, by what `owns` says. */
const namesAccount = ({ operation: { target, headers } }: OperationSubject, { in: place, name }: AccountClaim) =>
  place === 'query'
    ? isAccountPlaceholder(new URLSearchParams(splitTarget(target)[1]).get(name) ?? '')
    : headers.some(([field, value]) => field === name && isAccountPlaceholder(value));

/**
 * The ways in which a request can name the account of an identity: in place of values that were
 * chosen for all, in other parameters that the document lists, and in usual ones. Each parameter is
 * sent once.
 */
export const accountClaims = (subject: OperationSubject, { owns }: KeyHolder): readonly (readonly AccountClaim[])[] => {
  if (owns === undefined || subject.deployment.probes !== 'extended') return [];
  const all = accountNouns(subject.operation);
  const documented = documentedClaims(subject, all);
  const known = new Set(
    [...namesSent(subject), ...documented.map(({ name }) => name)].map((name) => name.toLowerCase()),
  );
  const usual = [
    ...all.flatMap(withIds).map(queryClaim),
    ...fields.map((name): AccountClaim => ({ in: 'header', name })),
  ].filter(({ name }) => !known.has(name.toLowerCase()));
  const open = documented.filter((claim) => !namesAccount(subject, claim));
  return [chosenClaims(subject), open, usual].filter((claims) => claims.length > 0);
};

const halvesOf = <T>(all: readonly T[]): readonly (readonly T[])[] => {
  const middle = Math.ceil(all.length / 2);
  return [all.slice(0, middle), all.slice(middle)].filter((half) => half.length > 0);
};

/** Most claims that are asked one by one, and that are named in words. */
const fewClaims = 3;

/**
 * Claims in parts, where a request with all of them is refused: a service may refuse one name, a
 * value that is none of an enumeration, or a long query, and read another name.
 */
const inParts = (
  all: readonly AccountClaim[],
  isRefused: (claims: readonly AccountClaim[]) => boolean,
): readonly (readonly AccountClaim[])[] => {
  if (all.length < 2 || !isRefused(all)) return [all];
  if (all.length <= fewClaims) return all.map((claim) => [claim]);
  const of = (place: AccountClaim['in']): readonly AccountClaim[] => all.filter((claim) => claim.in === place);
  return [...halvesOf(of('query')), of('header')].filter((claims) => claims.length > 0);
};

/** The claims that one request makes each: all of a kind, or a part where all are refused. */
export const claimsTogether = (
  subject: OperationSubject,
  account: KeyHolder,
  isRefused: (claims: readonly AccountClaim[]) => boolean,
): readonly (readonly AccountClaim[])[] => accountClaims(subject, account).flatMap((all) => inParts(all, isRefused));

/** `?owner=` */
export const placeOf = (claim: AccountClaim): string => (claim.in === 'query' ? `?${claim.name}=` : claim.name);

/** `names tomas in ?owner=`. */
export const namesIn = ({ name }: KeyHolder, claims: readonly AccountClaim[]): string =>
  `names ${name} in ${claims.length > fewClaims ? 'the query and in fields' : listed(claims.map(placeOf))}`;

/** The request, which names the account of an identity, also in place of a value that it has. */
export const naming = (probe: Probe, account: KeyHolder, claims: readonly AccountClaim[]): Probe => {
  const value = accountPlaceholder(account.name);
  const of = (place: AccountClaim['in']): readonly string[] =>
    claims.filter((claim) => claim.in === place).map((claim) => claim.name);
  const parameters = of('query').map((parameter) => `${encodeURIComponent(parameter)}=${value}`);
  const named = of('header');
  return {
    ...probe,
    name: `${probe.name}, which ${namesIn(account, claims)}`,
    target: withQuery(withoutQuery(probe.target, of('query')), parameters),
    headers: [
      ...probe.headers.filter(([field]) => !named.includes(field)),
      ...named.map((field) => [field, value] as const),
    ],
    values: { ...probe.values, [value]: accountSource(account.name, parameters.length > 0) },
  };
};

/** Whether a request that names an account is refused, and otherwise than the one that does not. */
export const isRefusedFor = (named: Exchange, plain: Exchange): boolean => {
  const [answer, before] = [named, plain].map(answerOf);
  return !isSuccess(answer) && answer?.status !== before?.status;
};

/**
 * The fewest claims that are enough, by halves; some of each half where neither is enough.
 * @param all claims that are enough together with `beside`
 */
export const fewest = (
  all: readonly AccountClaim[],
  areEnough: (claims: readonly AccountClaim[]) => boolean,
  beside: readonly AccountClaim[] = [],
): readonly AccountClaim[] => {
  const [first, second] = halvesOf(all);
  if (!first || !second) return all;
  const half = [first, second].find((claims) => areEnough([...beside, ...claims]));
  if (half) return fewest(half, areEnough, beside);
  const some = fewest(first, areEnough, [...beside, ...second]);
  return [...some, ...fewest(second, areEnough, [...beside, ...some])];
};
