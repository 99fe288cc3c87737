import { faultsOf, withNames } from '../definitions.js';
import { type Call, fieldOf } from '../messages.js';
import {
  type Caller,
  places,
  type RolesBehaviour,
  type RolesFault,
  type RolesOverride,
  type Wanted,
  workoutOf,
  workouts,
} from './behaviour.js';

const scopes = faultsOf<RolesOverride>('AUTH-5', 'refuses-other-scopes');
const opening = faultsOf<RolesOverride>('AUTH-5', 'opens-to-stated-scopes');
const lists = faultsOf<RolesOverride>('AUTH-6', 'keeps-lists-apart');
const keyless = faultsOf<RolesOverride>('AUTH-3', 'refuses-proxy-fields');
const items = faultsOf<RolesOverride>('AUTH-6', 'keeps-items-apart');

/** Lets these callers in too. */
const allowingToo =
  (isAllowed: RolesBehaviour['allows']): RolesOverride =>
  (base) => ({
    allows: (call, wanted, caller) => isAllowed(call, wanted, caller) || base.allows(call, wanted, caller),
  });

/** Whether an alternative matches when its needs are compared by `fits`. */
const someFits =
  (fits: (needs: readonly string[], holds: readonly string[]) => boolean) =>
  (_call: Call, { place }: Wanted, { scheme, holds }: Caller): boolean =>
    place.opens.some((set) => set.scheme === scheme && fits(set.needs, holds));

/** A member whom a field of a proxy names, without a key. */
const memberIn = (call: Call, field: string): Caller | undefined => {
  const account = fieldOf(call, field);
  return account !== undefined && workouts.some(({ owner }) => owner === account)
    ? { account, holds: ['member'], scheme: 'account', deviceOf: account }
    : undefined;
};

/** Each fault breaks one sentence about who may read what. */
export const faults = withNames<RolesFault>({
  'proxy-user-trusted': keyless('Where no key is sent, X-Forwarded-User names the member who asks.', (base) => ({
    identify: (call) => base.identify(call) ?? memberIn(call, 'X-Forwarded-User'),
  })),
  'scope-not-checked': scopes('A valid key opens everything, whatever its role.', () => ({
    allows: someFits(() => true),
  })),
  'scope-checked-on-lists-alone': scopes(
    'The list of workouts asks for the role, a single workout does not.',
    allowingToo((_call, { id }) => id !== undefined),
  ),
  'any-scope-suffices': scopes('Where two roles are needed together, one of them opens.', () => ({
    allows: someFits((needs, holds) => needs.some((need) => holds.includes(need))),
  })),
  'token-scope-not-checked': scopes(
    'The roles of keys are checked, the scopes of access tokens are not.',
    allowingToo((_call, _wanted, { scheme }) => scheme === 'oauth'),
  ),
  'device-key-not-asked': scopes(
    'Measurements need the key of a device too, and open without it to an account that has no device.',
    (base, { credentials }) => ({
      hasKeys: (call, wanted, caller) =>
        !Object.hasOwn(credentials.devices, caller.account) || base.hasKeys(call, wanted, caller),
    }),
  ),
  'head-ignores-scope': scopes(
    'HEAD does not ask for the role.',
    allowingToo(({ method }) => method === 'HEAD'),
  ),
  'role-in-a-field-trusted': scopes(
    'Roles that a request names in X-User-Role are added to those of the key.',
    (base) => ({
      allows: (call, wanted, caller) =>
        base.allows(call, wanted, {
          ...caller,
          holds: [...caller.holds, ...(fieldOf(call, 'X-User-Role') ?? '').split(',')],
        }),
    }),
  ),
  'last-role-counts-alone': opening(
    'Of a key with two roles the last one counts alone: auditors, who are members, get no workouts.',
    (base) => ({
      allows: (call, wanted, caller) =>
        base.allows(
          call,
          wanted,
          wanted.place === places.workouts ? { ...caller, holds: caller.holds.slice(-1) } : caller,
        ),
    }),
  ),
  'expired-token-opens': scopes('An access token opens after its end.', () => ({ lives: () => true })),
  'foreign-token-opens': scopes('An access token that was issued for another service opens.', () => ({
    isForUs: () => true,
  })),
  'peers-item-opens': items('A workout opens to every member who knows its id.', () => ({
    workout: (_call, id) => workoutOf(id),
  })),
  'peers-item-opens-by-upper-case-id': items(
    'Whose a workout is, is looked up by the id as it came, and the workout by the id in lower case.',
    (base) => ({
      workout: (call, id, caller) =>
        base.workout(call, id, caller) ?? (id === id.toLowerCase() ? undefined : workoutOf(id.toLowerCase())),
    }),
  ),
  'peers-item-opens-by-owner-in-query': items(
    'A workout opens to every member who knows its id and names its owner in ?user_id=.',
    (base) => ({
      workout: (call, id, caller) =>
        base.workout(call, id, { ...caller, account: call.query.get('user_id') ?? caller.account }),
    }),
  ),
  'head-opens-peers-item': items(
    'HEAD tells whether a workout exists, and how long it is, whosever it is.',
    (base) => ({
      workout: (call, id, caller) => (call.method === 'HEAD' ? workoutOf(id) : base.workout(call, id, caller)),
    }),
  ),
  'peers-rows-in-list': lists('The list of workouts shows those of every account.', (base) => ({
    rows: (call, wanted, caller) =>
      wanted.place === places.workouts && caller ? workouts : base.rows(call, wanted, caller),
  })),
  'peers-rows-by-owner-in-query': lists(
    'The list of workouts shows those of the account that ?owner= names.',
    (base) => ({
      rows: (call, wanted, caller) =>
        base.rows(call, wanted, caller && { ...caller, account: call.query.get('owner') ?? caller.account }),
    }),
  ),
  'peers-rows-by-tenant-field': lists('The field X-Tenant-Id outranks the account of the key.', (base) => ({
    rows: (call, wanted, caller) =>
      base.rows(call, wanted, caller && { ...caller, account: fieldOf(call, 'X-Tenant-Id') ?? caller.account }),
  })),
  'peers-rows-by-account-in-path': lists('The goals of a member open to every member who names it.', () => ({
    isOwn: () => true,
  })),
  'peers-rows-in-rows': lists('Each workout of the list carries those of other accounts beside it.', (base) => ({
    rows(call, wanted, caller) {
      const rows = base.rows(call, wanted, caller);
      if (wanted.place !== places.workouts || !caller) return rows;
      const similar = workouts.filter(({ owner }) => owner !== caller.account);
      return rows.map((row) => ({ ...row, similar }));
    },
  })),
});
