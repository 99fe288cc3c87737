import { withQuery } from '../urls.js';
import type { Exchange, HeaderPair, Probe } from '../wire/types.js';
import { type Bypass, refusedAtError } from './bypass/bypass.js';
import { judgedAsBypass, noneOpens, tricksIn } from './bypass/bypass-rule.js';
import { atStaticFiles, unlessOpenedBy } from './bypass/static-files.js';
import { answerOf } from './oracle/answers.js';
import { anonymousControls, keyedControl, publicReads } from './oracle/control-requests.js';
import { type Ask, defineRule, type OperationSubject } from './rule.js';
import { follow } from './support/follow-up.js';
import { whereBypassOpens } from './support/headlines.js';
import { nonce } from './support/nonce.js';
import {
  missingOf,
  onKeyedConnection,
  overHttp2,
  requestFor,
  requestWithoutKey,
  requestWithRandomKey,
} from './support/requests.js';
import { protectedOperations } from './support/subjects.js';
import { onItsOwnQuery, targetOf } from './support/targets.js';

/** AUTH-3: what a request with the key leaves behind opens nothing to others. */

/** Names of the cookie requests in the battery. */
const cookieTricks = ['the cookies that a refusal has set', 'an invented cookie value'] as const;

/**
 * Two requests with cookies: those that a refusal (or another answer without a key) set, sent back
 * as a browser does; and made-up values of those that the keyed answer set. They open the operation
 * if any session counts as logged in.
 */
const sentCookies = (ask: Ask, subject: OperationSubject): readonly Bypass[] => {
  const [refusal, ...others] = [...anonymousControls(subject), ...publicReads(subject)];
  const keyed = namesIn(ask(keyedControl(subject, 1)));
  // A browser also stores cookies of the log-in page to which a refusal redirects.
  const led = follow(ask, ask(refusal), isHere(subject)).map(({ probe }) => probe);
  const setting = (probes: readonly Probe[]): readonly Probe[] =>
    probes.filter((probe) => namesIn(ask(probe)).length > 0);
  // That page may set its cookies in place of those of the refusal, so each is sent.
  const own = [...setting([refusal]), ...setting(led).slice(-1)];
  const setters = own.length > 0 ? own : setting(others).slice(0, 1);
  return [
    ...setters.map((setter, index): Bypass => {
      const [words, how] =
        setter === refusal
          ? [cookieTricks[0], 'with the cookies of a refusal']
          : ['the cookies that another answer has set', 'with the cookies of another answer'];
      const { probe, ...more } = cookies(subject, words, how, '<VISITOR_COOKIES>');
      return {
        ...more,
        // The value is put in when it is sent: two such requests are equal before that.
        probe: index === 0 ? probe : { ...probe, occasion: 'for other cookies' },
        trick: cookieTricks[0],
        before: { ...setter, name: 'without a key, for its cookies', occasion: 'for its cookies' },
      };
    }),
    ...(keyed.length === 0
      ? []
      : [
          {
            ...cookies(
              subject,
              `an invented value of ${keyed.join(', ')}`,
              'with an invented cookie',
              keyed.map((name) => `${name}=${nonce(subject.deployment, `cookie ${name}`)}`).join('; '),
            ),
            trick: cookieTricks[1],
          },
        ]),
  ];
};

/**
 * The cookies are sent on a connection of their own. Only one Cookie field may be sent (RFC 6265,
 * section 5.4), so they are added to that of the operation.
 */
const cookies = (subject: OperationSubject, name: string, how: string, value: string): Bypass => {
  const { operation } = subject;
  const headers: readonly HeaderPair[] = [...operation.headers, ['Cookie', value]];
  const probe = requestWithoutKey({ ...subject, operation: { ...operation, headers } }, { name, connection: 'fresh' });
  return { words: name, how, probe, missing: () => missingOf(subject, probe) };
};

const isHere =
  ({ deployment }: OperationSubject) =>
  ({ origin }: Probe): boolean =>
    origin === deployment.origin;

const mostNames = 8;

