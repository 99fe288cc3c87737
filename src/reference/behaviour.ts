import { exercises, ingredients, workoutsOf } from './data.js';
import { type Answer, type Call, empty, fieldOf, fieldsOf, html, json, redirect } from './messages.js';

/** Key → name of its user. The key pages add and remove keys. */
export type Keys = Map<string, string>;

export type Resource = 'workout' | 'exercise' | 'ingredient';

type MaybeLater<T> = T | Promise<T>;

/**
 * Everything that the service decides, one function each. A fault or variant overrides one or two
 * functions and keeps the others of `conforming`.
 */
export interface Behaviour {
  answer(call: Call): MaybeLater<Answer>;
  /** Answers plain HTTP requests. */
  plain(call: Call): MaybeLater<Answer>;
  /** The resource at a path; `undefined` when there is none. */
  route(call: Call): Resource | undefined;
  /** Whether the request needs a key. */
  guards(call: Call, resource: Resource): boolean;
  /** The user whose key the request carries. */
  identify(call: Call): string | undefined;
  /** The answer to a request without a valid key. */
  refuse(call: Call, resource: Resource): Answer;
  /** The resource, or the owner's part of it where it belongs to users. */
  represent(call: Call, resource: Resource, owner: string | undefined): Answer;
  missing(call: Call): Answer;
  wrongMethod(call: Call, resource: Resource): Answer;
  /** The answer at the base path. */
  front(call: Call): Answer;
}

/** What an override can use of the running service. `self` is the complete behaviour. */
export interface ServiceContext {
  readonly keys: Keys;
  readonly self: Behaviour;
  /** `https://host:port` and `http://host:port`; set once the service listens. */
  readonly httpsOrigin: string;
  readonly httpOrigin: string;
  readonly basePath: string;
}

/** Overrides some functions of `base`. */
export type Override = (base: Behaviour, service: ServiceContext) => Partial<Behaviour>;

export const paths: Readonly<Record<Resource, string>> = {
  workout: '/api/v2/workout/',
  exercise: '/api/v2/exercise/',
  ingredient: '/api/v2/ingredient/',
};

const resources = Object.keys(paths) as Resource[];

export const resourceAt = (path: string | null): Resource | undefined =>
  resources.find((resource) => paths[resource] === path);

/** The records of a resource, or the owner's records where they belong to users. */
const recordsOf = (resource: Resource, owner: string | undefined): readonly object[] => {
  if (resource === 'exercise') return exercises;
  if (resource === 'ingredient') return ingredients;
  return workoutsOf(owner);
};

const pageSize = 20;

/**
 * One page of a list.
 * @param address URL of the list without a query, for the links
 */
export const pageOf = (records: readonly object[], address: string, page = 1): Record<string, unknown> => ({
  count: records.length,
  next: page * pageSize < records.length ? `${address}?page=${page + 1}` : null,
  previous: page > 1 ? `${address}?page=${page - 1}` : null,
  results: records.slice((page - 1) * pageSize, page * pageSize),
});

/** The key of a single field `Authorization: Token <key>`. */
export const strictKey = (call: Call): string | undefined => {
  const [value, ...more] = fieldsOf(call, 'Authorization');
  return more.length > 0 ? undefined : /^Token ([^\s,]+)$/.exec(value ?? '')?.[1];
};

/** The API's refusal of a missing or unknown key. */
export const refusal = (call: Call, challenge = 'Token'): Answer =>
  json(
    401,
    {
      detail:
        fieldsOf(call, 'Authorization').length > 0 ? 'Invalid token.' : 'Authentication credentials were not provided.',
    },
    [
      ['WWW-Authenticate', challenge],
      ['Cache-Control', 'no-store'],
    ],
  );

