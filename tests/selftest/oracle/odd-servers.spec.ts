import { randomUUID } from 'node:crypto';
import { describeBody } from '../../../src/wire/describe-body.js';
import { type JudgedAs, judgeService } from '../../generator/judged.js';
import type { Answer } from '../../generator/refusals.js';
import type { Service } from '../../generator/service.js';
import { json, notFound, publicRows, serviceOf, text, unauthorized } from '../support/odd-service.js';
import { expect, test } from '../support/test.js';

/** Servers that were thought of by hand: what the key gets, and what everybody else does. */

const html = (body: string): Answer => text('text/html', `<!DOCTYPE html><html><body>${body}</body></html>`);
const xml = (body: string): Answer => text('application/xml', body);
const events = (rows: readonly unknown[]): Answer =>
  text('text/event-stream', rows.map((row) => `data: ${JSON.stringify(row)}\n\n`).join(''));
const state = (tree: unknown): Answer => html(`<div></div><script>${JSON.stringify(tree)}</script>`);

/** Public rows with the members of own rows, which are null. */
const catalogue = [
  { id: 9_101, date: null, km: null, note: null, name: 'Squat', created: '2019-03-04' },
  { id: 9_102, date: null, km: null, note: null, name: 'Press', created: '2019-05-04' },
];

const rows = [
  { id: 40_112, date: '2024-03-01', km: 12.4, note: 'Easy run' },
  { id: 40_119, date: '2024-03-04', km: 8.1, note: 'Hills' },
  { id: 40_126, date: '2024-03-09', km: 21.1, note: 'Long one' },
];
const devices = ['A20', 'B30', 'C40', 'D50'].map((name, at) => ({
  model: `Pulse ${name}`,
  sku: `SKU-${88_210 + at}-${name}`,
  firmware: `${at + 3}.2.1-b${8_871 + at}`,
}));
const theirs = [
  { id: 51_112, date: '2023-11-01', km: 5.2, note: 'Walk' },
  { id: 51_119, date: '2023-11-14', km: 9.7, note: 'Jog' },
  { id: 51_126, date: '2023-12-09', km: 11.3, note: 'Trail' },
];
const visits = rows.map((row, at) => ({
  ...row,
  code: `visit-2024-${at}`,
  gym: ['Riverside Gym', 'North Gate', 'Old Mill 7'][at],
  gym_id: 50_211 + at,
}));
const gyms = visits.map(({ gym, gym_id }) => ({ gym, gym_id }));
const person = { id: 83_412, email: 'anna@example.org', plan: 'pro-2024', joined: '2021-04-05' };
const another = { id: 83_977, email: 'bo@example.net', plan: 'free-2023', joined: '2022-11-30' };
const figures = { users: 12_345, workouts: 99_812, exercises: 3_456, gyms: 7_812 };
const release = { build: '2024-01-05T10:00:00Z', commit: '9f2c1d7e4b8a', region: 'eu-west-1' };
const news = [
  { id: 3_001, at: '2024-01-02', title: 'Big news' },
  { id: 3_002, at: '2024-01-05', title: 'More news' },
];
const prices =
  '<table><tr><th>Plan</th><th>Price</th></tr><tr><td>Basic</td><td>9.99</td></tr><tr><td>Pro</td><td>19.99</td></tr><tr><td>Team</td><td>49.99</td></tr><tr><td>Club</td><td>99.99</td></tr></table>';
const ownTable =
  '<table><tr><th>id</th><th>date</th></tr><tr><td>40112</td><td>2024-03-01</td></tr><tr><td>40119</td><td>2024-03-04</td></tr></table>';
const workbook = (all: readonly object[]): Answer =>
  xml(
    `<Workbook><Table>${all
      .map(
        (row) =>
          `<Row>${Object.values(row)
            .map((value) => `<Cell><Data>${value}</Data></Cell>`)
            .join('')}</Row>`,
      )
      .join('')}</Table></Workbook>`,
  );
