import { generatedSpec, type JudgedAs, judgeService } from '../../generator/judged.js';
import type { Answer } from '../../generator/refusals.js';
import type { Service } from '../../generator/service.js';
import { expect, test } from '../support/test.js';

/** What a client without a key gets in the place of the public rows that the key gets. */

const json = (tree: unknown, status = 200): Answer => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify(tree),
});

/** Answers by turns to a client without a key. */
const serviceOf = (keyed: unknown, ...open: readonly [Answer, ...Answer[]]): Service => {
  let reads = 0;
  return {
    spec: {
      ...generatedSpec('public', 0),
      seed: 'public',
      publics: 1,
      others: 1,
      layers: [],
      publicAccess: 'ignoresKey',
    },
    opens: () => false,
    answer: ({ place, isKeyed }) => {
      if (place === 'operation' || place === 'other')
        return isKeyed ? json([{ id: 70_001, day: '2024-03-01' }]) : json({ detail: 'No key.' }, 401);
      if (place !== 'public') return json({ detail: 'Not found.' }, 404);
      if (isKeyed) return json(keyed);
      reads += 1;
      return open[(reads - 1) % open.length] ?? open[0];
    },
  };
};

const rows = [
  { id: 9_001, name: 'Oats, rolled', energy: 372, protein: 13.5 },
  { id: 9_002, name: 'Skyr', energy: 63, protein: 11 },
  { id: 9_003, name: 'Banana', energy: 89, protein: 1.1 },
];
const others = [
  { id: 9_014, name: 'Kohlrabi', energy: 27, protein: 1.7 },
  { id: 9_015, name: 'Hazelnuts', energy: 644, protein: 15 },
];
const page = (results: readonly unknown[]) => ({ count: results.length, next: null, results });
const facets = [
  { id: 5_001, title: 'Cereals' },
  { id: 5_002, title: 'Fruit and nuts' },
];
const withheld = (value: unknown, ...kept: readonly string[]) =>
  rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, its]) => [name, kept.includes(name) ? its : value])),
  );

const cases: Readonly<Record<string, readonly [keyed: unknown, open: unknown, JudgedAs]>> = {
  'the same rows': [page(rows), page(rows), 'passed'],
  'rows of another selection': [page(rows), page(others), 'passed'],
  'one row of another selection': [rows, others.slice(0, 1), 'passed'],
  'rows of another selection, where the key gets one': [rows.slice(0, 1), others, 'passed'],
  'rows without the marks of the key’s owner': [
    page(rows.map((row, at) => ({ ...row, mark: `note ${at}` }))),
    page(rows.map((row) => ({ ...row, mark: null }))),
    'passed',
  ],
  'rows with fewer members': [page(rows), page(rows.map(({ id, name }) => ({ id, name }))), 'passed'],
  'rows of several kinds': [[{ food: 'Skyr' }, { drink: 'Water' }], [{ food: 'Oats' }], 'passed'],
  'rows without names, of another selection': [rows.map(Object.values), others.map(Object.values), 'passed'],
  'rows of null': [page(rows), page(withheld(null)), 'unclear'],
  'rows of null beside a list for everybody': [{ rows, facets }, { rows: withheld(null), facets }, 'unclear'],
  'rows of null but for the id': [page(rows), page(withheld(null, 'id')), 'unclear'],
  'rows of stars': [page(rows), page(withheld('***')), 'unclear'],
  'rows of stars but for the id': [page(rows), page(withheld('***', 'id')), 'unclear'],
  'rows of null in groups': [
    [
      { group: 'A', rows },
      { group: 'B', rows: others },
    ],
    [
      { group: 'A', rows: withheld(null) },
      { group: 'B', rows: withheld(null) },
    ],
    'unclear',
  ],
  'a notice': [page(rows), page([{ message: 'Please log in', code: 401 }]), 'unclear'],
  'a list of errors': [rows, [{ error: 'token missing', code: 4_011 }], 'unclear'],
  'price plans': [
    page(rows),
    page([
      { plan: 'Basic', price: 4.99 },
      { plan: 'Gym', price: 199 },
    ]),
    'unclear',
  ],
};

for (const [name, [keyed, open, expected]] of Object.entries(cases))
  test(`${name}: ${expected}`, () => {
    expect(judgeService(serviceOf(keyed, json(open))).found).toBe(expected);
  });

const refused = json({ detail: 'No key.' }, 401);
const opened = json(page(rows));

const turns: Readonly<Record<string, readonly [readonly [Answer, ...Answer[]], JudgedAs]>> = {
  'the third of three reads is refused, and a second try is not': [[opened, opened, refused], 'unclear'],
  'the second of three reads and a second try are refused': [[opened, refused], 'accused'],
  'a limit is reached': [[opened, json({ detail: 'Slow down.' }, 429)], 'passed'],
  'the server has an error now and then': [[opened, json({ detail: 'Oops.' }, 503)], 'passed'],
};

for (const [name, [answers, expected]] of Object.entries(turns))
  test(`${name}: ${expected}`, () => {
    expect(judgeService(serviceOf(page(rows), ...answers)).found).toBe(expected);
  });

/** Missing paths get what the public resource gives without a key. */
const asWhereNothingIs: Readonly<Record<string, readonly [Answer, JudgedAs]>> = {
  'the shell of a web app': [
    { status: 200, contentType: 'text/html', body: '<!doctype html><title>Fit</title><div id="app"></div>' },
    'accused',
  ],
  'an empty page': [json(page([])), 'unclear'],
  'an error with status 200': [json({ error: 'Not found.' }), 'unclear'],
};

for (const [name, [open, expected]] of Object.entries(asWhereNothingIs))
  test(`${name}, as where nothing is: ${expected}`, () => {
    const { answer, ...other } = serviceOf(page(rows), open);
    const isNowhere = (place: string): boolean => place === 'missing' || place === 'base';
    const service: Service = { ...other, answer: (asked) => (isNowhere(asked.place) ? open : answer(asked)) };
    expect(judgeService(service).found).toBe(expected);
  });
