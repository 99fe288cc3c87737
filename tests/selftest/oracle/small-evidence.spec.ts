import { randomUUID } from 'node:crypto';
import { judgeService } from '../../generator/judged.js';
import type { Service } from '../../generator/service.js';
import { json, serviceOf } from '../support/odd-service.js';
import { expect, test } from '../support/test.js';

/** Refusals with a record whose only list is empty, with a page without rows, or with single values. */

const record = { id: randomUUID(), created: '2024-03-01T06:12:44Z', name: 'region', tags: [] };
const page = { kind: 'workouts', page: 1, total: 0, items: [] };

for (const [what, body, found] of [
  ['a record', record, 'accused'],
  ['a record, and other constants', { ...record, page: 1 }, 'accused'],
  ['a page', page, 'unclear'],
  ['a page with one identifier', { ...page, id: randomUUID() }, 'unclear'],
] as const)
  test(`what the key gets, with an empty list, in a refusal with 403: ${what}: ${found}`, () => {
    expect(judgeService(serviceOf(json(body), json(body, 403), false)).found).toBe(found);
  });

test('a record with an empty list that every refusal has is the service’s', () => {
  expect(judgeService(serviceOf(json(record), json(record, 403), true)).found).not.toBe('accused');
});

for (const [what, note, found] of [
  ['names the resource that was asked for', 'No right to read "own_workout"', 'passed'],
  ['has a value of a row', 'No right to read "visit-2024-1"', 'unclear'],
  ['has values of two rows that name the resource', 'Only "own_workout", "own_workout_2"', 'unclear'],
] as const)
  test(`a refusal that ${what} is ${found}`, () => {
    const rows = ['own_workout', 'own_workout_2', 'visit-2024-1'].map((name, at) => ({ at: at * 7, name }));
    expect(judgeService(serviceOf(json({ rows }), json({ error: note }, 403), false)).found).toBe(found);
  });

const small = [
  { id: 1, count: 9, weight: 4 },
  { id: 2, count: 3, weight: 0 },
];
const edges = small.map((node, at) => ({ cursor: `Y3Vyc29yOj${at}MDA=`, node }));
const another = { ...small[0], weight: 5 };

for (const [what, body, row, found] of [
  ['a small row', { rows: small }, small[0], 'unclear'],
  ['a small row of a group', { groups: [{ type: 'A', rows: small }] }, small[0], 'unclear'],
  ['the small node of an edge', { edges }, small[0], 'unclear'],
  ['a small row of a page that may have an empty list', { next: [], rows: small }, small[0], 'unclear'],
  ['no row', { groups: [{ type: 'A', rows: small }] }, another, 'passed'],
] as const)
  test(`a refusal with ${what} is ${found}`, () => {
    const refusal = json({ error: 'No right', context: row }, 403);
    expect(judgeService(serviceOf(json(body), refusal, false)).found).toBe(found);
  });

const others = [41004, 41010].map((id) => ({ id, name: 'Rest' }));

for (const [what, context, found] of [
  ['two records with some of its members', others, 'unclear'],
  ['one error with an id', others.slice(0, 1), 'passed'],
] as const)
  test(`where the key gets a record, a refusal with ${what} is ${found}`, () => {
    const own = { id: 40004, name: 'Bike', date: '2024-05-11', weight: 10.35 };
    expect(judgeService(serviceOf(json(own), json({ error: 'No right', context }, 401), false)).found).toBe(found);
  });

test('a refusal that holds a record of small numbers, beside a message, is unclear', () => {
  const counts = { units: 0, users: 3, projects: 12, languages: 799, queues: { mail: 0, backup: 2 } };
  const refusal = json({ detail: 'No key was sent', context: counts }, 403);
  expect(judgeService(serviceOf(json(counts), refusal, false)).found).toBe('unclear');
});

test('constants of the API, which the only row of a list repeats, are not the row’s', () => {
  const constants = { apiVersion: '2.14.0', build: '2024-01-05T10:00:00Z', commit: '9f2c1d7e4b8a' };
  const row = { id: 40005, date: '2023-06-25', note: 'New best on the bench', ...constants };
  const body = json({ rows: [row], news: [{ id: 3107 }, { id: 6820 }], ...constants });
  const refusal = json({ rows: null, news: null, ...constants, error: 'No right' });
  expect(judgeService(serviceOf(body, refusal, false)).found).not.toBe('accused');
});

test('a refusal with the values of a row without names is unclear', () => {
  const body = json({ columns: ['id', 'count', 'weight'], rows: [small, another].flat().map(Object.values) });
  const refusal = json({ error: 'No right', context: small[0] }, 403);
  expect(judgeService(serviceOf(body, refusal, false)).found).toBe('unclear');
});

for (const [what, context, found] of [
  ['the only row of a list', { id: 1, active: true, type: 'hook', events: ['push'] }, 'unclear'],
  ['an object with other members', { id: 1, active: true, error: 'hook', events: ['push'] }, 'passed'],
] as const)
  test(`a refusal that holds ${what}, of small values, beside a message, is ${found}`, () => {
    const rows = [{ id: 1, active: true, type: 'hook', events: ['push'] }];
    const refusal = json({ detail: 'No key was sent', context }, 403);
    expect(judgeService(serviceOf(json(rows), refusal, false)).found).toBe(found);
  });

const envelope = (code: number, message: string, data: unknown = null): unknown => ({ code, message, data });
const inEnvelope = (missing: unknown): Service => {
  const service = serviceOf(json(envelope(0, 'ok')), json(envelope(4, 'No or wrong API key.'), 401), false);
  const { answer } = service;
  return {
    ...service,
    answer: (asked) => (asked.place === 'missing' ? json(missing, 404) : answer(asked)),
  };
};

test('a refusal in the envelope that a missing path has too is one, also if the key gets nothing but the envelope', () => {
  expect(judgeService(inEnvelope(envelope(3, 'No such function.'))).found).toBe('passed');
});

test('a refusal with the structure of the record may be data where a missing path has another one', () => {
  for (const missing of [{ detail: 'Not found.' }, envelope(3, 'No such function.', { path: 'nowhere' })])
    expect(judgeService(inEnvelope(missing)).found).toBe('unclear');
});
