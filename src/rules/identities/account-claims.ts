import { wordsIn } from '../../collections.js';
import { plainPathOf } from '../../contract/json-values.js';
import type { Operation } from '../../contract/model.js';
import { upperSnake } from '../../names.js';
import { withQuery } from '../../urls.js';
import type { Probe } from '../../wire/types.js';
import type { KeyHolder, OperationSubject } from '../rule.js';

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

export const accountSource = (name: string): string => `what owns in IDENTITIES says of ${name}`;

/** Where a request names an account: a query parameter, or a field. */
export type AccountClaim = NonNullable<Operation['optionalNames']>[number];

/** `customer` → `customer`, `customer_id`, `customerId` */
const withIds = (noun: string): readonly string[] => [noun, `${noun}_id`, `${noun}Id`];

/** The names by which the rows of an operation name their owner: `/customer/id` → `customer`. */
const ownerNouns = ({ owner }: Operation): readonly string[] => {
  const [noun] = owner === undefined ? [] : plainPathOf(owner);
  return noun === undefined ? [] : [String(noun).replace(/_?id$/i, '')].filter((name) => name !== '');
};

const queryClaim = (name: string): AccountClaim => ({ in: 'query', name });

/** Documented optional parameters whose name has one of the nouns in it. */
const documentedClaims = (
  { operation: { optionalNames = [] } }: OperationSubject,
  all: readonly string[],
): readonly AccountClaim[] =>
  optionalNames.filter(({ name }) => {
    const words = upperSnake(name).toLowerCase().split('_');
    return all.some((noun) => words.includes(noun.toLowerCase()));
  });

/**
 * The ways in which a request can name the account of an identity: those that the document lists,
 * and all that are usual. A service may refuse parameters that it does not know.
 */
export const accountClaims = (subject: OperationSubject, { owns }: KeyHolder): readonly (readonly AccountClaim[])[] => {
  if (owns === undefined || subject.deployment.probes !== 'extended') return [];
  const all = [...new Set([...ownerNouns(subject.operation), ...nouns])];
  const documented = documentedClaims(subject, all);
  const usual = [
    ...all.flatMap(withIds).map(queryClaim),
    ...fields.map((name): AccountClaim => ({ in: 'header', name })),
  ].filter(({ name }) => documented.every((one) => one.name !== name));
  return [documented, [...documented, ...usual]].filter((claims) => claims.length > 0);
};

/** `names tomas in ?owner=`. */
export const namesIn = ({ name }: KeyHolder, [first, ...more]: readonly AccountClaim[]): string => {
  const place =
    first === undefined || more.length > 0
      ? 'the query and in fields'
      : first.in === 'query'
        ? `?${first.name}=`
        : first.name;
  return `names ${name} in ${place}`;
};

/** The request, which also names the account of an identity. */
export const naming = (probe: Probe, account: KeyHolder, claims: readonly AccountClaim[]): Probe => {
  const value = accountPlaceholder(account.name);
  const of = (place: AccountClaim['in']): readonly string[] =>
    claims.filter((claim) => claim.in === place).map((claim) => claim.name);
  const parameters = of('query').map((parameter) => `${encodeURIComponent(parameter)}=${value}`);
  return {
    ...probe,
    name: `${probe.name}, which ${namesIn(account, claims)}`,
    target: withQuery(probe.target, parameters),
    headers: [...probe.headers, ...of('header').map((field) => [field, value] as const)],
    values: { ...probe.values, [value]: accountSource(account.name) },
  };
};

/**
 * The fewest claims that are enough, by halves.
 * @param all claims that are enough together
 */
export const fewest = (
  all: readonly AccountClaim[],
  areEnough: (claims: readonly AccountClaim[]) => boolean,
): readonly AccountClaim[] => {
  const middle = Math.ceil(all.length / 2);
  const half = all.length === 1 ? undefined : [all.slice(0, middle), all.slice(middle)].find(areEnough);
  return half === undefined ? all : fewest(half, areEnough);
};
