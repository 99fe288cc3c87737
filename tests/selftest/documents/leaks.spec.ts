import { type Answer, judgeDocument, newKey, notFound } from '../support/document-server.js';
import { protectedList as document } from '../support/documents.js';
import { expect, tableOfSecrets, test } from '../support/test.js';

/**
 * What only the key's owner sees shows in a refusal, whatever its status and media type; what every
 * answer holds does not count.
 */

const some = tableOfSecrets();

const key = newKey();
const small = [
  { id: 1, name: 'Legs', minutes: 55, done: true },
  { id: 2, name: 'Push', minutes: 40, done: false },
];
const dull = [
  { id: 40_311, day: '2024-03-11', name: 'Legs', minutes: 55, done: true },
  { id: 40_312, day: '2024-03-14', name: 'Push', minutes: 40, done: false },
];
const ref = '5f0c1d9e-2b7a-4c38-9d61-7e4a90b3c215';
const noted = { count: 1, results: [{ id: 40_121, ref, name: 'Legs', note: 'Leg day at the old gym' }] };
const owned = { owner: 'ada@things.example', version: 'v2.31.7-beta', results: dull };
const volatile = () => ({ served_at: new Date().toISOString(), took_ms: Math.random(), results: dull });
const xml = (at: string) =>
  `<?xml version="1.0"?><things at="${at}"><thing id="1">Legs</thing><thing id="2">Push</thing></things>`;
const page = (body: string) => `<!doctype html><html><head><title>Things</title></head><body>${body}</body></html>`;
const row = '<table><tr><td>1</td><td>Legs</td></tr><tr><td>2</td><td>Push</td></tr></table>';

type Made = Answer | (() => Answer);
const json = (status: number, body: unknown): Answer => ({ status, body });
const typed = (status: number, type: string, body: string): Answer => ({ status, type, body });

const leaking: readonly (readonly [what: string, keyed: Made, refusal: Made])[] = [
  [
    'one of the records, dull as it is',
    json(200, { results: dull }),
    json(401, { detail: 'no', shown: dull.slice(0, 1) }),
  ],
  ['all records among members that change', () => json(200, volatile()), () => json(404, volatile())],
  [
    'the records beside a redirect',
    json(200, { results: dull }),
    { ...json(302, { results: dull }), headers: { location: '/' } },
  ],
  [
    'the records by their columns',
    json(200, { results: dull }),
    json(404, { ids: [40_311, 40_312], days: ['2024-03-11', '2024-03-14'] }),
  ],
  ['the data as a string', json(200, noted), json(401, { detail: 'no', debug: JSON.stringify(noted) })],
  ['the whole in XML', typed(200, 'application/xml', xml('')), typed(401, 'application/xml', xml(''))],
  [
    'the whole in XML with a member that changes',
    () => typed(200, 'application/xml', xml(String(Math.random()))),
    () => typed(404, 'application/xml', xml(String(Math.random()))),
  ],
  ['the whole page', typed(200, 'text/html', page(row)), typed(401, 'text/html', page(row))],
  [
    'a record in the query of a redirect, with its brackets as they are',
    json(200, { results: dull }),
    {
      ...json(302, {}),
      headers: { location: `/log-in?last=${JSON.stringify(dull[0]).replaceAll('"', '%22')}` },
    },
  ],
  [
    'a record in the target of a Link field',
    json(200, { results: dull }),
    {
      ...json(401, { detail: 'no' }),
      headers: { link: `</log-in?state=${encodeURIComponent(JSON.stringify(dull[0]))}>; rel=next` },
    },
  ],
  [
    'values of a record in a percent-encoded cookie',
    json(200, { results: dull }),
    {
      ...json(401, { detail: 'no' }),
      headers: { 'set-cookie': `last=${encodeURIComponent('40311|2024-03-11|Legs|55')}; Path=/` },
    },
  ],
];

const csv = (rows: string): Answer['body'] =>
  `# contact: help@things.example\n# Things, export of release 2.14\n${rows}`;
const schema = (body: string): string => `<?xml version="1.0"?><r schema="things schema 2.14">${body}</r>`;
const many = [
  { id: 40_121, note: 'Leg day at the old gym', parts: ['Romanian deadlift', 'Back squat'] },
  { id: 40_122, note: 'Push day, and late', parts: ['Overhead press'] },
];

