import { workoutsOf } from '../../../src/reference/data.js';
import type { HeaderPair } from '../../../src/wire/types.js';
import { judgeService } from '../../generator/judged.js';
import type { Answer } from '../../generator/refusals.js';
import { judgeReference } from '../support/judge.js';
import { json, notFound, serviceOf, unauthorized } from '../support/odd-service.js';
import { expect, inCi, test } from '../support/test.js';

/** What an answer says outside its body is one text, wherever its values are split. */

const row = { id: 73_911, email: 'ada.moss@example.org', date: '2023-03-05', notes: 'Leg day, squats 5x5' };
const rows = [
  row,
  { id: 73_958, email: 'tim.berg@example.org', date: '2023-04-17', notes: 'Long run along the river' },
  { id: 74_002, email: 'eva.holt@example.org', date: '2023-06-29', notes: 'Intervals, 8 by 400 m' },
];
const { email, date, notes } = row;
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const refused = (headers: readonly HeaderPair[], status = 401): Answer => ({ ...unauthorized, status, headers });
const foundIn = (open: Answer, isEverywhere = false, keyed: Answer = json({ rows })) =>
  judgeService(serviceOf(keyed, open, isEverywhere)).found;

const leaks: Readonly<Record<string, readonly HeaderPair[]>> = {
  'a field for each value': [
    ['X-User-Email', email],
    ['X-Account-Id', '73911'],
  ],
  'another case': [
    ['X-User-Email', email.toUpperCase()],
    ['X-Account-Id', '73911'],
  ],
  'the path of a link': [['Link', `</users/73911/${date}>; rel="owner"`]],
  'a query, with + for a space': [
    ['Link', `</log-in?notes=${encodeURIComponent(notes).replaceAll('%20', '+')}&on=${date}>`],
  ],
  'the name of a file': [['Content-Disposition', `attachment; filename="workout_73911_${date}.csv"`]],
  'the name of a file by RFC 8187': [
    ['Content-Disposition', `attachment; filename*=UTF-8''${encodeURIComponent(`${email} 73911.csv`)}`],
  ],
  cookies: [
    ['Set-Cookie', 'uid=73911; Path=/'],
    ['Set-Cookie', `mail=${encodeURIComponent(email)}; Path=/`],
  ],
  'attributes of a cookie': [['Set-Cookie', `sid=1; Path=/; uid=73911; mail=${email}`]],
  'JSON in two cookies': [
    ['Set-Cookie', `a=${base64({ id: 73_911, theme: 'dark' })}`],
    ['Set-Cookie', `b=${base64({ email, lang: 'en' })}`],
  ],
  'a token': [['Set-Cookie', `session=${base64({ alg: 'none' })}.${base64({ sub: '73911', email })}.c2ln`]],
  'indented JSON in base64': [['X-Debug', Buffer.from(JSON.stringify(row, null, 2)).toString('base64')]],
  'a plain value in base64': [
    ['X-User', Buffer.from(email).toString('base64')],
    ['X-Id', '73911'],
  ],
  'parameters of a challenge': [['WWW-Authenticate', `Bearer realm="api", account="73911", user="${email}"`]],
  'quoted pairs': [
    ['X-Notes', '"\\L\\eg day, squats 5x5"'],
    ['X-Id', '"73911"'],
  ],
  'bytes of a structured field': [['X-User', `:${Buffer.from(email).toString('base64')}:;id=73911`]],
  'a colon between': [['X-Ref', `${email}:73911`]],
};

for (const [what, headers] of Object.entries(leaks))
  test(`a row in fields of a refusal is found: ${what}`, () => {
    expect(foundIn(refused(headers))).toBe('accused');
  });

test('a row in a redirect is found', () => {
  const open: Answer = { status: 302, location: `/log-in?user=${encodeURIComponent(email)}&id=73911`, body: '' };
  expect(foundIn(open)).toBe('accused');
});

test('a record needs most of its values', () => {
  const me = { id: 50_417, email, name: 'Mara Lindqvist', joined: '2021-04-17T08:30:00Z', plan: 'pro-2021' };
  const some: readonly HeaderPair[] = [
    ['X-Id', '50417'],
    ['X-User', email],
  ];
  expect(foundIn(refused(some), false, json(me))).toBe('unclear');
  expect(foundIn(refused([...some, ['X-Joined', me.joined]]), false, json(me))).toBe('accused');
});

test('a refusal that is given where nothing is too may hold values in its fields', () => {
  const account = { id: 50_417, email, opened: '2021-04-17T08:30:00Z', devices: [{ name: 'watch' }] };
  const dumped = refused([['X-Trace', Buffer.from(JSON.stringify(account)).toString('hex')]]);
  const found = (open: Answer): string => {
    const service = serviceOf(json(account), open, false);
    const answer: typeof service.answer = (asked) => {
      const given = service.answer(asked);
      return given === notFound && !asked.isKeyed ? unauthorized : given;
    };
    return judgeService({ ...service, answer }).found;
  };
  expect(found(dumped)).toBe('unclear');
  expect(found(refused([['X-Trace', 'ab12cd34']]))).toBe('passed');
});

test('values of several rows are no row', () => {
  const mixed: readonly HeaderPair[] = [
    ['X-Id', '73911'],
    ['X-Day', '2023-06-29'],
  ];
  expect(foundIn(refused(mixed))).toBe('unclear');
});

const ordinary: Readonly<Record<string, readonly HeaderPair[]>> = {
  'random values': [
    ['X-Request-Id', '0b0c7a52-6f1f-4e6e-9d0b-6b8a4c1d2e3f'],
    ['ETag', 'W/"5f2b8c"'],
    ['Set-Cookie', 'sid=8d1f6b8a4c1d2e3f; Path=/'],
  ],
  'limits and durations that a row has too': [
    ['RateLimit', 'limit=5000, remaining=4999, reset=3600'],
    ['Retry-After', '3600'],
  ],
  'the size of the body': [['Content-Length', '73911']],
  'what was asked for': [['Link', '</log-in?next=%2Fapi%2Fv2%2Fworkout%2F>; rel="login"']],
};

for (const [what, headers] of Object.entries(ordinary))
  test(`a refusal with fields passes: ${what}`, () => {
    const long = rows.map((each) => ({ ...each, metres: 5_000 + each.id - 73_911, seconds: 3_600 + each.id - 73_911 }));
    expect(foundIn(refused(headers), false, json({ rows: long }))).toBe('passed');
  });

test('what every refusal has is nobody’s row', () => {
  expect(foundIn(refused(leaks['a field for each value'] ?? []), true)).toBe('unclear');
});

test('fields of answers to the key are no row, and excuse no refusal', () => {
  const named: Answer = {
    ...json({ rows }),
    headers: [
      ['X-Trace', 'ab12cd34'],
      ['X-Owner', 'mara.lindqvist'],
    ],
  };
  expect(
    foundIn(
      refused([
        ['X-Owner', 'mara.lindqvist'],
        ['X-Trace', 'ab12cd34'],
      ]),
      false,
      named,
    ),
  ).toBe('passed');
  expect(foundIn(refused(leaks.cookies ?? []), false, { ...named, headers: leaks.cookies ?? [] })).toBe('accused');
});

test('the finding names the fields, and no value of the row is kept', inCi, async () => {
  const run = await judgeReference({ fault: 'row-in-refusal-fields', exchanges: true });
  expect(run.check('refuses-missing-key').reason).toContain('in x-workout, x-workout-date, x-workout-name');
  const [first] = workoutsOf('mara');
  expect(JSON.stringify([run.results, run.exchanges])).not.toContain(first?.uuid);
});
