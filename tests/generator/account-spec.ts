import { type AddressedSpec, addressedSpec } from './addressed-accounts.js';
import { type NamedSpec, namedSpec } from './named-spec.js';
import { type Random, randomOf } from './random.js';

/** What a service with several accounts is made of, as plain data: a seed gives the same one again. */

/** Two peers, one with more rights, and one who lacks the scope. */
export const holders = ['ada', 'ben', 'carol', 'dave'] as const;
export type Holder = (typeof holders)[number];

const listFaults = ['listGivesAll', 'listGivesOneAll', 'listGivesOneRow'] as const;
const itemFaults = ['itemOpens', 'itemOpensToOne', 'itemInRefusal', 'itemInPart'] as const;
const scopeFaults = ['listScope', 'headScope', 'anyScope', 'noScope', 'holderRefused'] as const;
export type AccountFault =
  | (typeof listFaults)[number]
  | (typeof itemFaults)[number]
  | (typeof scopeFaults)[number]
  | 'named'
  | 'addressed'
  | 'none';

const ids = ['number', 'uuid', 'slug', 'perAccount'] as const;
const owners = ['none', 'none', 'number', 'number', 'nested', 'email', 'name', 'uuid', 'small', 'word'] as const;
export const envelopes = ['bare', 'page', 'data', 'cursor', 'resources', 'wrapped', 'lines'] as const;
/** What an id of another account, or a missing scope, gets. */
const byStatus = ['404', '403', '401', 'redirect'] as const;
export const refusals = [...byStatus, 'error', 'null', 'empty', 'emptyList', 'logIn'] as const;

export interface AccountSpec {
  readonly seed: string;
  readonly fault: AccountFault;
  readonly ids: (typeof ids)[number];
  /** How a row names its owner. */
  readonly owner: (typeof owners)[number];
  /** The document has x-access-owner. */
  readonly statesOwner: boolean;
  /** The identities have `owns`. */
  readonly owns: boolean;
  readonly envelope: (typeof envelopes)[number];
  readonly refusal: (typeof refusals)[number];
  readonly scopeRefusal: (typeof refusals)[number];
  /** Rows for everybody, and whose they are. */
  readonly shared: 'none' | 'nobodys' | 'systems';
  /** Values that differ from read to read. */
  readonly changes: boolean;
  /** Values that differ from reader to reader. */
  readonly viewers: boolean;
  readonly shuffles: boolean;
  /** The first rows of the two peers have equal content. */
  readonly equal: boolean;
  readonly counts: Readonly<Record<Holder, number>>;
  readonly pageSize: number;
  readonly carolSeesAll: boolean;
  /** Scopes that the document asks for; none where there are no scopes. */
  readonly scopes: readonly string[];
  /** What requests get that name an account beside the path. */
  readonly named: NamedSpec;
  /** How requests have to name an account. */
  readonly addressed: AddressedSpec;
}

const isOf = (faults: readonly AccountFault[], fault: AccountFault): boolean => faults.includes(fault);

/** Where one account gets rows or items of another, the owner has some. */
const countsOf = (random: Random, fault: AccountFault, dave: number): AccountSpec['counts'] => ({
  ada: Math.max(
    random.pick([0, 1, 2, 5, 12]),
    isOf(['listGivesOneAll', 'listGivesOneRow', 'named', 'addressed', ...itemFaults], fault) ? 1 : 0,
  ),
  ben: Math.max(random.pick([0, 1, 2, 5, 12]), isOf(['named', 'addressed'], fault) ? 1 : 0),
  carol: random.pick([0, 2, 3]),
  dave,
});

/** The clause that a fault breaks. */
export const brokenBy = (fault: AccountFault): 'AUTH-5' | 'AUTH-6' | undefined =>
  fault === 'none' ? undefined : isOf(scopeFaults, fault) ? 'AUTH-5' : 'AUTH-6';

/**
 * Faults are such that what is asked can show them: on whole lists, with ids that name one item, and
 * with rows for who lacks the scope.
 */
export const accountSpec = (seed: string, number: number): AccountSpec => {
  const random = randomOf(`${seed} ${number}`);
  const drawn = random.weighted<AccountFault>([
    [6, 'none'],
    [2, random.pick(listFaults)],
    [2, random.pick(itemFaults)],
    [3, random.pick(scopeFaults)],
    [3, 'named'],
  ]);
  const addressed = addressedSpec(random.fork('addressed'));
  // Half of the services that would read an account from elsewhere read it from where it has to be.
  const fault = drawn === 'named' && addressed.by !== 'none' && number % 2 === 0 ? 'addressed' : drawn;
  const owner = random.pick(owners);
  const hasScopes = isOf(scopeFaults, fault) || random.chance(0.5);
  const isTwo = fault === 'anyScope' || random.chance(0.3);
  const scopes = isTwo ? ['read', 'more'] : ['read'];
  return {
    seed: `${seed} ${number}`,
    fault,
    ids: random.pick(isOf(['named', 'addressed', ...itemFaults], fault) ? ids.slice(0, 3) : ids),
    owner,
    statesOwner: owner !== 'none' && random.chance(0.6),
    owns: addressed.by !== 'none' || isOf(['named', 'addressed'], fault) || (owner !== 'none' && random.chance(0.6)),
    envelope: random.pick(envelopes),
    // Who is given an id of somebody else's as its own reads a refusal with 200 as what it may get.
    refusal: random.pick(isOf(['named', 'addressed', ...listFaults], fault) ? byStatus : refusals),
    scopeRefusal: random.pick(refusals),
    shared: random.pick(['none', 'none', 'nobodys', 'systems']),
    changes: random.chance(0.3),
    viewers: random.chance(isOf(['named', 'addressed'], fault) ? 0 : 0.3),
    shuffles: random.chance(0.15),
    equal: random.chance(0.1),
    counts: countsOf(random, fault, isOf(scopeFaults, fault) ? 2 : random.pick([0, 2])),
    pageSize: isOf(['named', 'addressed', ...listFaults], fault) ? 100 : random.pick([3, 10, 100]),
    carolSeesAll: random.chance(0.5),
    scopes: hasScopes ? scopes : [],
    named: namedSpec(random.fork('named'), fault === 'named'),
    addressed,
  };
};
