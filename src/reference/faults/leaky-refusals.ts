import { deflateSync, gzipSync } from 'node:zlib';
import { type Keys, type Override, pageOf, publicAs, refusingByTurn } from '../behaviour.js';
import { type Workout, workoutsOf } from '../data.js';
import { combine, type FaultDefinition, faultsOf, withNames } from '../definitions.js';
import { type Answer, fieldOf, html, json, redirect, text, withField } from '../messages.js';

/** Faults where refusals contain protected data. */

const fault = faultsOf('AUTH-3', 'refuses-missing-key');
/** Faults that show only in some requests need the rule with the larger battery. */
const spellingFault = faultsOf('AUTH-3', 'refuses-other-spellings');

/** Treats a request without an Authorization field as this user's. */
const anonymousIs =
  (name: string): Override =>
  (base) => ({
    identify: (call) => (fieldOf(call, 'Authorization') === undefined ? name : base.identify(call)),
  });

/** Refuses with a chain of redirects along these paths, the last of which serves the data. */
const redirectsTo =
  (...steps: string[]): Override =>
  (base, { basePath }) => ({
    refuse: () => redirect(302, basePath + steps[0]),
    answer: (call) => {
      const step = steps.indexOf(call.path ?? '');
      if (step < 0) return base.answer(call);
      const next = steps[step + 1];
      return next === undefined ? base.represent(call, 'workout', 'mara') : redirect(302, basePath + next);
    },
  });

/** A string of up to 255 bytes in MessagePack. */
const shortString = (value: string): Buffer =>
  Buffer.concat([Buffer.from([0xd9, Buffer.byteLength(value)]), Buffer.from(value)]);

const firstOf = (keys: Keys): string => [...keys.keys()][0] ?? '';

const inJson = (workouts: readonly Workout[]): string =>
  JSON.stringify(workouts.slice(0, 2).map(({ id, uuid, date }) => ({ id, uuid, date })));

/** What PHP's `serialize` makes of names and values, and of rows of them. */
const serialised = (value: unknown): string => {
  if (typeof value === 'string') return `s:${Buffer.byteLength(value)}:"${value}";`;
  if (typeof value !== 'object' || value === null) return `i:${value};`;
  const members = Object.entries(value);
  const names = Array.isArray(value) ? Number : String;
  return `a:${members.length}:{${members.flatMap(([name, inner]) => [names(name), inner].map(serialised)).join('')}}`;
};

/** Refuses with an answer that is made from the workouts and the key. */
const leaks = (title: string, refusal: (workouts: readonly Workout[], key: string) => Answer) =>
  fault(title, (_, { keys }) => ({ refuse: () => refusal(workoutsOf('mara'), firstOf(keys)) }));

/** Refuses as usual, with one more field. */
const leaksInField = (title: string, name: string, made: (workouts: string, key: string) => string) =>
  fault(title, (base, { keys }) => ({
    refuse: (call, resource) =>
      withField(base.refuse(call, resource), name, made(inJson(workoutsOf('mara')), firstOf(keys))),
  }));

/** Refuses with raw bytes that are made from the workouts. */
const inBytes =
  (bytesOf: (workouts: string) => string): Override =>
  () => ({
    refuse: () => ({ ...json(401, {}), delivery: (socket) => socket.end(bytesOf(inJson(workoutsOf('mara')))) }),
  });

