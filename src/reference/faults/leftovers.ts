import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type Behaviour, type Override, resourceAt } from '../behaviour.js';
import { type FaultDefinition, faultsOf, withNames } from '../definitions.js';
import { type Answer, type Call, fieldOf, fieldsOf, redirect, withField, withHeaders } from '../messages.js';

/** Faults where a request with the key affects later requests without it. */

const fault = faultsOf('AUTH-3', 'refuses-leftovers');

/** Caches answers to requests with the key, and serves them to every client. */
const caches =
  (keyOf: (call: Call) => string | undefined, milliseconds: number): Override =>
  (base) => {
    const kept = new Map<string, { readonly answer: Answer; readonly until: number }>();
    return {
      answer: async (call) => {
        const key = call.method === 'GET' && base.route(call) === 'workout' ? keyOf(call) : undefined;
        const known = key === undefined ? undefined : kept.get(key);
        if (known && known.until > Date.now()) return known.answer;
        const answer = await base.answer(call);
        if (key !== undefined && answer.status === 200) kept.set(key, { answer, until: Date.now() + milliseconds });
        return answer;
      },
    };
  };

const sendsNoKey = (call: Call): boolean => fieldOf(call, 'Authorization') === undefined;

/**
 * The last good key of a connection stands for every later request on it for which `holds` is
 * true.
 */
const remembers =
  (holds: (call: Call) => boolean): Override =>
  (base) => {
    const known = new WeakMap<object, string>();
    return {
      identify: (call) => {
        const owner = base.identify(call);
        if (owner !== undefined) known.set(call.connection, owner);
        return owner ?? (holds(call) ? known.get(call.connection) : undefined);
      },
    };
  };

/** Whether a request reads the workouts with a query. */
const searches = (call: Call, base: Behaviour): boolean =>
  call.method === 'GET' && base.route(call) === 'workout' && call.target.includes('?');

/** A search takes this long, so that another one may begin meanwhile. */
const searchMs = 200;

/** Equal searches that are under way share the answer to the first. */
const sharesAnswers =
  (keyOf: (call: Call) => string): Override =>
  (base) => {
    const underWay = new Map<string, Promise<Answer>>();
    return {
      answer: (call) => {
        if (!searches(call, base)) return base.answer(call);
        const key = keyOf(call);
        const search = async (): Promise<Answer> => {
          await setTimeout(searchMs);
          underWay.delete(key);
          return base.answer(call);
        };
        const answer = underWay.get(key) ?? search();
        underWay.set(key, answer);
        return answer;
      },
    };
  };

/** Sets a session cookie with every answer, and accepts sessions for which `counts` holds. */
const withSessions =
  (counts: (sessions: ReadonlySet<string>, given: string) => boolean): Override =>
  (base) => {
    const sessions = new Set<string>();
    const started = (answer: Answer): Answer => {
      const session = randomUUID();
      sessions.add(session);
      return withField(answer, 'Set-Cookie', `visit=${session}; Path=/; Secure; HttpOnly`);
    };
    return {
      refuse: (call, resource) => started(base.refuse(call, resource)),
      represent: (call, resource, owner) => {
        const answer = base.represent(call, resource, owner);
        return resource === 'workout' ? started(answer) : answer;
      },
      missing: (call) => started(base.missing(call)),
      identify: (call) =>
        base.identify(call) ??
        (counts(sessions, /\bvisit=([\w-]+)/.exec(fieldOf(call, 'Cookie') ?? '')?.[1] ?? '') ? 'mara' : undefined),
    };
  };

/** Refuses by a redirect to a page whose session opens everything. */
const logsInByItsPage =
  (refusal: Answer): Override =>
  (base, service) => {
    const { identify, missing = base.missing } = withSessions((sessions, given) => sessions.has(given))(base, service);
    return {
      ...(identify ? { identify } : {}),
      refuse: () => refusal,
      answer: async (call) => (call.path === '/log-in' ? { ...(await missing(call)), status: 200 } : base.answer(call)),
    };
  };

/** Keeps what ends like a static file, and finds resources without what `undo` takes off. */
const cachesFiles =
  (file: RegExp, undo: (path: string) => string): Override =>
  (base, service) => {
    const route: Behaviour['route'] = (call) =>
      base.route(call) ?? (call.path === null ? undefined : resourceAt(undo(call.path)));
    const keyOf = ({ target }: Call): string | undefined => (file.test(target) ? target : undefined);
    return { route, ...caches(keyOf, 60_000)({ ...base, route }, service) };
  };