const columns = (all: typeof rows): object => ({ t: all.map(({ date }) => date), v: all.map(({ km }) => km) });
const days = { '2024-01-01': 12.4, '2024-01-02': 11.9, '2024-01-03': 14.2, '2024-01-04': 9.1 };
const theirDays = { '2023-05-01': 71, '2023-05-02': 70.2, '2023-05-03': 70.9, '2023-05-05': 69.8 };
const echo = { method: 'GET', headers: { host: 'api.example', 'user-agent': 'x/1.0' } };

type Case = readonly [title: string, keyed: Answer, open: Answer];

const now = new Date().toISOString();
const messages = ['Access denied', 'Get a key'].map((note, at) => ({
  id: 7_120_331 + at * 977,
  date: now,
  km: 0,
  note,
}));

const conforming: readonly Case[] = [
  ['messages of this moment in the form of rows', json({ rows }), json({ rows: messages }, 403)],
  ['figures of everybody beside a person', json({ me: person, figures }), json({ me: null, figures })],
  ['the same, and no member for the person', json({ me: { id: 4_711 }, figures }), json({ figures })],
  [
    'the release beside a person',
    json({ in: true, user: person, ...release }),
    json({ in: false, user: null, ...release }),
  ],
  [
    'the release in an error',
    json({ id: 40_001, name: 'Run', ...release }),
    json({ error: 'no key', ...release }, 401),
  ],
  ['news beside no rows', json({ news, rows }), json({ news, rows: [] })],
  ['news beside an account without rows', json({ news, rows: [] }), json({ news, error: 'no key' })],
  ['the same with status 401', json({ news, rows: [] }), json({ news, error: 'no key' }, 401)],
  [
    'links of which an account without rows has some too',
    json({ links: [news[0], { id: 3_009, at: '2024-02-02', title: 'You' }], rows: [] }),
    json({ links: [news[0], { id: 3_008, at: '2024-02-01', title: 'Log in' }], error: 'no key' }),
  ],
  ['news beside errors', json({ rows, included: news }), json({ errors: [{ title: 'No key' }], included: news })],
  [
    'the same with null for the rows',
    json({ rows, included: news }),
    json({ rows: null, errors: [{ title: 'No key' }], included: news }),
  ],
  ['messages, and one more', json({ messages: news.slice(1), rows }), json({ messages: news, rows: [] })],
  ['prices on every page', html(ownTable + prices), html(`<form></form>${prices}`)],
  ['an echo of the request', json({ rows, request: echo }), json({ error: 'no key', request: echo })],
  [
    'SOAP',
    xml('<Body><Items><Item><Id>40112</Id></Item></Items></Body>'),
    xml('<Body><Fault><code>4011</code></Fault></Body>'),
  ],
  ['CSV', text('text/csv', 'id,date\n40112,2024-03-01\n'), text('text/csv', 'code,message\n401,No key\n')],
  ['JSON-RPC', json({ id: 1, result: rows }), json({ id: 1, error: { code: -32_001 } })],
  ['an account without rows', json([]), json({ error: 'no key' })],
  ['a count', json({ count: 12 }), json({ count: 0 })],
  ['a number', json(12), json(401)],
  ['a session', json({ authenticated: true, user: person }), json({ authenticated: false })],
  ['a template', json(person), json({ id: null, email: null, plan: null, joined: null })],
  ['the gym of one row in a sentence', json(visits), json({ detail: 'Ask at Riverside Gym, 50211' }, 401)],
  ['the gym of one row', json(visits), json({ error: 'no key', gym: gyms[0] }, 401)],
  ['the gyms of all rows', json(visits), json({ error: 'no key', gyms }, 401)],
  ['the same with status 200', json(visits), json({ error: 'no key', gyms })],
  [
    'devices with ids of their own, which rows name, with status 403',
    json({ items: rows.map((row, at) => ({ ...row, ...devices[at] })) }),
    json({ error: 'pair a device first', supported: devices }, 403),
  ],
  [
    'public rows in the members of own ones',
    json({ of: 'account', rows: [...rows, ...catalogue] }),
    json({ of: 'everybody', rows: catalogue }),
  ],
  ['errors by JSON pointer', json(days), json({ '/key': 'required', '/id': 'missing', '/q': 'bad' })],
];

