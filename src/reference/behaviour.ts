import { type Answer, empty, html, json, redirect } from './answer.js';
import { type Call, fieldsOf } from './call.js';
import { exercises, ingredients, workoutsOf } from './data.js';

/** Key → name of the user whose it is. The key pages add to it and take from it. */
export type Keys = Map<string, string>;

export type Resource = 'workout' | 'exercise' | 'ingredient';

type MaybeLater<T> = T | Promise<T>;

/**
 * Everything the service decides, one small function each. A fault or a variant overrides one or two of them;
 * the rest stays what it is in `conforming`.
 */
export interface Behaviour {
  /** The whole HTTPS side. */
  answer(call: Call): MaybeLater<Answer>;
  /** The whole plain-HTTP side. */
  plain(call: Call): MaybeLater<Answer>;
  /** What the router finds at a path; `undefined` is a missing path. */
  route(call: Call): Resource | undefined;
  /** Whether the gate in front asks for a key. */
  guards(call: Call, resource: Resource): boolean;
  /** Whose key the request carries. */
  identify(call: Call): string | undefined;
  /** What somebody gets who carries no good key. */
  refuse(call: Call, resource: Resource): Answer;
  /** The resource, for its owner where it is somebody's. */
  represent(call: Call, resource: Resource, owner: string | undefined): Answer;
  missing(call: Call): Answer;
  wrongMethod(call: Call, resource: Resource): Answer;
  /** The base path itself. */
  front(call: Call): Answer;
}

/** What a behaviour may ask about the service it works in. `self` is the finished behaviour. */
export interface Surroundings {
  readonly keys: Keys;
  readonly self: Behaviour;
  /** `https://host:port` and `http://host:port`; known once the service listens. */
  readonly httpsOrigin: string;
  readonly httpOrigin: string;
  readonly basePath: string;
}

/** Overrides some functions; `before` holds what they were. */
export type Twist = (before: Behaviour, around: Surroundings) => Partial<Behaviour>;

export const paths: Readonly<Record<Resource, string>> = {
  workout: '/api/v2/workout/',
  exercise: '/api/v2/exercise/',
  ingredient: '/api/v2/ingredient/',
};

const resources = Object.keys(paths) as Resource[];

/** The resource whose documented path is exactly this. */
export const resourceAt = (path: string | null): Resource | undefined =>
  resources.find((resource) => paths[resource] === path);

/** What a resource holds, for its owner where it is somebody's. */
export const recordsOf = (resource: Resource, owner: string | undefined): readonly object[] => {
  if (resource === 'exercise') return exercises;
  if (resource === 'ingredient') return ingredients;
  return workoutsOf(owner);
};

const pageSize = 20;

/** One page of a list, with the address of the page itself (no query) for its links. */
export const pageOf = (records: readonly object[], address: string, page = 1): Record<string, unknown> => ({
  count: records.length,
  next: page * pageSize < records.length ? `${address}?page=${page + 1}` : null,
  previous: page > 1 ? `${address}?page=${page - 1}` : null,
  results: records.slice((page - 1) * pageSize, page * pageSize),
});

/** The key of `Authorization: Token <key>`: one field, this spelling, one space. */
export const strictKey = (call: Call): string | undefined => {
  const [value, ...more] = fieldsOf(call, 'Authorization');
  return more.length > 0 ? undefined : /^Token ([^\s,]+)$/.exec(value ?? '')?.[1];
};

/** The API's refusal: no key, or one that nobody has. */
export const refusal = (call: Call): Answer =>
  json(
    401,
    {
      detail:
        fieldsOf(call, 'Authorization').length > 0 ? 'Invalid token.' : 'Authentication credentials were not provided.',
    },
    [
      ['WWW-Authenticate', 'Token'],
      ['Cache-Control', 'no-store'],
    ],
  );

/** A server that keeps the contract, and takes nothing but what it describes. */
export const conforming: Twist = (_, around) => ({
  answer(call) {
    const { self } = around;
    const resource = self.route(call);
    if (!resource) return call.path === '/' ? self.front(call) : self.missing(call);
    if (call.method === 'OPTIONS') return empty(204, [['Allow', 'GET, HEAD, OPTIONS']]);
    const owner = self.identify(call);
    if (self.guards(call, resource) && !owner) return self.refuse(call, resource);
    if (call.method !== 'GET' && call.method !== 'HEAD') return self.wrongMethod(call, resource);
    // Behind a gate that did not ask, the service believes that somebody did.
    return self.represent(call, resource, owner ?? (resource === 'workout' ? 'mara' : undefined));
  },
  plain: (call) => redirect(308, `${around.httpsOrigin}${call.target.replace(/^https?:\/\/[^/?]*/i, '')}`),
  route: (call) => resourceAt(call.path),
  guards: (_call, resource) => resource === 'workout',
  identify(call) {
    const key = strictKey(call);
    return key === undefined ? undefined : around.keys.get(key);
  },
  refuse: (call) => refusal(call),
  represent(call, resource, owner) {
    const records = recordsOf(resource, owner);
    const page = Number(call.query.get('page') ?? 1);
    if (!Number.isInteger(page) || page < 1 || (page - 1) * pageSize > records.length)
      return json(404, { detail: 'Invalid page.' });
    return json(200, pageOf(records, `${around.httpsOrigin}${around.basePath}${paths[resource]}`, page), [
      ['Allow', 'GET, HEAD, OPTIONS'],
      ['Vary', 'Accept, Authorization'],
      ['Cache-Control', resource === 'workout' ? 'private, no-store' : 'public, max-age=60'],
    ]);
  },
  missing: () => json(404, { detail: 'Not found.' }),
  wrongMethod: (call) =>
    json(405, { detail: `Method "${call.method}" not allowed.` }, [['Allow', 'GET, HEAD, OPTIONS']]),
  front: () => html(200, 'Fitness data service', '<p>The API lives at <code>/api/v2/</code>.</p>'),
});

/** Lays twists over one another, first one first. */
export const behave = (twists: readonly Twist[], facts: Omit<Surroundings, 'self'>): Behaviour => {
  const self = {} as Behaviour;
  // The facts are read through, since the origins become known only when the ports are open.
  const around: Surroundings = Object.assign(Object.create(facts), { self });
  for (const twist of twists) Object.assign(self, twist({ ...self }, around));
  return self;
};