/** A server that keeps the contract and accepts only what the contract describes. */
export const conforming: Override = (_, service) => ({
  answer(call) {
    const { self } = service;
    const resource = self.route(call);
    if (!resource) return call.path === '/' ? self.front(call) : self.missing(call);
    if (call.method === 'OPTIONS') return empty(204, [['Allow', 'GET, HEAD, OPTIONS']]);
    const owner = self.identify(call);
    if (self.guards(call, resource) && !owner) return self.refuse(call, resource);
    if (call.method !== 'GET' && call.method !== 'HEAD') return self.wrongMethod(call, resource);
    // A service that does not check the key returns the first user's data.
    return self.represent(call, resource, owner ?? (resource === 'workout' ? 'mara' : undefined));
  },
  plain: (call) => redirect(308, `${service.httpsOrigin}${call.target.replace(/^https?:\/\/[^/?]*/i, '')}`),
  route: (call) => resourceAt(call.path),
  guards: (_call, resource) => resource === 'workout',
  identify(call) {
    const key = strictKey(call);
    return key === undefined ? undefined : service.keys.get(key);
  },
  refuse: (call) => refusal(call),
  represent(call, resource, owner) {
    const records = recordsOf(resource, owner);
    const page = Number(call.query.get('page') ?? 1);
    if (!Number.isInteger(page) || page < 1 || (page - 1) * pageSize > records.length)
      return json(404, { detail: 'Invalid page.' });
    return json(200, pageOf(records, `${service.httpsOrigin}${service.basePath}${paths[resource]}`, page), [
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

/** Whether a request has a field of this name, with such a value. */
export const hasField =
  (name: string, value = /^/) =>
  (call: Call): boolean => {
    const given = fieldOf(call, name);
    return given !== undefined && value.test(given);
  };

/** Answers these requests, and leaves others to the service. */
export const answering =
  (
    isAnswered: (call: Call, base: Behaviour, service: ServiceContext) => unknown,
    answer: (call: Call, base: Behaviour, service: ServiceContext) => MaybeLater<Answer>,
  ): Override =>
  (base, service) => ({
    answer: (call) => (isAnswered(call, base, service) ? answer(call, base, service) : base.answer(call)),
  });

/** Changes every answer before it is sent. */
export const finishing =
  (finish: (answer: Answer, call: Call) => MaybeLater<Answer>): Override =>
  (base) => ({ answer: async (call) => finish(await base.answer(call), call) });

/** Asks these requests for no key. */
export const lettingIn =
  (isLetIn: (call: Call, service: ServiceContext) => boolean): Override =>
  (base, service) => ({ guards: (call, resource) => base.guards(call, resource) && !isLetIn(call, service) });

/** Asks for a key at the documented path of the workouts alone. */
export const guardingOnePath = lettingIn(({ path }) => path !== paths.workout);

/** Refuses with an answer that depends on how many requests were refused, this one included. */
export const refusingByTurn =
  (refuse: (turn: number, call: Call, base: Behaviour, resource: Resource) => Answer): Override =>
  (base) => {
    let turn = 0;
    return {
      refuse: (call, resource) => {
        turn += 1;
        return refuse(turn, call, base, resource);
      },
    };
  };

/** Serves these requests for a resource as a read of the first user, whatever their method. */
export const servingAsRead = (isServed: (call: Call) => boolean): Override =>
  answering(
    (call, base) => base.route(call) && isServed(call),
    (call, base) => base.represent({ ...call, method: 'GET' }, base.route(call) ?? 'workout', 'mara'),
  );

type Representation = (owner: string | undefined, service: ServiceContext, resource: Resource) => Answer;

const representing =
  (isChanged: (resource: Resource) => boolean) =>
  (shown: Representation): Override =>
  (base, service) => ({
    represent: (call, resource, owner) =>
      isChanged(resource) ? shown(owner, service, resource) : base.represent(call, resource, owner),
  });

/** Changes the representation of the workouts; public resources stay the same. */
export const workoutsAs = representing((resource) => resource === 'workout');

/** Changes the representation of public resources; the workouts stay the same. */
export const publicAs = representing((resource) => resource !== 'workout');

/** Changes what opens, whoever asks; other answers stay the same. */
export const openedAs =
  (shown: (answer: Answer, call: Call, resource: Resource, owner: string | undefined) => Answer): Override =>
  (base) => ({
    represent: (call, resource, owner) => {
      const answer = base.represent(call, resource, owner);
      return answer.status === 200 ? shown(answer, call, resource, owner) : answer;
    },
  });

export const wantsPage = (call: Call): boolean => (fieldOf(call, 'Accept') ?? '').startsWith('text/html');

/** Shows browsers what opens as a web page. */
export const pagesForBrowsers = openedAs((answer, call, resource) =>
  wantsPage(call)
    ? html(200, `${resource} list`, `<pre>${answer.body.toString().replaceAll('<', '&lt;')}</pre>`)
    : answer,
);

/** A page of a list, as `conforming` gives it. */
export interface Page {
  readonly count: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Shows public lists as another JSON value; where `shown` gives `undefined` they stay the same.
 * `owner` is whose key the request carried.
 */
export const publicPagesAs = (
  shown: (page: Page, owner: string | undefined, resource: Resource) => object | undefined,
): Override =>
  openedAs((answer, _call, resource, owner) => {
    const page =
      resource === 'workout' ? undefined : shown(JSON.parse(answer.body.toString()) as Page, owner, resource);
    return page === undefined ? answer : json(200, page);
  });

/**
 * Applies overrides in order; the last one wins.
 * @typeParam B the behaviour
 * @typeParam C what overrides can use
 */
export const composeBehaviour = <
  B extends object = Behaviour,
  C extends { readonly self: B } = ServiceContext & { self: B },
>(
  overrides: readonly ((base: B, service: C) => Partial<B>)[],
  facts: Omit<C, 'self'>,
): B => {
  const self = {} as B;
  // Not copied, since the origins are set later, when the ports are open.
  const service: C = Object.assign(Object.create(facts), { self });
  for (const override of overrides) Object.assign(self, override({ ...self }, service));
  return self;
};