const faulty: readonly Case[] = [
  ['rows of others in the state of an app', json(rows), state({ props: { rows: theirs } })],
  ['columns of others in the state of an app', json(columns(rows)), state({ props: columns(theirs) })],
  ['rows of others in a string', json(rows), json({ error: 'boom', dump: JSON.stringify(theirs) })],
  ['the same with status 500', json(rows), json({ error: 'boom', dump: JSON.stringify(theirs) }, 500)],
  ['rows of others in an inner list', json(rows), json({ error: 'bad', debug: { rows: theirs } }, 400)],
  ['groups of others with status 401', json({ g: [{ k: 'A', rows }] }), json({ g: [{ k: 'A', rows: theirs }] }, 401)],
  ['columns of others with status 401', json(columns(rows)), json(columns(theirs), 401)],
  [
    'numbers of others in an error',
    json({ ids: [4_101, 4_102] }),
    json({ error: 'no', ids: [5_101, 5_102, 5_103, 5_104] }),
  ],
  ['days of others', json({ days }), json({ days: theirDays })],
  ['days of others with status 403', json({ days }), json({ days: theirDays }, 403)],
  ['events of others', json(rows), events(theirs)],
  ['a workbook of others', json(rows), workbook(theirs)],
  [
    'lines of others in a trace',
    json(rows),
    text('text/plain', theirs.map((row) => Object.values(row).join(' ')).join('\n'), 500),
  ],
  ['own cards in HTML', json(rows), html(rows.map(({ id, date }) => `<b>${id}</b><i>${date}</i>`).join(''))],
  [
    'own rows as YAML',
    json(rows),
    text('application/yaml', rows.map(({ id, date }) => `- id: ${id}\n  date: ${date}\n`).join('')),
  ],
  ['one row of others with status 401', json(rows), json({ error: 'no key', last: theirs[0] }, 401)],
  [
    'few columns of others with status 401',
    json(rows),
    json({ error: 'no key', last: theirs.slice(0, 2).map(({ id, note }) => ({ id, note })) }, 401),
  ],
  ['own values in words', json(rows), json({ note: 'by mail', rows: rows.map(({ id, date }) => `${id}:${date}`) })],
  [
    'own rows in links',
    json(rows),
    text('text/html', rows.map(({ id, date }) => `<a href="mailto:?body=${id}%20${date}">a</a>`).join('\n'), 401),
  ],
  ['rows of others in a redirect', json(rows), { ...json(theirs, 302), location: '/login' }],
  ['own rows in an error, and no news', json({ news, rows }), json({ error: 'boom', rows }, 500)],
  ['one own row beside the news', json({ news, rows }), json({ news, error: 'no key', last: rows[0] }, 401)],
  ['own rows, and an empty list is gone', json({ alerts: [], rows }), json({ error: 'no key', rows }, 401)],
  ['the own record in an error', json(person), json({ error: 'no key', debug: person })],
  ['the record of another in an error', json(person), json({ error: 'no key', debug: another }, 401)],
  ['the same with status 200', json({ in: true, user: person }), json({ in: false, error: 'no key', of: another })],
  [
    'small rows without names in the state of an app',
    json({
      rows: [
        [1, 2, 8],
        [2, 9, 7],
      ],
    }),
    state({
      rows: [
        [1, 2, 8],
        [2, 9, 7],
      ],
    }),
  ],
];

const found = ([, keyed, open]: Case, isEverywhere: boolean): JudgedAs =>
  judgeService(serviceOf(keyed, open, isEverywhere)).found;

test('no conforming one is accused', () => {
  const accused = conforming.filter((each) => [true, false].some((is) => found(each, is) === 'accused'));
  expect(accused.map(([title]) => title)).toEqual([]);
});