export const leakyRefusalFaults = withNames<FaultDefinition>({
  'status-401-with-data': fault('The status says 401 and the body holds the workouts.', (base) => ({
    refuse: (call, resource) => ({ ...base.represent(call, resource, 'mara'), status: 401 }),
  })),
  'error-beside-data': fault('Status 200, a member that says "not authenticated", and the workouts beside it.', () => ({
    refuse: (call) => json(200, { error: 'not authenticated', ...pageOf(workoutsOf('mara'), call.target) }),
  })),
  'record-in-refusal': leaks('The refusal shows one of the records as an example.', (workouts) =>
    json(403, { detail: 'You may not see this list.', example: workouts[2] }),
  ),
  'breaks-off-now-and-then': spellingFault(
    'One request without a key in three gets the list, until somebody notices and ends the connection.',
    refusingByTurn((turn, call, base, resource) => {
      if (turn % 3 > 0) return base.refuse(call, resource);
      const { body } = base.represent(call, resource, 'mara');
      return {
        ...json(200, {}),
        delivery: (socket) =>
          socket.end(
            `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.toString().slice(0, -9)}`,
          ),
      };
    }),
  ),
  'one-server-unguarded': spellingFault(
    'One of ten servers behind the name does not ask for a key.',
    refusingByTurn((turn, call, base, resource) =>
      turn % 10 > 0 ? base.refuse(call, resource) : base.represent(call, resource, 'mara'),
    ),
  ),
  'debug-page-with-data': leaks(
    'Without a key the code throws, and the debug page shows what it was working on.',
    (workouts) => {
      const rows = workouts.map(
        ({ uuid, name, comment }) => `<tr><td>${uuid}</td><td>${name}</td><td>${comment}</td></tr>`,
      );
      return html(500, 'AttributeError at /api/v2/workout/', `<table>${rows.join('')}</table>`);
    },
  ),
  'key-in-refusal': fault(
    'The refusal says which key it was waiting for.',
    (base, { keys }) => ({
      refuse: (call, resource) =>
        json(base.refuse(call, resource).status, { detail: 'Unknown key.', expected: `Token ${firstOf(keys)}` }),
    }),
    {
      counterpart: {
        name: 'refusal-names-the-demo-key',
        title: 'The refusal names the key that is there for everybody to try.',
        makeKey: () => 'DEMO_KEY',
        override: () => ({ refuse: () => json(401, { detail: 'Get a key of your own, or try DEMO_KEY.' }) }),
      },
    },
  ),
  'key-in-refusal-escapes': leaks('The refusal says which key it was waiting for, in entities of HTML.', (_, key) => {
    const entities = [...key].map((letter) => `&#${letter.charCodeAt(0)};`).join('');
    return html(401, 'Log in', `<input name="token" value="${entities}">`);
  }),
  'key-in-refusal-field': leaksInField(
    'A field for debugging holds the key, in base64.',
    'X-Debug-Expected',
    (_, key) => btoa(key),
  ),
  'key-in-refusal-dump': leaksInField('A dump for debugging holds the key, in hex.', 'X-Debug-Dump', (_, key) =>
    Buffer.from(key).toString('hex'),
  ),
  'key-in-refusal-bytes': leaks('The refusal prints the bytes of the key that it was waiting for.', (_, key) =>
    json(401, { expected: [...Buffer.from(key)] }),
  ),
  'key-in-refusal-token': leaksInField(
    'The token for guests that the refusal sets holds the key.',
    'Set-Cookie',
    (_, key) => {
      const claims = Buffer.from(JSON.stringify({ sub: 'guest', key })).toString('base64url');
      return `guest=e30.${claims}.c2lnbmF0dXJl; Path=/`;
    },
  ),
  'key-where-nothing-is': fault('The page for a path that does not exist shows the settings.', (_base, { keys }) => ({
    missing: () => html(404, 'Not found', `<pre>API_KEYS=${[...keys.keys()].join(',')}</pre>`),
  })),
  'key-in-public-list': fault('Public entries show the key of who made them.', (base, { keys }) => ({
    represent: (call, resource, owner) => {
      const answer = base.represent(call, resource, owner);
      return resource === 'workout' ? answer : withField(answer, 'X-Made-With', firstOf(keys));
    },
  })),
  'data-in-packed-refusal': leaks(
    'The refusal carries the workouts in gzip data that no field declares.',
    (workouts) => ({ ...text(401, '', 'application/octet-stream'), body: gzipSync(inJson(workouts)) }),
  ),
  'data-in-binary-refusal': leaks('The refusal carries the workouts in a binary format.', (workouts) => {
    const values = workouts.flatMap(({ uuid, date, name, comment }) => [uuid, date, name, comment]);
    return { ...text(401, '', 'application/msgpack'), body: Buffer.concat(values.map(shortString)) };
  }),
  'data-in-refusal-field': leaksInField(
    'A field for debugging, on the refusal too, holds what was read for it.',
    'X-Debug-Result',
    (workouts) => workouts,
  ),
  'data-in-refusal-cookie': leaksInField(
    'The refusal sets a cookie in which the workouts are cached.',
    'Set-Cookie',
    (workouts) => `recent=${btoa(workouts)}; Path=/`,
  ),
  'data-in-refusal-session': leaksInField(
    'The refusal sets a session cookie that holds the workouts, compressed.',
    'Set-Cookie',
    (workouts) => `session=.${deflateSync(workouts).toString('base64url')}.c2lnbmF0dXJl; Path=/`,
  ),
  'data-in-reason-phrase': fault(
    'The message of an exception is the reason phrase of the refusal, and names what was read.',
    inBytes((workouts) => `HTTP/1.1 401 Not for nobody: ${workouts}\r\nContent-Length: 0\r\n\r\n`),
  ),
  'data-in-trailer': fault(
    'A trailer for debugging, on the refusal too, holds what was read for it.',
    inBytes(
      (workouts) =>
        `HTTP/1.1 401 Unauthorized\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Debug-Result: ${workouts}\r\n\r\n`,
    ),
  ),
  'data-in-early-hints': fault(
    'Early hints go out before anybody looks at the key, and name what the answer will hold.',
    inBytes(
      (workouts) =>
        `HTTP/1.1 103 Early Hints\r\nX-Preload: ${workouts}\r\n\r\nHTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n`,
    ),
  ),
  'data-in-refusal-dump': leaks('The refusal ends with a dump of what was read, in hex.', (workouts) =>
    json(401, { detail: 'No key.', dump: Buffer.from(inJson(workouts)).toString('hex') }),
  ),
  'data-in-serialised-refusal': fault(
    'The refusal is what a cache of PHP keeps, and holds the workouts.',
    () => ({
      refuse: () => {
        const rows = workoutsOf('mara').map(({ id, date, name, comment }) => ({ id, date, name, comment }));
        return text(401, serialised(rows.slice(0, 2)));
      },
    }),
    {
      counterpart: {
        name: 'refusal-serialised',
        title: 'The refusal is what a cache of PHP keeps, and says why in several rows.',
        override: () => ({
          refuse: () =>
            text(
              401,
              serialised([
                { id: 40_101, date: '2024-01-15', name: 'No key', comment: 'Send Authorization: Token, and a key' },
                { id: 40_102, date: '2024-01-15', name: 'Help', comment: "See the service's page on keys" },
              ]),
            ),
        }),
      },
    },
  ),
  'data-behind-refusal': leaks(
    'The code goes on after the refusal, and writes the table of the workouts behind it.',
    (workouts) => {
      const rows = workouts.map(
        ({ id, uuid, date }) => `<tr>${[id, uuid, date].map((cell) => `<td>${cell}</td>`).join('')}</tr>`,
      );
      return text(401, `{"detail":"No key."}<table>${rows.join('')}</table>`, 'text/html');
    },
  ),
  'data-in-refusal-envelope': leaks(
    'The refusal repeats a message for a queue, in which the workouts are in base64 twice.',
    (workouts) => json(401, { detail: 'No key.', message: btoa(btoa(inJson(workouts))) }),
  ),
  'data-in-refusal-form': leaks('The refusal repeats the form of the page, filled with a workout.', ([workout]) => {
    const { uuid = '', date = '', name = '', comment = '' } = workout ?? {};
    const form = new URLSearchParams({ error: 'no key', uuid, date, name, comment });
    return text(401, form.toString(), 'application/x-www-form-urlencoded');
  }),
  'data-in-redirect': leaks('The refusal is a redirect to log in, and its state holds the workouts.', (workouts) =>
    redirect(302, `/login?state=${encodeURIComponent(inJson(workouts))}`),
  ),
  'data-in-redirect-within-redirect': leaks(
    'The refusal is a redirect to log in and to go on from there to a place whose state holds the workouts.',
    (workouts) => {
      const next = `/done?state=${encodeURIComponent(inJson(workouts))}`;
      return redirect(302, `/login?next=${encodeURIComponent(next)}`);
    },
  ),
  'redirects-to-open-copy': fault(
    'The refusal is a redirect to a copy that anybody can read.',
    redirectsTo('/exports/workout-latest.json'),
  ),
  'redirects-twice-to-open-copy': fault(
    'The refusal is a redirect that leads, over another one, to a copy that anybody can read.',
    redirectsTo('/sso/start', '/sso/anonymous', '/exports/workout-latest.json'),
  ),
  'others-workouts-for-all': fault('Who sends no key gets the workouts of another user.', anonymousIs('tomas')),
  'empty-list-for-all': fault(
    'Who sends no key is let in as nobody, and gets the list that nobody has.',
    anonymousIs('nobody'),
  ),
  'empty-list-for-all-as-public-ones': fault(
    'Who sends no key is let in as nobody, and the lists of exercises and ingredients are as empty.',
    combine(
      anonymousIs('nobody'),
      publicAs((_, { httpsOrigin }) => json(200, pageOf([], httpsOrigin))),
    ),
  ),
  'part-of-the-record-for-all': fault(
    'Who sends no key gets the records with their comments left out.',
    (base, { httpsOrigin }) => ({
      refuse: (call, resource) =>
        fieldOf(call, 'Authorization') === undefined
          ? json(
              200,
              pageOf(
                workoutsOf('tomas').map(({ comment: _comment, impression: _impression, sets: _sets, ...rest }) => rest),
                httpsOrigin,
              ),
            )
          : base.refuse(call, resource),
    }),
    { twin: 'a refusal with 200 that shows a few public rows as an example' },
  ),
});