const clean: readonly (readonly [what: string, keyed: Made, refusal: Made])[] = [
  ['members of the envelope', json(200, owned), json(401, { version: 'v2.31.7-beta', detail: 'no' })],
  [
    'the version in a sentence',
    json(200, owned),
    json(401, { detail: 'See the notes of release v2.31.7-beta on keys.' }),
  ],
  [
    'links that every answer has',
    json(200, { links: [{ rel: 'help', href: '/help', title: 'Help' }], results: dull }),
    json(401, { links: [{ rel: 'help', href: '/help', title: 'Help' }], detail: 'no' }),
  ],
  [
    'the path that was asked for, percent-encoded in a redirect',
    json(200, { results: dull, self: '/things?page=1' }),
    { ...json(302, {}), headers: { location: `/log-in?next=${encodeURIComponent('/things?page=1')}` } },
  ],
  ['small numbers that are also ids', json(200, { results: small }), json(401, { detail: 'no', versions: [1, 2] })],
  [
    'the name of the pod',
    json(200, { meta: { served_by: 'things-6d5f7c9b8-x2x4q' }, results: [noted] }),
    json(401, { error: { detail: 'no', served_by: 'things-6d5f7c9b8-x2x4q' } }),
  ],
  [
    'the service’s own members beside an empty list',
    json(200, { service: 'things 2.14.0', served_by: 'things-6d5f7c9b8-x2x4q', results: [] }),
    json(401, { service: 'things 2.14.0', served_by: 'things-6d5f7c9b8-x2x4q', detail: 'no' }),
  ],
  [
    'what the client accepts',
    json(200, { client: { accept: 'application/json, */*;q=0.8' }, results: dull }),
    json(401, { detail: 'no', request: { accepted: 'application/json, */*;q=0.8' } }),
  ],
  [
    'the public beginning of the key',
    json(200, { access: { starts: key.slice(0, 8) }, results: dull }),
    json(401, { detail: 'no', starting: key.slice(0, 8) }),
  ],
  [
    'the comments of a CSV file',
    typed(200, 'text/csv', `${csv('id,note\n40121,"Leg day at the gym"\n')}`),
    typed(401, 'text/csv', `${csv('error\nno key\n')}`),
  ],
  [
    'the root of an XML document',
    typed(200, 'application/xml', schema('<thing id="40121">Leg day at the gym</thing>')),
    typed(401, 'application/xml', schema('<error>no key</error>')),
  ],
  [
    'a value of the envelope under another name',
    json(200, { motto: 'Lift, eat and sleep', results: many }),
    json(401, { detail: 'no', words: 'Lift, eat and sleep' }),
  ],
  ['a page of the same site', typed(200, 'text/html', page(row)), typed(401, 'text/html', page('<p>Log in</p>'))],
  ['another XML', typed(200, 'application/xml', xml('')), typed(401, 'application/xml', '<?xml version="1.0"?><no/>')],
];

const record = { id: 5, owner: 'Ada', goal: 'Strength', weight: 71, tags: ['legs', 'push'] };
const huge = {
  results: Array.from({ length: 60_000 }, (_, id) => ({
    id,
    name: 'Legs',
    note: `note ${id} of mine, and more words`,
  })),
};
const other = [
  { id: 50_417, day: '2023-11-02', name: 'Pull', minutes: 20, done: true },
  { id: 50_418, day: '2023-11-05', name: 'Run', minutes: 35, done: true },
];
const lines = (...values: unknown[]): Answer =>
  typed(200, 'application/x-ndjson', values.map((value) => `${JSON.stringify(value)}\n`).join(''));

/**
 * Each with its twin: a server that keeps the contract, or breaks it, and gives the same answers.
 */
const unclear: readonly (readonly [what: string, keyed: Made, refusal: Made])[] = [
  // Of one row alone nothing says which of its values every row has.
  [
    'half of the only row in a page',
    json(200, noted),
    typed(403, 'text/html', page(`<p>Last: <q>Leg day at the old gym</q></p><p>${ref}</p>`)),
  ],
  [
    'half of the only row in a trace',
    json(200, noted),
    json(500, { trace: `in get\n rows=[Thing(ref='${ref}', note='Leg day at the old gym')]` }),
  ],
  [
    'a name of a catalogue',
    json(200, { results: many }),
    json(401, { detail: 'no', popular: ['Romanian deadlift', 'Hip thrust'] }),
  ],
  // A page that quotes what everybody reads elsewhere.
  [
    'one value in a page',
    json(200, noted),
    typed(403, 'text/html', page('<p>Last: <q>Leg day at the old gym</q></p>')),
  ],
  [
    'one value in a trace',
    json(200, noted),
    json(500, { trace: "in get\n rows=[Thing(id=7, note='Leg day at the old gym')]" }),
  ],
  // The address of whoever helps those who have no key.
  [
    'the owner in a sentence',
    json(200, owned),
    typed(401, 'text/plain', 'No key. Things of ada@things.example are private.'),
  ],
  ['the owner in a member of its own', json(200, owned), json(401, { owner: 'ada@things.example', detail: 'no' })],
  // The address that the owner once came from.
  [
    'the client’s address',
    json(200, { results: [{ id: 1, ip: '203.0.113.77' }] }),
    typed(403, 'text/html', page('<p>Your address</p><p>203.0.113.77</p>')),
  ],
  // What the key opens, with the status of a refusal.
  ['the empty list', json(200, { count: 0, results: [] }), json(401, { count: 0, results: [] })],
];

/**
 * Another record in the place of the owner's is a guest's too, and one row is one notice: a server
 * that keeps the contract gives both.
 */