/** Names of the cookies that an answer sets. Their values are not kept. */
const namesIn = (exchange: Exchange): readonly string[] => {
  const fields = answerOf(exchange)?.headers.filter(([name]) => name.toLowerCase() === 'set-cookie') ?? [];
  const names = fields.flatMap(([, value]) => /^\s*([!#$%&'*+\-.^`|~\w]+)=/.exec(value)?.[1] ?? []);
  return [...new Set(names)].slice(0, mostNames);
};

/**
 * A cache that ignores Authorization. The request has its own query, so that nothing remains at the
 * real URL.
 */
const fromCache = (subject: OperationSubject): Bypass => {
  // A cache may keep what ends like a static file alone, and count the query in.
  const unique = `${onItsOwnQuery(subject, 'cache')}.css`;
  const rightAfter = requestWithoutKey(subject, { name: 'without a key, right after', target: unique });
  return {
    ...afterRead,
    before: requestFor(subject, { name: 'with the key, on a query of its own', credential: 'valid', target: unique }),
    probe: rightAfter,
    missingIfEmpty: () => missingOf(subject, rightAfter),
    // If the suffix opens by itself, no read with the key is needed.
    simpler: {
      words: 'the query ?x.css',
      how: 'with ?x.css',
      probe: requestWithoutKey(subject, { name: 'the query ?x.css', target: withQuery(targetOf(subject), ['x.css']) }),
    },
  };
};

const afterRead = { words: 'the same URL right after a read with the key', how: 'right after a read with the key' };

const occasion = 'to see whether it needs the connection';

/** A server that closed the connection kept nothing on it. */
const unlessClosed = refusedAtError('no-keyed-connection', 'no connection left open');

const onConnection = (subject: OperationSubject): Bypass => {
  const [before, probe] = onKeyedConnection(subject, 'none');
  return {
    words: 'the connection that just carried a key',
    how: 'on the connection that just carried a key',
    readWith: unlessClosed,
    before,
    probe,
    // If the operation takes no other query, a cache keeps the answer at its own URL.
    simpler: {
      ...afterRead,
      before: requestFor(subject, { name: 'with the key, before another connection', credential: 'valid', occasion }),
      probe: requestWithoutKey(subject, {
        name: 'without a key, on another connection right after',
        connection: 'fresh',
        occasion,
      }),
    },
  };
};

const randomKeyOnConnection = (subject: OperationSubject): Bypass => {
  const [before, probe] = onKeyedConnection(subject, 'random');
  return {
    words: 'a random key on the connection that just carried a good one',
    how: 'with a random key, on the connection that just carried a good one',
    readWith: unlessOpenedBy([requestWithRandomKey(subject), onKeyedConnection(subject, 'none')[1]], unlessClosed),
    before,
    probe,
    // A thread that keeps the previous request's user needs no connection.
    simpler: {
      words: 'a random key right after a good one',
      how: 'with a random key, right after a good one',
      before: requestFor(subject, { name: 'with the key, before a random one', credential: 'valid', occasion }),
      probe: requestFor(subject, {
        name: 'with a random key, right after a good one',
        credential: 'random',
        connection: 'fresh',
        occasion,
      }),
    },
  };
};

const onHttp2Connection = (subject: OperationSubject): Bypass => ({
  words: 'the HTTP/2 connection that just carried a key',
  how: 'on the HTTP/2 connection that just carried a key',
  readWith: unlessOpenedBy(
    [overHttp2(subject)],
    refusedAtError('no-keyed-connection', 'no HTTP/2 connection left open'),
  ),
  before: requestFor(subject, {
    name: 'with the key, over HTTP/2',
    credential: 'valid',
    protocol: 'h2',
    connection: 'fresh',
  }),
  probe: requestWithoutKey(subject, {
    name: 'without a key, on the HTTP/2 connection that just carried it',
    protocol: 'h2',
    connection: 'keyed',
  }),
});

/** How a read with the key and one without it are begun at one moment. */
interface Moment {
  readonly how: string;
  readonly occasion: string;
  readonly isKeyedFirst: boolean;
}

/**
 * The same URL with the key and without it, at one moment. Equal requests may share the answer to
 * the first, and a variable that all requests share holds the user of the last one.
 */
const atOneMoment = (subject: OperationSubject): readonly Bypass[] => {
  const simpler = fromCache(subject);
  const pair = ({ how, occasion, isKeyedFirst }: Moment): Bypass => {
    const target = onItsOwnQuery(subject, occasion);
    const keyed = requestFor(subject, { name: `with the key, ${occasion}`, credential: 'valid', target });
    const probe = requestWithoutKey(subject, { name: `without a key, ${occasion}`, target });
    return {
      words: `the same URL ${how}`,
      how,
      probe,
      together: isKeyedFirst ? [keyed, probe] : [probe, keyed],
      simpler,
    };
  };
  return [
    pair({ how: 'while a read with the key is answered', occasion: 'begun first', isKeyedFirst: true }),
    pair({ how: 'just before a read with the key', occasion: 'begun last', isKeyedFirst: false }),
  ];
};

/** The first one that opens is named in the title, so the one that needs no connection is first. */
const leftovers = (subject: OperationSubject): readonly Bypass[] => [
  fromCache(subject),
  ...atStaticFiles(subject),
  onConnection(subject),
  randomKeyOnConnection(subject),
  onHttp2Connection(subject),
  ...atOneMoment(subject),
];

/** AUTH-3: a request with the key leaves nothing behind that opens the operation. */
export const refusesLeftovers = defineRule({
  scope: 'operation',
  id: 'refuses-leftovers',
  clauses: ['AUTH-3'],
  title: 'refuses a request without a key right after one with it',
  headline: whereBypassOpens('exposed'),
  stage: 'leftovers',
  appliesTo: protectedOperations,
  battery: { tricks: tricksIn(leftovers, cookieTricks) },
  procedure: noneOpens({ bypasses: leftovers, asAnswered: sentCookies, inSeries: true }),
  explanation: {
    asks: 'What an owner’s request leaves behind opens nothing for the next client.',
    sends: [
      'A request without a key on the connection that has just carried one with it, of HTTP/1.1 and, where the server offers it, of HTTP/2; and one with a random key, of HTTP/1.1.',
      'A read with the key on a query of its own, and the same URL without the key within a second. The query is unique to the run and ends like a static file, as caches keep it, so no cache of a live service is poisoned. The same where the path ends with the name of a style sheet, behind a semicolon, or of a script, which no other client asks for.',
      'A read with the key on a query of its own, and the same URL without it at the same moment: once begun after it, and once before.',
      'Where a refusal, the page that it leads to or another answer without a key sets cookies, these, sent back as a browser does; where what the key opens comes with cookies, an invented value of each.',
    ],
    judged: judgedAsBypass,
    causes: [
      'A cache in front of the service ignores Authorization, for every path or for those (or their queries) that end like a static file.',
      'A session that exists counts as one that is logged in, and a refusal starts one; or a cookie of that name is enough.',
      'Authentication is kept per connection (as NTLM does), in a thread-local or a global that is not cleared.',
      'Equal requests that are under way share one answer, and the key does not count (singleflight, request coalescing, a lock of a cache).',
    ],
    fixes: [
      'Send Cache-Control: private or no-store and Vary: Authorization; make the cache pass by requests with credentials (RFC 9111, 3.5).',
      'Authenticate each request by itself; clear request-scoped state in a finally block.',
    ],
  },
});
