import { pageOf, paths as publicPaths, refusal } from '../behaviour.js';
import { diary, workoutsOf as diaryOf, exercises, ingredients } from '../data.js';
import type { Fault, Variant } from '../definitions.js';
import { type Answer, type Call, empty, fieldsOf, html, json } from '../messages.js';
import { type AccessToken, type CredentialRights, type Credentials, ownAudience } from './credentials.js';

/** The data of the accounts, the same at every start. Ids of workouts are UUIDs. */

interface Owned {
  readonly id: string | number;
  /** Name of the account; `null` for rows that belong to everybody. */
  readonly owner: string | null;
}

const diaries: Readonly<Record<string, ReturnType<typeof diary>>> = {
  mara: [...diaryOf('mara')],
  tomas: [...diaryOf('tomas')],
  ilse: diary(55, [
    ['2025-03-06', 'Rowing machine', 'Steady 5 km while the evening class ran next door'],
    ['2025-03-13', 'Mobility', 'Hips and ankles, filmed it for the new members'],
    ['2025-03-20', 'Swim', 'Forty lengths, the last ten with the pull buoy'],
  ]),
};

const accountNames = Object.keys(diaries);

/** All workouts, account by account. */
export const workouts: readonly Owned[] = Object.entries(diaries).flatMap(([owner, rows]) =>
  rows.map(({ uuid, id: _, ...row }) => ({ id: uuid, owner, ...row })),
);

export const workoutOf = (wantedId: string): Owned | undefined => workouts.find(({ id }) => id === wantedId);

/** All readings of devices, account by account. */
const measurements: readonly Owned[] = accountNames.flatMap((owner, account) =>
  Array.from({ length: 5 - account }, (_, index) => ({
    id: 70_301 + account * 1000 + index * 13,
    owner,
    taken_at: `2025-03-${String(3 + index * 4 + account).padStart(2, '0')}T06:${String(12 + index * 7).padStart(2, '0')}:00Z`,
    pulse: 52 + account * 5 + ((index * 7) % 11),
    weight_kg: 61.4 + account * 9.3 - index * 0.4,
  })),
);

/** The goals of members, account by account. */
const goals: readonly Owned[] = accountNames.flatMap((owner, account) =>
  ['Run 10 km', 'Deadlift', 'Swim'].slice(account).map((name, index) => ({
    id: 5_203 + account * 1000 + index * 17,
    owner,
    name,
    target: 40 + account * 13 + index * 29,
    due: `2025-0${4 + index}-${String(11 + account * 3)}`,
  })),
);

/** Statistics over all members, for auditors. */
const reports: readonly object[] = [10, 11, 12, 13].map((week, index) => ({
  id: 9041 + index * 3,
  week: `2025-W${week}`,
  members: 1204 + index * 17,
  workouts: 4810 + ((index * 391) % 700),
  minutes: 240_512 + index * 8_733,
}));

/** The catalogue: the same rows for every caller who may read it. */
const catalogue: readonly object[] = exercises;

/** Shared workouts without an owner, which a variant shows to every member. */
export const plans: readonly Owned[] = [
  ['3f0b6c1d-52aa-4e0f-b1c7-8d9be02f4a11', 'Plan: first four weeks', 35],
  ['a86e90d2-0c3b-47f1-9d54-c2b7f61e5d08', 'Plan: back to lifting', 45],
].map(([id, name, minutes]) => ({
  id: String(id),
  owner: null,
  date: '2025-01-01',
  name,
  comment: 'For everybody; copy it into your diary',
  minutes,
}));

/** Credentials that open an operation: one alternative of an OpenAPI security requirement. */
interface Alternative {
  readonly scheme: 'account' | 'oauth';
  /** Roles or scopes, all of which are needed. */
  readonly needs: readonly string[];
  /** Whether the key of a device is needed too. */
  readonly device?: true;
}

type PlaceName = 'workouts' | 'workout' | 'measurements' | 'goals' | 'exercises' | 'reports' | 'ingredients';