const elsewhere: readonly (readonly [what: string, keyed: Made, answer: Made, outcome: string])[] = [
  [
    'another record with tags',
    json(200, record),
    json(200, { ...record, id: 9, owner: 'Bo', tags: ['run'] }),
    'blocked',
  ],
  [
    'a record with an outcome',
    json(200, { ...record, code: 0 }),
    json(200, { ...record, owner: '', code: 401 }),
    'blocked',
  ],
  // 503 is no refusal, so nothing shows that the key opens more than nobody gets.
  ['the data with 503', json(200, noted), json(503, noted), 'blocked'],
  ['another line of NDJSON', lines(...dull), lines(...other.slice(0, 1)), 'inconclusive'],
  ['other lines of NDJSON', lines(...dull), lines(...other), 'failed'],
  [
    'one record of a list too long to read',
    json(200, huge),
    json(200, { results: [{ id: 59_999, name: 'Legs', note: 'x' }] }),
    'inconclusive',
  ],
  ['a refusal with 200 where the list is too long to read', json(200, huge), json(200, { error: 'no key' }), 'passed'],
  ['the whole of a list too long to read', json(200, huge), json(200, huge), 'failed'],
];

const made = (answer: Made): Answer => (typeof answer === 'function' ? answer() : answer);

const outcomeOf = async (keyed: Made, refusal: Made) => {
  const run = await judgeDocument(
    document,
    ({ path, headers }) => {
      if (path !== '/things/') return notFound;
      return made(headers.authorization === `Bearer ${key}` ? keyed : refusal);
    },
    { settings: { API_KEY: key, PROBES: 'standard' }, only: ['refuses-missing-key'] },
  );
  const { outcome, reason } = run.check('refuses-missing-key');
  return { outcome, reason };
};

for (const [what, keyed, refusal] of leaking)
  test(`a refusal with ${what} is none`, some(), async () => {
    expect(await outcomeOf(keyed, refusal)).toMatchObject({ outcome: 'failed' });
  });

for (const [what, keyed, refusal] of clean)
  test(`a refusal with ${what} is one`, some(), async () => {
    expect(await outcomeOf(keyed, refusal)).toMatchObject({ outcome: 'passed' });
  });

for (const [what, keyed, refusal] of unclear)
  test(`a refusal with ${what} may be one`, some(), async () => {
    expect(await outcomeOf(keyed, refusal)).toMatchObject({ outcome: 'inconclusive' });
  });

for (const [what, keyed, answer, outcome] of elsewhere)
  test(`${what} is ${outcome}`, some(), async () => {
    expect(await outcomeOf(keyed, answer)).toMatchObject({ outcome });
  });

for (const leads of [true, false])
  test(`a redirect that every path gets, its path in the query, leads to ${leads ? 'the data' : 'a refusal'}`, async () => {
    const run = await judgeDocument(
      document,
      ({ path, query, headers }) => {
        if (path === '/internal')
          return leads && query.get('path') === '/things/' ? json(200, noted) : json(403, { detail: 'no' });
        if (path === '/things/' && headers.authorization === `Bearer ${key}`) return json(200, noted);
        return { status: 302, headers: { location: `/internal?path=${path}` } };
      },
      { settings: { API_KEY: key, PROBES: 'standard' }, only: ['refuses-missing-key'] },
    );
    expect(run.check('refuses-missing-key').outcome).toBe(leads ? 'failed' : 'passed');
  });

for (const stable of [true, false])
  test(`HEAD with another ETag and the same length, where the key gets ${stable ? 'the same one' : 'another one'} each time`, async () => {
    let turn = 0;
    const run = await judgeDocument(
      document,
      ({ path, method, headers }) => {
        if (path !== '/things/') return notFound;
        const hasKey = headers.authorization === `Bearer ${key}`;
        if (!hasKey && method !== 'HEAD') return json(401, { detail: 'no' });
        turn += 1;
        return { ...json(200, noted), headers: { etag: `"${hasKey && stable ? 'mine' : turn}"` } };
      },
      { settings: { API_KEY: key }, only: ['refuses-other-spellings'] },
    );
    // It is no answer of a path that does not exist, and not the refusal of GET.
    expect(run.check('refuses-other-spellings').outcome).toBe(stable ? 'inconclusive' : 'failed');
  });

const hintLength =
  JSON.stringify({ code: 0, data: dull }).length - JSON.stringify({ code: 1, data: [], hint: '' }).length;
for (const [what, keyed, refusal, headers] of [
  ['as long as the data', { code: 0, data: dull }, { code: 1, data: [], hint: 'x'.repeat(hintLength) }, {}],
  ['with the ETag of the data', { code: 0, data: [{ id: 40_121 }] }, { code: 7, data: [] }, { etag: '"build-2"' }],
] as const)
  test(`HEAD shows nothing where a refusal with 200 is ${what}`, async () => {
    const run = await judgeDocument(
      document,
      ({ path, headers: { authorization } }) => {
        if (path !== '/things/') return notFound;
        return { ...json(200, authorization === `Bearer ${key}` ? keyed : refusal), headers };
      },
      { settings: { API_KEY: key }, only: ['refuses-other-spellings'] },
    );
    expect(run.check('refuses-other-spellings').outcome).toBe('passed');
  });
