import type { Call } from '../call.js';
import { named } from '../definitions.js';
import { type Caller, places, type RolesFault, type Wanted } from './behaviour.js';
import { workouts } from './data.js';

const workoutOf = (wantedId: string): object | undefined => workouts.find(({ id }) => id === wantedId);

const scopes = { clauses: ['AUTH-5'], checks: ['refuses-other-scopes'] };
const lists = { clauses: ['AUTH-6'], checks: ['keeps-lists-apart'] };
const items = { clauses: ['AUTH-6'], checks: ['keeps-items-apart'] };

/** Whether an alternative matches when its needs are compared by `fits`. */
const someFits =
  (fits: (needs: readonly string[], holds: readonly string[]) => boolean) =>
  (_call: Call, { place }: Wanted, { scheme, holds }: Caller): boolean =>
    place.opens.some((set) => set.scheme === scheme && fits(set.needs, holds));

/** Each fault breaks one sentence about who may read what. */
export const rolesFaults = named<RolesFault>({
  'scope-not-checked': {
    title: 'A valid key opens everything, whatever its role.',
    ...scopes,
    override: () => ({ allows: someFits(() => true) }),
  },
  'scope-checked-on-lists-alone': {
    title: 'The list of workouts asks for the role, a single workout does not.',
    ...scopes,
    override: (base) => ({
      allows: (call, wanted, caller) => wanted.id !== undefined || base.allows(call, wanted, caller),
    }),
  },
  'any-scope-suffices': {
    title: 'Where two roles are needed together, one of them opens.',
    ...scopes,
    override: () => ({ allows: someFits((needs, holds) => needs.some((need) => holds.includes(need))) }),
  },
  'token-scope-not-checked': {
    title: 'The roles of keys are checked, the scopes of access tokens are not.',
    ...scopes,
    override: (base) => ({
      allows: (call, wanted, caller) => caller.scheme === 'oauth' || base.allows(call, wanted, caller),
    }),
  },
  'device-key-not-asked': {
    title: 'Measurements need the key of a device too, and open without it to an account that has no device.',
    ...scopes,
    override: (base, { credentials }) => ({
      hasKeys: (call, wanted, caller) =>
        !Object.hasOwn(credentials.devices, caller.account) || base.hasKeys(call, wanted, caller),
    }),
  },
  'head-ignores-scope': {
    title: 'HEAD does not ask for the role.',
    ...scopes,
    override: (base) => ({
      allows: (call, wanted, caller) => call.method === 'HEAD' || base.allows(call, wanted, caller),
    }),
  },
  'last-role-counts-alone': {
    title: 'Of a key with two roles the last one counts alone: auditors, who are members, get no workouts.',
    clauses: ['AUTH-5'],
    checks: ['opens-to-stated-scopes'],
    override: (base) => ({
      allows: (call, wanted, caller) =>
        base.allows(
          call,
          wanted,
          wanted.place === places.workouts ? { ...caller, holds: caller.holds.slice(-1) } : caller,
        ),
    }),
  },
  'expired-token-opens': {
    title: 'An access token opens after its end.',
    ...scopes,
    override: () => ({ lives: () => true }),
  },
  'foreign-token-opens': {
    title: 'An access token that was issued for another service opens.',
    ...scopes,
    override: () => ({ isForUs: () => true }),
  },
  'peers-item-opens': {
    title: 'A workout opens to every member who knows its id.',
    ...items,
    override: () => ({ workout: (_call, id) => workoutOf(id) }),
  },
  'peers-item-opens-by-upper-case-id': {
    title: 'Whose a workout is, is looked up by the id as it came, and the workout by the id in lower case.',
    ...items,
    override: (base) => ({
      workout: (call, id, caller) =>
        base.workout(call, id, caller) ?? (id === id.toLowerCase() ? undefined : workoutOf(id.toLowerCase())),
    }),
  },
  'head-opens-peers-item': {
    title: 'HEAD tells whether a workout exists, and how long it is, whosever it is.',
    ...items,
    override: (base) => ({
      workout: (call, id, caller) => (call.method === 'HEAD' ? workoutOf(id) : base.workout(call, id, caller)),
    }),
  },
  'peers-rows-in-list': {
    title: 'The list of workouts shows those of every account.',
    ...lists,
    override: (base) => ({
      rows: (call, wanted, caller) =>
        wanted.place === places.workouts && caller ? workouts : base.rows(call, wanted, caller),
    }),
  },
});
