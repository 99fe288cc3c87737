import { type Answer, judgeKinds, things, unauthorized } from '../support/document-server.js';
import { expect, inCi, someOfTable, test } from '../support/test.js';

/** Public operations that give the key another success than a client without one. */

const json = (body: unknown): Answer => ({ status: 200, body });
const text = (body: string, type = 'text/plain'): Answer => ({ status: 200, type, body });

const judgedRun = (kinds: (hasKey: boolean) => Answer) =>
  judgeKinds(({ path, hasKey }) => {
    if (path === '/kinds') return kinds(hasKey);
    return hasKey ? { status: 200, body: things } : unauthorized;
  });

const judged = async (kinds: (hasKey: boolean) => Answer): Promise<string> =>
  (await judgedRun(kinds)).check('opens-without-credentials').outcome;

const withheld = someOfTable();
const open = someOfTable();
const rows = ['Run', 'Row', 'Swim'].map((name, at) => ({ id: 7_100 + at * 13, name }));
const record = { total: 412_345, newest: 'Squat 77', licence: 'CC-BY-4.0' };
const figure = { total: 412_345, isComplete: true };

for (const [what, kinds] of [
  ['one line of text', (hasKey) => text(hasKey ? 'Run: 7100.\nRow: 7113.\nSwim: 7126.' : 'Please log in.')],
  ['a page with one heading', (hasKey) => text(`<h1>${hasKey ? 'Run, Row, Swim' : 'Log in'}</h1>`, 'text/html')],
  ['other bytes', (hasKey) => text(hasKey ? '\u0000\u0001\u0002pixels' : '\u0000\u0003\u0004nobody', 'image/png')],
  ['another JSON text', (hasKey) => json(hasKey ? 'Run, Row and Swim since 1987' : 'A key is needed for this')],
  ['a list of one text', (hasKey) => json(hasKey ? rows.map(({ name }) => `${name} of 1987`) : ['A key is needed'])],
  [
    'the members of a record, all null',
    (hasKey) => json(hasKey ? record : { total: null, newest: null, licence: null }),
  ],
  ['how many rows there are', (hasKey) => json({ count: rows.length, results: hasKey ? rows : null })],
  ['that all is well', (hasKey) => json({ ok: true, results: hasKey ? rows : null })],
] as const satisfies readonly (readonly [string, (hasKey: boolean) => Answer])[])
  test(`who gets ${what} instead of what the key gets was not seen to get the resource`, withheld(), async () => {
    expect(await judged(kinds)).toBe('inconclusive');
  });

let reads = 0;
const next = (): number => {
  reads += 1;
  return reads;
};

for (const [what, kinds] of [
  ['a text that is another one at each read', () => text(`Read ${next()} times.`)],
  ['a JSON number that counts', () => json(next())],
  [
    'a record with a value of its own for the key',
    (hasKey) => json({ ...record, newest: hasKey ? 'Mine 12' : 'Row 3' }),
  ],
  ['a record of a number and a boolean', () => json(figure)],
  ['a record of booleans', () => json({ open: true, full: false })],
  ['a list of texts with more for the key', (hasKey) => json(['Run', 'Row', ...(hasKey ? ['Mine'] : [])])],
  ['a record with a list of its own for the key', (hasKey) => json({ ...record, ...(hasKey ? { mine: rows } : {}) })],
  ['the same bytes', () => text('\u0000\u0001\u0002pixels', 'image/png')],
] as const satisfies readonly (readonly [string, (hasKey: boolean) => Answer])[])
  test(`${what} is open to everybody`, open(), async () => {
    expect(await judged(kinds)).toBe('passed');
  });

test('who gets 503 where the key opens is not told that the service is out of order', inCi, async () => {
  const run = await judgedRun((hasKey) => (hasKey ? json(rows) : { status: 503, body: { detail: 'Not now.' } }));
  expect(run.results.causes?.map(({ outcome, title }) => `${outcome}: ${title}`)).toEqual([
    'inconclusive: GET /kinds gives more to a client with a key',
  ]);
});