test('no faulty one passes', () => {
  const passed = faulty.filter((each) => found(each, false) === 'passed');
  expect(passed.map(([title]) => title)).toEqual([]);
});

test('errors where null stands for the key say no', () => {
  const keyed = json({ data: { rows }, errors: null });
  const open = json({
    data: null,
    errors: [{ message: 'Not authenticated', extensions: { code: 'UNAUTHENTICATED' } }],
  });
  expect(found(['a query language', keyed, open], true)).toBe('passed');
});

const packages = ['@scope/app/dist/app', '@scope/guard/lib/guard', '.pnpm/router@4.18.2/node_modules/router/index'];
const frames = [...packages, ...packages].map((file, at) => `    at f${at} (/srv/node_modules/${file}.js:20${at}:9)`);
const trace = ['Error: no key', ...frames];

for (const [what, answer] of [
  ['text', text('text/plain', trace.join('\n'), 403)],
  ['a page', text('text/html', `<pre>${trace.join('<br>')}</pre>`, 500)],
  ['JSON', json({ stack: trace }, 401)],
] as const)
  test(`a trace with paths of packages, which have an @, is a refusal as ${what}`, () => {
    expect(found([what, json(rows), answer], false)).toBe('passed');
  });

test('the steps of a trace are a refusal where missing paths get steps of this form too', () => {
  const errorOf = (status: number, message: string, line: number): Answer =>
    json(
      {
        message,
        trace: [...rows, ...theirs].map((_, at) => ({ file: `/srv/app/Step${at}.php`, line: line + at * 31 })),
      },
      status,
    );
  const { answer, ...other } = serviceOf(json(rows), errorOf(403, 'no key', 1_204), false);
  expect(judgeService({ ...other, answer }).found).toBe('unclear');
  const nowhere = errorOf(404, 'no route', 1_731);
  const isNowhere = (place: string): boolean => place === 'missing' || place === 'base';
  expect(judgeService({ ...other, answer: (asked) => (isNowhere(asked.place) ? nowhere : answer(asked)) }).found).toBe(
    'passed',
  );
  // Rows of others stay undecided.
  const leaky = serviceOf(json(rows), json({ message: 'no key', trace: theirs }, 403), false);
  expect(
    judgeService({ ...leaky, answer: (asked) => (isNowhere(asked.place) ? nowhere : leaky.answer(asked)) }).found,
  ).toBe('unclear');
});

const plainRows = [
  { id: '1041', minutes: '35', sport: 'run' },
  { id: '1077', minutes: '60', sport: 'bike' },
];
const warning = '<br />\n<b>Warning</b>: Undefined variable $user in /srv/api.php on line 12<br />\n';

for (const [what, answer] of [
  ['a warning', text('application/json', `${warning}${JSON.stringify({ status: 'ok', items: plainRows })}`)],
  ['a warning in a page', text('text/html', `${warning}${JSON.stringify({ status: 'ok', items: plainRows })}`)],
  ['a tag of XML', xml(`<string>${JSON.stringify(plainRows)}</string>`)],
] as const)
  test(`rows in JSON behind ${what} are opened`, () => {
    expect(found([what, json({ status: 'ok', items: plainRows }), answer], false)).toBe('accused');
  });

test('members that records and errors have alike make no record of an error', () => {
  const signed = (tree: object): object => ({ ...tree, trace: randomUUID(), at: new Date().toISOString() });
  const { answer, ...other } = serviceOf(unauthorized, unauthorized, false);
  const service: Service = {
    ...other,
    answer: (asked) => {
      if (asked.place !== 'operation') return answer(asked);
      if (asked.isKeyed) return json(signed({ ...person, type: 'person' }));
      return json({ error: signed({ id: 4_010_017, type: 'no key' }) }, 401);
    },
  };
  expect(judgeService(service).found).toBe('passed');
});

