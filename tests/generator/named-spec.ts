import type { Random } from './random.js';

/** What services do with a parameter or a field that names an account, as plain data. */

/** What a service that keeps accounts apart does with the name of another one. */
const treatments = [
  'ignored',
  '400',
  '403',
  '404',
  '422',
  'empty',
  'filters',
  'errorNames',
  'redirect',
  'profile',
  'echoed',
  'linked',
] as const;

/** Parameters that the document lists beside the path. */
const documented = {
  none: [],
  owner: [{ name: 'owner' }, { name: 'sort' }],
  twoNames: [{ name: 'org' }, { name: 'user_id' }],
  camel: [{ name: 'customerEmail' }],
  array: [{ name: 'owner_id', schema: { type: 'array', items: { type: 'string' } } }],
  field: [{ name: 'x-tenant-id', in: 'header' }],
  enumerated: [{ name: 'account_type', schema: { type: 'string', enum: ['open', 'held'] } }, { name: 'owner' }],
  dated: [{ name: 'member_since', schema: { type: 'string', format: 'date' } }, { name: 'user' }],
} as const;

interface Leak {
  /** Names of parameters and fields in lower case, of which all have to name the account. */
  readonly by: readonly string[];
  readonly at: 'list' | 'item' | 'record' | 'all';
  readonly gives: 'theirs' | 'mixed' | 'inside';
}

export interface NamedSpec {
  readonly documents: keyof typeof documented;
  readonly treats: (typeof treatments)[number];
  /** What the service does with parameters that its document lacks. */
  readonly unknown: 'ignored' | 'refused';
  /** Longest query that it takes. */
  readonly longest: number;
  /** Most fields that it takes. */
  readonly mostFields: number;
  /** Rows name the other peer too, in a member of its own or in comments. */
  readonly quotes: 'none' | 'assignee' | 'comments';
  readonly leak?: Leak;
}

export interface DocumentedParameter {
  readonly name: string;
  readonly in?: string;
  readonly schema?: object;
}

export const parametersOf = ({ documents }: NamedSpec): readonly DocumentedParameter[] => documented[documents];

const usualQuery = ['user_id', 'owner', 'tenant', 'accountId', 'org', 'customer_id'];
const usualFields = ['x-user-id', 'x-tenant-id', 'x-on-behalf-of', 'x-account'];
const named = /owner|org|user|customer|tenant/;

/** @param isFaulty whether a request that names another account gets what is its */
export const namedSpec = (random: Random, isFaulty: boolean): NamedSpec => {
  const documents = random.pick(Object.keys(documented) as (keyof typeof documented)[]);
  const own = documented[documents].map(({ name }) => name).filter((name) => named.test(name));
  const unknown = random.pick(['ignored', 'ignored', 'refused'] as const);
  const strict = unknown === 'refused';
  const ways: readonly (readonly string[])[] = [
    own.length > 0 ? own : [random.pick(usualFields)],
    own.length > 0 ? own.slice(0, 1) : [random.pick(usualFields)],
    [random.pick(strict ? usualFields : usualQuery)],
    [random.pick(usualFields)],
    strict ? [random.pick(usualFields)] : [usualQuery[0] ?? '', usualQuery[4] ?? ''],
  ];
  return {
    documents,
    treats: random.pick(treatments),
    unknown,
    longest: random.pick([8_000, 8_000, 2_000]),
    mostFields: random.pick([100, 100, 40]),
    quotes: random.pick(['none', 'none', 'none', 'assignee', 'comments']),
    ...(isFaulty
      ? {
          leak: {
            by: random.pick(ways).map((name) => name.toLowerCase()),
            at: random.pick(['list', 'item', 'record', 'all'] as const),
            gives: random.pick(['theirs', 'mixed', 'inside'] as const),
          },
        }
      : {}),
  };
};
