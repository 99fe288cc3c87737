import { composeBehaviour, pageOf } from '../behaviour.js';
import { byName, type Fault, faultsOf, type Variant, withNames } from '../definitions.js';
import { type Call, fieldOf, json, redirect, withHeaders } from '../messages.js';
import { type ReferenceOptions, type ReferenceService, startChanged } from '../service.js';
import {
  type Caller,
  conformingRoles,
  places,
  plans,
  type RolesBehaviour,
  type RolesContext,
  type RolesFault,
  type RolesOverride,
  type RolesVariant,
  type Wanted,
  workouts,
} from './behaviour.js';
import { Credentials, tokenEndpoint } from './credentials.js';

/**
 * The second embedded service, beside that of the shipped contract: accounts, roles and scopes, as
 * `openapi/accounts-and-roles.yaml` describes them.
 */

const workoutOf = (wantedId: string): object | undefined => workouts.find(({ id }) => id === wantedId);

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
const faults = withNames<RolesFault>({
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

/** Variants that conform to the same document. */
const variants = withNames<RolesVariant>({
  'not-found-without-scope': {
    title: 'Without the role there is nothing there: 404 in place of 403.',
    override: (_, { self }) => ({ forbid: (call) => self.missing(call) }),
  },
  'role-in-a-field-narrows': {
    title: 'A request may name the roles that it uses in X-User-Role, and has no others then.',
    override: (base) => ({
      allows(call, wanted, caller) {
        const named = fieldOf(call, 'X-User-Role')?.split(',');
        const holds = named ? caller.holds.filter((role) => named.includes(role)) : caller.holds;
        return base.allows(call, wanted, { ...caller, holds });
      },
    }),
  },
  'empty-list-without-scope': {
    title: 'Without the role every list is empty, with 200.',
    // A server that does not check the role answers an account without rows in the same way.
    verdict: 'incomplete',
    override: (base, { origin }) => ({
      forbid: (call, wanted, caller) =>
        wanted.id === undefined
          ? json(200, pageOf([], origin() + wanted.place.path))
          : base.forbid(call, wanted, caller),
    }),
  },
  'refuses-scope-with-200': {
    title: 'A key without the role gets 200 with an error in an envelope.',
    override: () => ({ forbid: () => json(200, { ok: false, error: { code: 4031, reason: 'role' } }) }),
  },
  'redirects-without-scope': {
    title: 'A key without the role is sent to a page where more can be asked for.',
    override: () => ({ forbid: () => redirect(302, '/') }),
  },
  'forbids-peers-items': {
    title: 'A workout of somebody else is forbidden with 403; one that does not exist is missing with 404.',
    override: (base) => ({
      answer(call) {
        const answer = base.answer(call);
        const id = base.route(call)?.id;
        const isSomebodys = workouts.some((workout) => workout.id === id);
        return answer.status === 404 && isSomebodys ? json(403, { detail: 'This is not yours.' }) : answer;
      },
    }),
  },
  'shared-plans': {
    title: 'Every member sees two plans among the workouts, which nobody owns, and can open them.',
    override: (base) => ({
      rows: (call, wanted, caller) => [
        ...(wanted.place === places.workouts ? plans : []),
        ...base.rows(call, wanted, caller),
      ],
      workout: (call, wantedId, caller) =>
        plans.find(({ id }) => id === wantedId) ?? base.workout(call, wantedId, caller),
    }),
  },
  'auditor-sees-all': {
    title: 'An auditor sees the workouts of every account, in the list and one by one.',
    override: (base) => ({
      rows: (call, wanted, caller) =>
        wanted.place === places.workouts && caller?.holds.includes('auditor')
          ? workouts
          : base.rows(call, wanted, caller),
      workout: (call, wantedId, caller) =>
        caller.holds.includes('auditor') ? workoutOf(wantedId) : base.workout(call, wantedId, caller),
    }),
  },
  'owner-in-query-narrows': {
    title: '?owner= and X-Tenant-Id choose among the rows of the account: those of others are none.',
    override: (base) => ({
      rows(call, wanted, caller) {
        const named = call.query.get('owner') ?? fieldOf(call, 'X-Tenant-Id');
        const rows = base.rows(call, wanted, caller);
        return named === null || named === undefined || named === caller?.account || wanted.place.opens.length === 0
          ? rows
          : [];
      },
    }),
  },
  'own-rows-at-any-account': {
    title: 'Whose goals a path asks for counts for nothing: a member gets those of its own account.',
    override: (base) => ({
      isOwn: () => true,
      rows: (call, wanted, caller) =>
        base.rows(call, wanted.place === places.goals ? { ...wanted, member: caller?.account ?? '' } : wanted, caller),
    }),
  },
  'unknown-parameters-refused': {
    title: 'A parameter that the document does not list is refused with 400.',
    override: (base) => ({
      answer: (call) =>
        [...call.query.keys()].some((name) => name !== 'page')
          ? json(400, { detail: `Unknown parameter; the owner ${call.query.get('owner')} is not asked for.` })
          : base.answer(call),
    }),
  },
  'ids-per-account': {
    title: 'Ids count from 1 in every account, so that both have a workout 1.',
    override: (base) => ({
      rows: (call, wanted, caller) => {
        const rows = base.rows(call, wanted, caller);
        return wanted.place === places.workouts ? rows.map((row, index) => ({ ...row, id: String(index + 1) })) : rows;
      },
      workout: (call, wantedId, caller) => {
        const own = base.rows(call, { place: places.workouts }, caller);
        const index = /^[1-9]\d{0,5}$/.test(wantedId) ? Number(wantedId) - 1 : -1;
        return own[index] && { ...own[index], id: wantedId };
      },
    }),
  },
  'upper-case-ids-are-the-same': {
    title: 'The case of an id means nothing; whose it is counts all the same.',
    override: (base) => ({ workout: (call, id, caller) => base.workout(call, id.toLowerCase(), caller) }),
  },
  'head-with-fields-alone': {
    title: 'HEAD is answered with the fields of GET but its length, to those who may read it.',
    override: (base) => ({
      answer: (call) =>
        call.method === 'HEAD' ? { ...withHeaders(base.answer(call), []), delivery: 'chunked' } : base.answer(call),
    }),
  },
});

/** Every fault of the second service. */
export const rolesFaults: readonly Fault[] = faults;

/** Every variant of the second service. */
export const rolesVariants: readonly Variant[] = variants;

export interface RolesOptions extends Pick<ReferenceOptions, 'host' | 'port' | 'httpPort' | 'latencyMs'> {
  /** Name of one of `rolesFaults`. */
  readonly fault?: string;
  /** Name of one of `rolesVariants`. */
  readonly variant?: string;
  /** Lifetime of an access token in milliseconds. Default: an hour. */
  readonly tokenLifeMs?: number;
}

export interface RolesService {
  /** The running service; its `key` belongs to mara. */
  readonly service: ReferenceService;
  /** Values of the variables that `docs/examples/identities.yaml` names. */
  readonly variables: Readonly<Record<string, string>>;
  /** An access token of the client, as issued by the token endpoint. */
  readonly clientToken: string;
}

/**
 * Starts the second service: conforming, unless a fault is named.
 * @throws RangeError for an unknown fault or variant; suggests the nearest name
 */
export const startRoles = async (options: RolesOptions = {}): Promise<RolesService> => {
  const { fault, variant, tokenLifeMs = 3_600_000, ...rest } = options;
  const overrides = [
    conformingRoles,
    ...(variant === undefined ? [] : [byName('variant', variants, variant).override]),
    ...(fault === undefined ? [] : [byName('fault', faults, fault).override]),
  ];
  const credentials = new Credentials(tokenLifeMs);
  const { keys, devices, client } = credentials;
  const service = await startChanged(
    [
      {
        override: (_, reference) => {
          const origin = () => reference.httpsOrigin;
          const roles = composeBehaviour<RolesBehaviour, RolesContext>(overrides, { credentials, origin });
          return { answer: (call) => roles.answer(call) };
        },
      },
    ],
    { ...rest, key: keys.mara.key, pages: () => tokenEndpoint(credentials) },
  );
  return {
    service,
    clientToken: credentials.issue(client).token,
    variables: {
      MARA_KEY: keys.mara.key,
      MARA_DEVICE_KEY: devices.mara,
      TOMAS_KEY: keys.tomas.key,
      TOMAS_DEVICE_KEY: devices.tomas,
      ILSE_KEY: keys.ilse.key,
      GUEST_KEY: keys.guest.key,
      ROBOT_ID: client.id,
      ROBOT_SECRET: client.secret,
      EXPIRED_TOKEN: credentials.expiredToken,
      FOREIGN_TOKEN: credentials.foreignToken,
    },
  };
};