test('an identifier that was sent tells nothing', () => {
  const { shape } = describeBody({
    bytes: Buffer.from(JSON.stringify([83_412, 83_413])),
    contentType: 'application/json',
    truncated: false,
    echoes: ['/user/83412/', 'user', '83412'],
    salt: 'salt',
  });
  expect(shape.shape).toMatchObject({ items: [{ form: 'number' }, { form: 'number', telling: true }] });
  expect(shape.shape).not.toMatchObject({ items: [{ telling: true }, {}] });
});

test('a public resource where nobody has rows is not accused because refusals are without rows too', () => {
  const signed = (tree: object): Answer => json({ ...tree, nonce: randomUUID() });
  const { spec, ...other } = serviceOf(unauthorized, unauthorized, true);
  const service: Service = {
    ...other,
    spec: { ...spec, publicAccess: 'ownWithKey' },
    answer: ({ place, isKeyed }) =>
      place === 'missing' || place === 'base' ? notFound : signed(isKeyed ? { id: [1, 2], count: [4, 5] } : {}),
  };
  expect(judgeService(service).found).toBe('unclear');
  const telling: Service = {
    ...service,
    answer: (asked) => {
      const { place, isKeyed } = asked;
      if (place === 'missing' || place === 'base') return notFound;
      return signed(isKeyed ? { state: 'open', id: [1, 2], count: [4, 5] } : { state: 'closed' });
    },
  };
  expect(judgeService(telling).found).toBe('accused');
});

test('an object in a public row resembles none of the rows that only the key gets', () => {
  const shared = ['Squat', 'Press'].map((name, at) => ({ id: 9_101 + at, about: { name, code: `${randomUUID()}` } }));
  const { answer, ...other } = serviceOf(json({ rows, shared }), json({ rows: [], shared, error: 'no key' }), true);
  const service: Service = { ...other, answer: (asked) => (asked.place === 'public' ? json(shared) : answer(asked)) };
  expect(judgeService(service).found).toBe('passed');
});

test('a public resource is withheld that gives what a refusal gives, with an identifier of each answer', () => {
  const signed = (tree: object): Answer => json({ ...tree, trace: randomUUID(), ...release });
  const refused = (): Answer => signed({ errors: [{ message: 'Log in', id: randomUUID() }] });
  const { spec, ...other } = serviceOf(unauthorized, unauthorized, true);
  const service: Service = {
    ...other,
    spec: { ...spec, publicAccess: 'needsKey' },
    answer: ({ place, isKeyed }) =>
      place === 'missing' || place === 'base' ? notFound : isKeyed ? signed({ data: { rows } }) : refused(),
  };
  expect(judgeService(service).found).toBe('accused');
});

test('a wrong key is nobody’s where refusals show public rows, or change with each read', () => {
  const { answer, ...other } = serviceOf(unauthorized, unauthorized, true);
  const [first, second] = [publicRows, publicRows].map(({ body }) => JSON.parse(body));
  const refusals: readonly (() => Answer)[] = [
    () => json({ error: 'no key', popular: [...first, ...second].slice(0, 2) }),
    () => html(`<title>One moment</title>${Array.from({ length: 6 }, () => `<p>${randomUUID()}</p>`).join('')}`),
  ];
  for (const refused of refusals) {
    const service: Service = { ...other, answer: (asked) => (asked.place === 'operation' ? refused() : answer(asked)) };
    expect(judgeService(service).found).toBe('unclear');
  }
});

test('a key that ends in the middle shows nothing in another form', () => {
  const { answer, ...other } = serviceOf(json(rows), unauthorized, true);
  const wrapped = text('application/javascript', '/**/f({"status":401,"data":{"detail":"No key."}});');
  let reads = 0;
  const service: Service = {
    ...other,
    answer: (asked) => {
      const isOver = asked.place === 'operation' && asked.isKeyed && ++reads > 2;
      if (asked.target.includes('callback=') && asked.place === 'operation') return wrapped;
      return isOver ? unauthorized : answer(asked);
    },
  };
  expect(judgeService(service).found).toBe('unclear');
});

