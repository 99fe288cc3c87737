import { type Answer, judgeDocument, newKey, notFound } from '../support/document-server.js';
import { protectedList as document } from '../support/documents.js';
import { expect, test } from '../support/test.js';

/** With status 200 somebody may be let in, or be refused in the members of the data. */

/** Has every digit: a number that is in the key by chance is a number all the same. */
const key = `0123456789${newKey()}`;
const mine = [
  { id: 40_121, day: '2024-03-11', name: 'Legs', done: true },
  { id: 40_122, day: '2024-03-14', name: 'Push', done: false },
  { id: 40_125, day: '2024-03-19', name: 'Pull', done: true },
];
const theirs = [
  { id: 50_417, day: '2023-11-02', name: 'Run', done: true },
  { id: 50_418, day: '2023-11-05', name: 'Swim', done: false },
];
const record = { id: 5, owner: 'Ada', goal: 'Strength', weight: 71, tags: ['legs', 'push'] };
const columns = ['id', 'day', 'name'];
const tuple = ({ id, day, name }: (typeof mine)[number]): readonly unknown[] => [id, day, name];

/**
 * Where an outcome is inconclusive or blocked, a server that keeps the contract and one that breaks
 * it give these answers: null and an empty list are what nobody has, one row is one notice, another
 * record is a guest's, and words are data or say no.
 */
const answers: readonly (readonly [what: string, keyed: unknown, other: unknown, outcome: string])[] = [
  ['null in place of the list', mine, null, 'inconclusive'],
  ['false in place of the list', mine, false, 'passed'],
  ['null in place of a list in an object', { data: { things: mine } }, { data: { things: null } }, 'inconclusive'],
  ['null in place of the list, and nothing else', { ok: 1, data: mine }, { ok: 1, data: null }, 'inconclusive'],
  ['false in place of a list of words', ['Legs', 'Push'], false, 'blocked'],
  [
    'a message beside no list',
    { success: true, messages: [{ code: 1, text: 'two' }], data: mine },
    { success: false, messages: [{ code: 4, text: 'no key' }], data: null },
    'inconclusive',
  ],
  [
    'links beside no list',
    { _links: { curies: [{ name: 'x', href: '/x' }] }, _embedded: { things: mine }, total: 3 },
    { _links: { curies: [{ name: 'x', href: '/x' }] }, message: 'sign in' },
    'inconclusive',
  ],
  [
    'links that every answer has',
    { links: [{ rel: 'help', href: 'https://things.example/help', title: 'The help centre' }], data: mine },
    { links: [{ rel: 'help', href: 'https://things.example/help', title: 'The help centre' }], error: 'no key' },
    'inconclusive',
  ],
  [
    'one of two lists, which may be shown to everybody,',
    { things: mine, photos: theirs },
    { things: mine, photos: [] },
    'inconclusive',
  ],
  [
    'classes beside no entities',
    { class: ['things'], entities: mine, links: [{ rel: ['self'], href: '/' }] },
    { class: ['error'], properties: { message: 'no' }, links: [{ rel: ['help'], href: '/h' }] },
    'inconclusive',
  ],
  ['another table', { columns, rows: mine.map(tuple) }, { columns: ['error'], rows: [['no key']] }, 'inconclusive'],
  ['rows of somebody else', { columns, rows: mine.map(tuple) }, { columns, rows: theirs.map(tuple) }, 'failed'],
  ['another list of words', ['Legs on Monday', 'Push'], ['no key'], 'blocked'],
  [
    'an envelope with another code',
    { errcode: 0, errmsg: 'ok', data: { total: 3, last: mine } },
    { errcode: 40_014, errmsg: 'invalid token', data: null },
    'passed',
  ],
  [
    'another code, where 1 is success',
    { status_code: 1, status_message: 'Success.', total: 3, things: mine },
    { status_code: 7, status_message: 'Invalid key.', total: 0, things: [] },
    'passed',
  ],
  [
    'a flag',
    { authenticated: true, hint: '3 things', things: mine },
    { authenticated: false, hint: 'send a key' },
    'passed',
  ],
  ['a flag and no rows', { authenticated: true, hint: '3' }, { authenticated: false, hint: 'send a key' }, 'blocked'],
  ['nobody', { user: { id: 7, name: 'Bo' }, things: mine }, { user: null, things: [] }, 'inconclusive'],
  [
    'an empty list and another status',
    { code: 200, msg: 'OK', data: mine },
    { code: 401, msg: 'Unauthorized', data: [] },
    'passed',
  ],
  [
    'an empty list and another word',
    { status: 'success', message: null, data: mine },
    { status: 'error', message: null, data: [] },
    'passed',
  ],
  [
    'an empty list and another status than the key, which is refused too,',
    { code: 403, msg: 'The key has expired', data: [] },
    { code: 401, msg: 'A key is needed', data: [] },
    'blocked',
  ],
  ['nobody’s list', { count: 3, results: mine }, { count: 0, results: [] }, 'failed'],
  ['somebody else’s list', { count: 3, results: mine }, { count: 2, results: theirs }, 'failed'],
  ['somebody else’s lists', { things: mine, photos: mine }, { things: theirs, photos: theirs }, 'failed'],
  // Guests may have a list of their own, such as news, beside one that is empty for them.
  [
    'somebody else’s list beside one that is empty',
    { things: mine, photos: mine },
    { things: theirs, photos: [] },
    'inconclusive',
  ],
  ['somebody else’s record', record, { id: 9, owner: 'Bo', goal: 'Cardio', weight: 64, tags: ['run'] }, 'blocked'],
  ['somebody else’s record with the same tags', record, { ...record, id: 9, owner: 'Bo', goal: 'Cardio' }, 'blocked'],
  [
    'somebody else’s record with a state',
    { ...record, status: 'active' },
    { ...record, id: 9, owner: 'Bo', status: 'paused' },
    'blocked',
  ],
  ['an error in the list that is empty with the key', [], [{ error: 'no key', code: 401 }], 'inconclusive'],
  ['a word in the list that is empty with the key', [], ['no key'], 'inconclusive'],
  ['records in the list that is empty with the key', { things: [] }, { things: theirs }, 'inconclusive'],
  [
    'records in the list that is empty with the key, and their number',
    { count: 0, things: [] },
    { count: 2, things: theirs },
    'failed',
  ],
  [
    'other records by name',
    { legs: { id: 40_121, day: 'Mon', sets: 9 }, push: { id: 40_122, day: 'Tue', sets: 12 } },
    { run: { id: 50_417, day: 'Fri', sets: 4 }, swim: { id: 50_418, day: 'Sat', sets: 6 } },
    'failed',
  ],
  ['the same records in a list called result', { ok: true, result: mine }, { ok: true, result: mine }, 'failed'],
  ['other values', { goal: 'Strength', weight: 71 }, { goal: 'Cardio', weight: 64 }, 'blocked'],
];