export const leftoverFaults = withNames<FaultDefinition>({
  'connection-remembers-key': fault(
    'The first good key of a connection stands for every later request on it.',
    remembers(sendsNoKey),
  ),
  'connection-checks-key-once': fault(
    'After a good key, any key opens on its connection. A request without one is refused.',
    remembers((call) => !sendsNoKey(call)),
  ),
  'http2-connection-remembers-key': fault(
    'A gateway asks for a key once for each connection of HTTP/2, and for each request of HTTP/1.1.',
    remembers((call) => sendsNoKey(call) && call.httpVersion === '2.0'),
    { protocols: ['h2', 'http/1.1'] },
  ),
  'cache-ignores-key': fault(
    'A cache in front keeps workouts by URL alone and gives them to everybody.',
    caches(({ target }) => target, 60_000),
  ),
  'cache-keeps-queries': fault(
    'A cache in front keeps, for two seconds, what has a query, without regard to the key.',
    caches(({ target }) => (target.includes('?') ? target : undefined), 2_000),
  ),
  'cache-keeps-queries-of-style-sheets': fault(
    'A cache in front keeps for five seconds what ends like a style sheet, and counts the query in.',
    caches(({ target }) => (/\?.*\.css$/.test(target) ? target : undefined), 5_000),
  ),
  'cache-keeps-by-client': fault(
    'A cache in front keeps workouts by URL, Accept and User-Agent: the key is not among what it compares.',
    caches((call) => [call.target, fieldOf(call, 'Accept'), fieldOf(call, 'User-Agent')].join('\n'), 5_000),
  ),
  'cache-keeps-style-sheets': fault(
    'A cache in front keeps for a minute what ends like a style sheet, and the router drops what follows a semicolon.',
    cachesFiles(/\.css$/, (path) => path.replace(/;.*$/, '')),
  ),
  'cache-keeps-scripts': fault(
    'A cache in front keeps for a minute what ends like a script, and the router gives the list for whatever stands below it.',
    cachesFiles(/\.js$/, (path) => path.replace(/[\w-]+\.js$/, '')),
  ),
  'address-remembers-key': fault('For three seconds after a request with a key, its address needs none.', (base) => {
    let until = 0;
    let last: string | undefined;
    return {
      identify: (call) => {
        const owner = base.identify(call);
        if (owner !== undefined) {
          last = owner;
          until = Date.now() + 3_000;
        }
        return sendsNoKey(call) && Date.now() < until ? last : owner;
      },
    };
  }),
  'wrong-key-gets-last-owner': fault('The first wrong key after a good one gets the owner of the good one.', (base) => {
    let last: string | undefined;
    return {
      identify: (call) => {
        const owner = base.identify(call);
        if (owner === undefined && sendsNoKey(call)) return undefined;
        const given = owner ?? last;
        last = owner;
        return given;
      },
    };
  }),
  'equal-searches-share-an-answer': {
    ...fault(
      'Equal searches that are under way share the answer to the first, whose key alone is checked.',
      sharesAnswers(({ target }) => target),
    ),
    counterpart: {
      name: 'equal-searches-share-by-key',
      title: 'Equal searches that are under way share an answer if they have the same key.',
      override: sharesAnswers((call) => [call.target, ...fieldsOf(call, 'Authorization')].join('\n')),
    },
  },
  'user-of-the-last-search': fault(
    'The user is in a variable that all searches share, and is looked at when the search has ended.',
    (base, { self }) => {
      let user: string | undefined;
      let endLast = (): void => undefined;
      /** Ends when another search begins, or after a while. */
      const search = (): Promise<unknown> => {
        endLast();
        const another = new Promise<void>((end) => {
          endLast = end;
        });
        return Promise.race([another, setTimeout(searchMs)]);
      };
      return {
        answer: async (call) => {
          if (!searches(call, base)) return base.answer(call);
          user = self.identify(call);
          await search();
          return user === undefined ? self.refuse(call, 'workout') : self.represent(call, 'workout', user);
        },
      };
    },
  ),
  'session-of-a-refusal-opens': fault(
    'Every answer starts a session, a refusal too, and who brings a session back counts as logged in.',
    withSessions((sessions, given) => sessions.has(given)),
  ),
  'session-opens-now-and-then': fault(
    'Every answer starts a session, and one of the servers that it is brought back to takes it for logged in.',
    (base, service) => {
      let brought = 0;
      return withSessions((sessions, given) => sessions.has(given) && brought++ % 3 === 0)(base, service);
    },
  ),
  'any-value-of-a-session-opens': fault(
    'A read with the key sets a session cookie; whether a session of that name exists is never asked.',
    (base, service) => {
      const override = withSessions((_, given) => given !== '')(base, service);
      return { ...override, refuse: base.refuse, missing: base.missing };
    },
  ),
  'session-of-a-log-in-page-opens': fault(
    'The log-in page to which a refusal leads starts a session, and who brings it back counts as logged in.',
    logsInByItsPage(redirect(302, '/log-in')),
  ),
  'later-session-of-a-log-in-page-opens': fault(
    'The same, where the refusal has set a session of its own, which the log-in page replaces.',
    logsInByItsPage(withHeaders(redirect(302, '/log-in'), [['Set-Cookie', 'visit=nobody; Path=/; Secure; HttpOnly']])),
  ),
  'session-of-another-answer-opens': fault(
    'A path that does not exist starts a session, as a start page does, and who brings it back counts as logged in.',
    (base, service) => {
      const override = withSessions((sessions, given) => sessions.has(given))(base, service);
      return { ...override, refuse: base.refuse, represent: base.represent };
    },
  ),
  'repeated-request-needs-no-key': fault(
    'A request that a good key opened needs none when it is repeated, until anybody sends a wrong key.',
    (base) => {
      const known = new Map<string, string>();
      return {
        identify: (call) => {
          const owner = base.identify(call);
          const sendsKey = !sendsNoKey(call);
          const others = call.headers.filter(([name]) => !/^(?:authorization|connection)$/i.test(name));
          const request = JSON.stringify([call.method, call.target, call.httpVersion, others]);
          if (owner !== undefined) known.set(request, owner);
          else if (sendsKey) known.clear();
          return sendsKey ? owner : known.get(request);
        },
      };
    },
  ),
});
