import { type Answer, judgeDocument, newKey, notFound } from '../support/document-server.js';
import { protectedList as document } from '../support/documents.js';
import { expect, test } from '../support/test.js';

/** With status 200 somebody may be let in, or be refused in the members of the data. */

const key = newKey();
const mine = [
  { id: 1, name: 'Legs', done: true },
  { id: 2, name: 'Push', done: false },
];
const theirs = [{ id: 9, name: 'Run', done: true }];
const record = { id: 5, owner: 'Ada', goal: 'Strength', weight: 71, tags: ['legs', 'push'] };
const columns = ['id', 'day', 'note'];

const answers: readonly (readonly [what: string, keyed: unknown, other: unknown, outcome: string])[] = [
  ['null in place of the list', mine, null, 'passed'],
  ['false in place of the list', mine, false, 'passed'],
  ['null in place of a list in an object', { data: { things: mine } }, { data: { things: null } }, 'passed'],
  ['null in place of the list, and nothing else', { ok: 1, data: mine }, { ok: 1, data: null }, 'inconclusive'],
  ['false in place of a list of words', ['Legs', 'Push'], false, 'passed'],
  [
    'a message beside no list',
    { success: true, messages: [{ code: 1, text: 'two' }], data: mine },
    { success: false, messages: [{ code: 4, text: 'no key' }], data: null },
    'passed',
  ],
  [
    'links beside no list',
    { _links: { curies: [{ name: 'x', href: '/x' }] }, _embedded: { things: mine }, total: 2 },
    { _links: { curies: [{ name: 'x', href: '/x' }] }, message: 'sign in' },
    'passed',
  ],
  [
    'classes beside no entities',
    { class: ['things'], entities: mine, links: [{ rel: ['self'], href: '/' }] },
    { class: ['error'], properties: { message: 'no' }, links: [{ rel: ['help'], href: '/h' }] },
    'passed',
  ],
  ['another table', { columns, rows: [[1, 'Mon', 'Legs']] }, { columns: ['error'], rows: [['no key']] }, 'passed'],
  ['rows of somebody else', { columns, rows: [[1, 'Mon', 'Legs']] }, { columns, rows: [[9, 'Sun', 'Run']] }, 'failed'],
  ['another list of words', ['Legs on Monday', 'Push'], ['no key'], 'inconclusive'],
  [
    'an envelope with another code',
    { errcode: 0, errmsg: 'ok', data: { total: 3, last: 'Legs' } },
    { errcode: 40_014, errmsg: 'invalid token', data: null },
    'passed',
  ],
  [
    'another code, where 1 is success',
    { status_code: 1, status_message: 'Success.', things: 3 },
    { status_code: 7, status_message: 'Invalid key.', things: 0 },
    'passed',
  ],
  ['a flag', { authenticated: true, hint: '12 things' }, { authenticated: false, hint: 'send a key' }, 'passed'],
  ['nobody', { user: { id: 7, name: 'Bo' }, things: [] }, { user: null, things: [] }, 'passed'],
  [
    'an empty list and another status',
    { code: 200, msg: 'OK', data: [] },
    { code: 401, msg: 'Unauthorized', data: [] },
    'passed',
  ],
  [
    'an empty list and another word',
    { status: 'success', message: null, data: [] },
    { status: 'error', message: null, data: [] },
    'passed',
  ],
  [
    'an empty list and another status than the key, which is refused too,',
    { code: 403, msg: 'The key has expired', data: [] },
    { code: 401, msg: 'A key is needed', data: [] },
    'blocked',
  ],
  ['nobody’s list', { count: 2, results: mine }, { count: 0, results: [] }, 'failed'],
  ['somebody else’s list', { count: 2, results: mine }, { count: 1, results: theirs }, 'failed'],
  ['somebody else’s lists', { things: mine, photos: mine }, { things: theirs, photos: [] }, 'failed'],
  ['somebody else’s record', record, { id: 9, owner: 'Bo', goal: 'Cardio', weight: 64, tags: ['run'] }, 'failed'],
  ['somebody else’s record with the same tags', record, { ...record, id: 9, owner: 'Bo', goal: 'Cardio' }, 'failed'],
  [
    'somebody else’s record with a state',
    { ...record, status: 'active' },
    { ...record, id: 9, owner: 'Bo', status: 'paused' },
    'inconclusive',
  ],
  ['an error in the list that is empty with the key', [], [{ error: 'no key', code: 401 }], 'passed'],
  ['a word in the list that is empty with the key', [], ['no key'], 'inconclusive'],
  ['records in the list that is empty with the key', { things: [] }, { things: theirs }, 'failed'],
  [
    'other records by name',
    { legs: { id: 1, day: 'Mon', sets: 9 }, push: { id: 2, day: 'Tue', sets: 12 } },
    { run: { id: 8, day: 'Fri', sets: 1 }, swim: { id: 9, day: 'Sat', sets: 2 } },
    'failed',
  ],
  [
    'the same records in a list called result',
    { ok: true, result: [{ id: 1, text: 'Legs', chat: 71 }] },
    { ok: true, result: [{ id: 1, text: 'Legs', chat: 71 }] },
    'failed',
  ],
  ['other values', { goal: 'Strength', weight: 71 }, { goal: 'Cardio', weight: 64 }, 'inconclusive'],
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
    expect(run.check('refuses-missing-key')).toMatchObject({ outcome });
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
        return isMine ? { status: 200, type, body: refused > 8 ? ban : data } : { status: 401, body: { detail: 'no' } };
      },
      { settings: { API_KEY: key, PROBES: 'standard' }, only: ['refuses-worthless-keys'] },
    );
    expect(run.check('refuses-worthless-keys')).toMatchObject({ outcome: 'inconclusive' });
  });