/** An operation: its path, and the alternatives that open it. Public without alternatives. */
interface RolesOperation {
  readonly name: PlaceName;
  readonly path: string;
  readonly opens: readonly Alternative[];
}

const account = (...needs: readonly string[]): Alternative => ({ scheme: 'account', needs });
const oauth = (scope: string): Alternative => ({ scheme: 'oauth', needs: [scope] });
const ownWorkouts = [account('member'), oauth('read:workouts')];

export const places: Readonly<Record<PlaceName, RolesOperation>> = {
  workouts: { name: 'workouts', path: '/api/v2/workout/', opens: ownWorkouts },
  workout: { name: 'workout', path: '/api/v2/workout/{id}/', opens: ownWorkouts },
  measurements: {
    name: 'measurements',
    path: '/api/v2/measurement/',
    opens: [{ ...account('member'), device: true }],
  },
  goals: { name: 'goals', path: '/api/v2/member/{member}/goal/', opens: [account('member')] },
  exercises: {
    name: 'exercises',
    path: '/api/v2/exercise/',
    opens: [account('member'), account('guest'), oauth('read:catalogue')],
  },
  reports: {
    name: 'reports',
    path: '/api/v2/report/',
    opens: [account('member', 'auditor'), oauth('read:reports')],
  },
  ingredients: { name: 'ingredients', path: publicPaths.ingredient, opens: [] },
};

/** The authenticated client of a request. */
export interface Caller extends CredentialRights {
  readonly scheme: 'account' | 'oauth';
  /** The account of the device whose key was sent too. */
  readonly deviceOf?: string;
}

/** The requested operation, and the id or the account in its path. */
export interface Wanted {
  readonly place: RolesOperation;
  readonly id?: string;
  readonly member?: string;
}

/** Everything that the service decides, one function each, as in `../behaviour.ts`. */
export interface RolesBehaviour {
  answer(call: Call): Answer;
  route(call: Call): Wanted | undefined;
  identify(call: Call): Caller | undefined;
  /** Whether a token has not expired. */
  lives(token: AccessToken): boolean;
  /** Whether a token was issued for this service. */
  isForUs(token: AccessToken): boolean;
  /** Whether the request has every key that at least one documented alternative needs. */
  hasKeys(call: Call, wanted: Wanted, caller: Caller): boolean;
  /** Whether the caller's roles or scopes satisfy a documented alternative. */
  allows(call: Call, wanted: Wanted, caller: Caller): boolean;
  /** The answer to a request without a valid key. */
  refuse(call: Call): Answer;
  /** The answer to a key without the needed role or scope. */
  forbid(call: Call, wanted: Wanted, caller: Caller): Answer;
  /** The rows of a list that the caller may see. */
  rows(call: Call, wanted: Wanted, caller: Caller | undefined): readonly object[];
  /** Whether the caller may ask for what belongs to the account in the path. */
  isOwn(wanted: Wanted, caller: Caller): boolean;
  /** The workout with that id; `undefined` where the caller has none. */
  workout(call: Call, id: string, caller: Caller): object | undefined;
  missing(call: Call): Answer;
}

export interface RolesContext {
  readonly self: RolesBehaviour;
  readonly credentials: Credentials;
  readonly origin: () => string;
}

/** Overrides some functions of `base`. */
export type RolesOverride = (base: RolesBehaviour, service: RolesContext) => Partial<RolesBehaviour>;

const only = (values: readonly string[]): string | undefined => (values.length === 1 ? values[0] : undefined);

const routeOf = (path: string | null): Wanted | undefined => {
  const place = Object.values(places).find((each) => each.path === path);
  if (place) return { place };
  const id = /^\/api\/v2\/workout\/([^/]+)\/$/.exec(path ?? '')?.[1];
  if (id !== undefined) return { place: places.workout, id };
  const member = /^\/api\/v2\/member\/([^/]+)\/goal\/$/.exec(path ?? '')?.[1];
  return member === undefined ? undefined : { place: places.goals, member };
};