for (const [what, keyed, other, outcome] of answers)
  test(`200 with ${what} is ${outcome}`, async () => {
    const run = await judgeDocument(
      document,
      ({ path, headers }) => {
        if (path !== '/things/') return notFound;
        return {
          status: 200,
          type: 'application/json',
          body: JSON.stringify(headers.authorization === `Bearer ${key}` ? keyed : other),
        };
      },
      { settings: { API_KEY: key, PROBES: 'standard' }, only: ['refuses-missing-key'] },
    );
    const { outcome: found, reason } = run.check('refuses-missing-key');
    expect(found, reason).toBe(outcome);
  });

for (const [type, data, ban] of [
  ['text/html', '<p>Legs</p><p>Push</p><p>Pull</p>', '<p>You are blocked for an hour.</p>'],
  ['text/csv', 'id,name\n1,Legs\n2,Push\n', 'You are blocked, and so are all who share your address.\n'],
  ['application/xml', '<r><t>Legs</t><t>Push</t><t>Pull</t></r>', '<r>blocked</r>'],
] as const)
  test(`the key opens nothing any more where it gets another ${type} with 200`, async () => {
    let refused = 0;
    const run = await judgeDocument(
      document,
      ({ path, headers }): Answer => {
        if (path !== '/things/') return notFound;
        const isMine = headers.authorization === `Bearer ${key}`;
        if (!isMine) refused += 1;
        if (refused > 8) return { status: 200, type, body: ban };
        return isMine ? { status: 200, type, body: data } : { status: 401, body: { detail: 'no' } };
      },
      { settings: { API_KEY: key, PROBES: 'standard' }, only: ['refuses-worthless-keys'] },
    );
    expect(run.check('refuses-worthless-keys')).toMatchObject({ outcome: 'inconclusive' });
  });