test('a form that holds nothing of the documented answer is no form of it', () => {
  const { answer, ...other } = serviceOf(json(rows), unauthorized, true);
  const wrapped = text('application/javascript', '/**/f({"status":401,"data":{"detail":"No key."}});');
  // JSONP that takes no key, and says so to everybody with status 200.
  const service: Service = {
    ...other,
    answer: (asked) => (asked.target.includes('callback=') && asked.place === 'operation' ? wrapped : answer(asked)),
  };
  expect(judgeService(service).found).not.toBe('accused');
});

const packed = (all: readonly object[], status = 200): Answer => ({
  status,
  contentType: 'application/x-protobuf',
  // Strings between bytes that are no text, as in the wire format of Protocol Buffers.
  body: all.flatMap((row) => Object.values(row).map((value) => `\u0001\u0012\u0003${value}\u0000\u0004`)).join(''),
});

test('values of binary data in a refusal are undecided', () => {
  expect(found(['binary data', packed(rows), json({ error: 'no key', last: rows[0] }, 401)], false)).toBe('unclear');
  expect(found(['binary data', packed(rows), json({ error: 'no key', last: theirs[0]?.note }, 401)], false)).toBe(
    'passed',
  );
});

test('a record of the key’s owner in the refusals of all operations is undecided', () => {
  const leak = json({ error: 'no key', user: person }, 401);
  expect(judgeService(serviceOf(packed([person]), leak, true)).found).toBe('unclear');
  const { answer, ...other } = serviceOf(json(person), leak, true);
  expect(judgeService({ ...other, answer }).found).toBe('unclear');
  const missing = json({ error: 'nothing here', user: person }, 404);
  const isNowhere = (place: string): boolean => place === 'missing' || place === 'base';
  expect(judgeService({ ...other, answer: (asked) => (isNowhere(asked.place) ? missing : answer(asked)) }).found).toBe(
    'passed',
  );
});

const plans = ['team-annual', 'solo-monthly', 'club-annual'].map((plan, at) => ({
  plan,
  price: 29_900 - at * 9_001,
  seats: [25, 1, 500][at],
  vat: ['19.00', '7.00', '19.00'][at],
}));

test('plans of which the record of the key’s owner names one are no record of the owner', () => {
  const own = json({ ...plans[0], state: 'active' });
  const found = (open: Answer): JudgedAs => judgeService(serviceOf(own, open, false)).found;
  expect(found(json({ error: 'no plan', plans }, 402))).toBe('unclear');
  expect(found(json({ error: 'no plan', ...plans[0] }, 402))).toBe('accused');
});

test('rows of the keyed kind that a missing path gives too are how the API words its errors', () => {
  const problems = (...codes: readonly number[]): object => ({
    problems: codes.map((code) => ({ code, at: `2024-03-${10 + (code % 19)}`, note: `Problem ${code}` })),
  });
  const { answer, ...other } = serviceOf(json(problems(50_110, 50_121)), json(problems(40_101, 40_102), 401), false);
  expect(judgeService({ ...other, answer }).found).toBe('accused');
  const nowhere = json(problems(40_401, 40_402), 404);
  const service: Service = {
    ...other,
    answer: (asked) => (asked.place === 'missing' || asked.place === 'base' ? nowhere : answer(asked)),
  };
  expect(judgeService(service).found).toBe('unclear');
});

test('a column of the owner’s rows is a value of the owner, however many columns are missing', () => {
  const columns = {
    id: rows.map(({ id }) => `5f1a${id}c0de`),
    date: rows.map(({ date }) => date),
    km: rows.map(({ km }) => km),
  };
  const news = { news: [] };
  const found = (open: object): JudgedAs =>
    judgeService(serviceOf(json({ ...columns, offers: theirs }), json({ ...open, ...news }), false)).found;
  expect(found({ error: 'no key', id: columns.id })).toBe('unclear');
  expect(found({ error: 'no key', id: ['a', 'b'] })).toBe('passed');
});