const belongingTo = (rows: readonly Owned[], { account }: CredentialRights): readonly Owned[] =>
  rows.filter(({ owner }) => owner === account);

/** A service that conforms to `openapi/accounts-and-roles.yaml`. */
export const conformingRoles: RolesOverride = (_, { self, credentials, origin }) => ({
  answer(call) {
    const wanted = self.route(call);
    if (!wanted) {
      if (call.path === '/') return html(200, 'Fitness data service', '<p>The API lives at <code>/api/v2/</code>.</p>');
      return self.missing(call);
    }
    if (call.method === 'OPTIONS') return empty(204, [['Allow', 'GET, HEAD, OPTIONS']]);
    const isPublic = wanted.place.opens.length === 0;
    const caller = self.identify(call);
    if (!isPublic && !(caller && self.hasKeys(call, wanted, caller))) return self.refuse(call);
    if (!isPublic && caller && !self.allows(call, wanted, caller)) return self.forbid(call, wanted, caller);
    if (call.method !== 'GET' && call.method !== 'HEAD')
      return json(405, { detail: `Method "${call.method}" not allowed.` }, [['Allow', 'GET, HEAD, OPTIONS']]);
    const fields = [
      ['Vary', 'Accept, Authorization, X-Device-Key'],
      ['Cache-Control', isPublic ? 'public, max-age=60' : 'private, no-store'],
    ] as const;
    if (wanted.id !== undefined) {
      const workout = caller && self.workout(call, wanted.id, caller);
      return workout ? json(200, workout, fields) : self.missing(call);
    }
    if (caller && !self.isOwn(wanted, caller)) return self.missing(call);
    const page = Number(call.query.get('page') ?? 1);
    if (!Number.isInteger(page) || page < 1) return json(404, { detail: 'Invalid page.' });
    return json(200, pageOf(self.rows(call, wanted, caller), origin() + call.path, page), fields);
  },
  route: ({ path }) => routeOf(path),
  identify(call) {
    const [, scheme, value = ''] = /^(Token|Bearer) ([^\s,]+)$/.exec(only(fieldsOf(call, 'Authorization')) ?? '') ?? [];
    const device = credentials.ownerOfDevice(only(fieldsOf(call, 'X-Device-Key')) ?? '');
    if (scheme === 'Token') {
      const grant = credentials.key(value);
      return grant && { ...grant, scheme: 'account', ...(device === undefined ? {} : { deviceOf: device }) };
    }
    const token = scheme === 'Bearer' ? credentials.token(value) : undefined;
    return token && self.lives(token) && self.isForUs(token) ? { ...token, scheme: 'oauth' } : undefined;
  },
  lives: ({ expiresAt }) => Date.now() < expiresAt,
  isForUs: ({ audience }) => audience === ownAudience,
  hasKeys: (_call, { place }, { account, deviceOf }) =>
    place.opens.some(({ device }) => !device || deviceOf === account),
  allows: (_call, { place }, { scheme, holds }) =>
    place.opens.some((set) => set.scheme === scheme && set.needs.every((need) => holds.includes(need))),
  refuse: (call) => refusal(call, 'Token, Bearer'),
  forbid: () => json(403, { detail: 'You do not have permission to perform this action.' }),
  isOwn: ({ member }, { account }) => member === undefined || member === account,
  rows(_call, { place, member }, caller) {
    if (place.name === 'ingredients') return ingredients;
    if (place.name === 'exercises') return catalogue;
    if (place.name === 'reports') return reports;
    if (place.name === 'goals') return goals.filter(({ owner }) => owner === member);
    const owned = place.name === 'measurements' ? measurements : workouts;
    return caller ? belongingTo(owned, caller) : [];
  },
  workout: (_call, wantedId, caller) => belongingTo(workouts, caller).find(({ id }) => id === wantedId),
  missing: () => json(404, { detail: 'Not found.' }),
});

export type RolesFault = Fault & { readonly override: RolesOverride };
export type RolesVariant = Variant & { readonly override: RolesOverride };
