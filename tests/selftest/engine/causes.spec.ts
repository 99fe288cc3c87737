import { causesOf } from '../../../src/engine/causes/causes.js';
import type { CauseResult, Finding, OperationResult } from '../../../src/engine/results.js';
import { rules } from '../../../src/rules/index.js';
import { headlineOf } from '../../../src/rules/support/headlines.js';
import { because, becauseOf, type Cause, onCheck, restingOn } from '../../../src/rules/support/judgement.js';
import { anonymous } from '../support/sample-exchanges.js';
import { expect, test } from '../support/test.js';

/** Which findings have one cause, and how it is called. */

/** `listRooms: GET /rooms` */
const operation = (id: string, path: string, access: OperationResult['access'] = 'protected'): OperationResult => ({
  id,
  method: 'GET',
  path,
  access,
  probed: true,
});

const finding = (rule: string, of: string, outcome: Finding['outcome'], cause?: Cause): Finding => {
  const { title = rule, clauses = [], headline } = rules.find(({ id }) => id === rule) ?? {};
  const says = headlineOf({ title, ...(headline ? { headline } : {}) }, { outcome, ...(cause ? { cause } : {}) });
  return {
    id: `${rule}@${of}`,
    rule,
    clauses,
    operation: of,
    title,
    outcome,
    reason: `What was seen at ${of}.`,
    ...(cause ? { cause } : {}),
    ...(says ? { headline: says } : {}),
    exchanges: [],
    comparedWith: [],
    durationMs: 1,
  };
};

test('a headline is a whole sentence also where its cause names nobody', () => {
  const says = headlineOf({ title: 'x' }, { outcome: 'inconclusive', cause: because('no-own-value') });
  expect(says?.one).toBe('{operation} has no id that is of one identity alone');
});

const open = (of: string): Finding => finding('refuses-missing-key', of, 'failed', because('opens-without-key'));
const closed = (of: string): Finding => finding('refuses-missing-key', of, 'passed');

const causes = (checks: readonly Finding[], operations: readonly OperationResult[]): readonly CauseResult[] =>
  causesOf({ checks, operations, options: {}, exchange: () => undefined });

const told = (...given: Parameters<typeof causes>): readonly string[] =>
  causes(...given).map(({ id, title }) => `${title} [${id}]`);

const rooms = operation('listRooms', '/rooms');
const room = operation('readRoom', '/rooms/{id}');
const bookings = operation('listBookings', '/bookings');

test('operations that lack a value are one cause, whatever parameters they have', () => {
  const lacking = (of: string, name: string, status = 404): Finding =>
    finding('takes-documented-format', of, 'inconclusive', because('no-path', 'PARAMETERS', status, name));
  const elsewhere = finding('takes-documented-format', 'listRooms', 'inconclusive', because('no-path', 'BASE_URL'));
  const search = operation('search', '/search');
  expect(
    causes(
      [lacking('readRoom', '{id}'), lacking('listBookings', '{guest}'), elsewhere, lacking('search', 'the query', 422)],
      [rooms, room, bookings, search],
    ).map(({ title }) => title),
  ).toEqual([
    '2 operations have no value that names something (PARAMETERS)',
    'GET /rooms is not found below BASE_URL',
    'GET /search does not take the request with its values (422)',
  ]);
});

test('operations that open without a key where others refuse are one cause', () => {
  expect(told([open('listRooms'), open('readRoom'), closed('listBookings')], [rooms, room, bookings])).toEqual([
    '2 operations open without a key [refuses-missing-key/opens-without-key@listRooms]',
  ]);
  expect(told([open('listRooms'), closed('readRoom'), closed('listBookings')], [rooms, room, bookings])).toEqual([
    'GET /rooms opens without a key [refuses-missing-key/opens-without-key@listRooms]',
  ]);
});

test('the finding that shows most of what was opened speaks for its cause', () => {
  const shownBy = (line: number, of: string): Finding => ({
    ...open(of),
    readings: [{ exchange: 'x', line, verdict: 'granted' }],
  });
  const all = [shownBy(0, 'listRooms'), shownBy(5, 'readRoom'), shownBy(1, 'listBookings')];
  const [cause] = causes(all, [rooms, room, bookings]);
  expect(cause?.operations).toEqual(['listBookings', 'readRoom', 'listRooms']);
  expect(cause?.checks[0]).toBe('refuses-missing-key@listBookings');
  expect(cause?.id).toBe(causes([...all].reverse(), [rooms, room, bookings])[0]?.id);
});

test('what nothing is found of is one cause where no operation was judged: the base URL', () => {
  const missed = [
    finding(
      'opens-without-credentials',
      'readRoom',
      'inconclusive',
      because('answered-like-nothing', 'ROOM_PATH', 404),
    ),
    finding('serves-documented-path', 'listRooms', 'inconclusive', because('answered-like-nothing', 404, 'all')),
  ];
  const [cause, ...others] = causes(missed, [rooms, room]);
  expect(others).toEqual([]);
  expect(cause?.title).toBe('2 operations are answered like a path that does not exist (404)');
  expect(cause?.checks[0], 'it says that the base URL may be wrong').toBe('serves-documented-path@listRooms');
  expect(causes(missed, [rooms, room, { ...bookings, judged: true }])).toHaveLength(2);
});

test('where nothing refuses, no gate stands there: one cause, of the whole service or below a path', () => {
  expect(told([open('listRooms'), open('readRoom'), open('listBookings')], [rooms, room, bookings])).toEqual([
    '3 operations open without a key [refuses-missing-key/opens-without-key@/*]',
  ]);
  const jobs = operation('listJobs', '/admin/jobs');
  const users = operation('listUsers', '/admin/users');
  const checks = [open('listJobs'), open('listUsers'), open('listRooms'), closed('listBookings')];
  expect(told(checks, [jobs, users, rooms, bookings])).toEqual([
    '2 operations below /admin/ open without a key [refuses-missing-key/opens-without-key@/admin/*]',
    'GET /rooms opens without a key [refuses-missing-key/opens-without-key@listRooms]',
  ]);
});

test('of what could not be judged, what may be open to everybody comes first', () => {
  const unknown = (of: string): Finding =>
    finding('refuses-plain-http', of, 'inconclusive', because('http-base-url-unknown'));
  const forAll = finding('refuses-missing-key', 'listBookings', 'inconclusive', because('answers-everybody', 200));
  expect(told([unknown('listRooms'), unknown('readRoom'), forAll], [rooms, room, bookings])).toEqual([
    'GET /bookings answers 200 to everybody: public, or open by mistake? [answers-everybody:200]',
    'It is not known where plain HTTP would be (HTTP_BASE_URL) [http-base-url-unknown]',
  ]);
});

test('what was not seen of the key page is no accusation', () => {
  const titleOf = (outcome: Finding['outcome']) =>
    told([finding('makes-a-key', 'key-page', outcome, because('page-action'))], [rooms]);
  expect(titleOf('failed')[0]).toMatch(/^The key page makes no key that works /);
  expect(titleOf('inconclusive')[0]).toMatch(/^It was not seen whether the key page makes a key /);
});

test('an open place keeps its cause when one of its operations is mended', () => {
  const names = ['rooms', 'bookings', 'guests', 'bills', 'keys'];
  const operations = names.map((name) => operation(name, `/v1/${name}`));
  const [before] = causes(names.map(open), operations);
  const [mended = '', ...left] = names;
  const after = causes([closed(mended), ...left.map(open)], operations);
  expect(after.map(({ id }) => id)).toEqual([before?.id]);
  expect(after[0]?.operations).toEqual(left);
});

test('a cause keeps its id when one operation of two is mended', () => {
  const opens = (of: string): Finding =>
    finding('refuses-other-spellings', of, 'failed', becauseOf(because('opens-by-bypass', 'by HEAD'), ['by HEAD']));
  const [two] = causes([opens('listRooms'), opens('listBookings')], [rooms, bookings]);
  const [one] = causes([opens('listRooms')], [rooms, bookings]);
  expect(one?.id).toBe(two?.id);
});

test('the same way round at several operations is one cause, the way that explains most of them', () => {
  const opens = (of: string, ...ways: readonly string[]): Finding =>
    finding('refuses-other-spellings', of, 'failed', becauseOf(because('opens-by-bypass', ...ways, of), ways));
  const checks = [
    opens('listRooms', 'with ;x in the path', 'with // in the path'),
    opens('readRoom', 'with // in the path'),
    opens('listBookings', 'by HEAD'),
  ];
  const found = causes(checks, [rooms, room, bookings]);
  expect(found.map(({ title, operations, severity }) => [title, operations, severity])).toEqual([
    // First the one whose curl line shows this way.
    ['2 operations open to anybody with // in the path', ['readRoom', 'listRooms'], 'bypassed'],
    ['GET /bookings opens to anybody by HEAD', ['listBookings'], 'bypassed'],
  ]);
  // The id is the same when another operation is found to open.
  expect(causes([...checks.slice(1), opens('more', 'by HEAD')], [rooms, room, bookings])[0]?.id).toMatch(
    /^refuses-other-spellings\/opens-by-bypass:by-head-[0-9a-f]{8}/,
  );
});

test('whom an operation opens to makes no other cause; how it does so does', () => {
  const opens = (of: string, names: string, way: string): Finding =>
    finding('refuses-other-scopes', of, 'failed', becauseOf(because('opens-to-other-scopes', `${names}${way}`), [way]));
  const found = [opens('listRooms', 'guest', ''), opens('readRoom', 'guest and robot', '')];
  expect(told(found, [rooms, room])).toEqual([
    '2 operations open without the stated scopes [refuses-other-scopes/opens-to-other-scopes]',
  ]);
  const byHead = [opens('listRooms', 'guest', ' by HEAD'), opens('readRoom', 'robot', ' by HEAD')];
  expect(told([...byHead, opens('listBookings', 'guest', '')], [rooms, room, bookings])).toEqual([
    expect.stringMatching(/^2 operations open without the stated scopes by HEAD \[/),
    'GET /bookings opens to guest without the stated scopes [refuses-other-scopes/opens-to-other-scopes]',
  ]);
  const peers = ['tomas', 'mara'].map((name, index) =>
    finding('keeps-items-apart', index === 0 ? 'readRoom' : 'listRooms', 'failed', because('opens-to-peer', name)),
  );
  expect(told(peers, [rooms, room])).toEqual([
    '2 operations give one account what belongs to another [keeps-items-apart/opens-to-peer]',
  ]);
});

test('a way round an operation that opens now and then is no cause of its own, nor what came before', () => {
  const sometimes = finding('refuses-leftovers', 'listRooms', 'failed', because('opens-now-and-then'));
  const round = (of: string): Finding =>
    finding('refuses-proxy-fields', of, 'failed', becauseOf(because('opens-by-bypass', 'X-A: 1'), ['with X-A: 1']));
  const byNow = finding('refuses-worthless-keys', 'listRooms', 'failed', because('opens-by-now'));
  const checks = [sometimes, byNow, round('listRooms'), round('listBookings')];
  const [cause, other, ...more] = causes(checks, [rooms, bookings]);
  expect([cause?.title, cause?.checks, more]).toEqual([
    'GET /rooms opens to anybody now and then',
    ['refuses-leftovers@listRooms', 'refuses-worthless-keys@listRooms', 'refuses-proxy-fields@listRooms'],
    [],
  ]);
  expect(other?.checks).toEqual(['refuses-proxy-fields@listBookings']);
});

test('a form of the key is no leniency of its own where wrong keys open in it too', () => {
  const wrong = finding('refuses-worthless-keys', 'listRooms', 'failed', because('opens-by-bypass', 'a random key'));
  const other = finding('takes-no-other-format', 'listRooms', 'lenient', because('takes-other-shapes', 'Bearer'));
  const told = (taken: readonly string[]): readonly string[] =>
    causesOf({
      checks: [
        { ...wrong, exchanges: ['Bearer <API_KEY:random>'] },
        { ...other, exchanges: taken },
      ],
      operations: [rooms],
      options: {},
      exchange: (id) => ({
        probe: { ...anonymous.probe, headers: [['Authorization', id]] },
        request: { method: 'GET', url: '', headers: [] },
      }),
    }).map(({ outcome }) => outcome);
  expect(told(['Bearer <API_KEY>'])).toEqual(['failed']);
  expect(told(['Bearer <API_KEY:base64>'])).toEqual(['failed', 'lenient']);
  expect(told(['Bearer <API_KEY>', 'ApiKey <API_KEY>'])).toEqual(['failed', 'lenient']);
});

test('requests to a resource that never answers are part of that cause', () => {
  const silent = finding(
    'opens-without-credentials',
    'health',
    'inconclusive',
    because('no-answer', 'headers-timeout'),
  );
  const rewritten = finding('refuses-proxy-fields', 'listRooms', 'inconclusive', because('unclear-answer', 'a field'));
  const told = (target: string, isAnswered = false): readonly string[] =>
    causesOf({
      checks: [
        { ...silent, exchanges: ['/health'] },
        { ...rewritten, exchanges: [target] },
      ],
      operations: [rooms, operation('health', '/health', 'public')],
      options: {},
      exchange: (id) => ({
        ...anonymous,
        probe: { ...anonymous.probe, target: id },
        attempts: isAnswered
          ? anonymous.attempts
          : [{ error: { code: 'headers-timeout', message: '' }, timing: { total: 1 } }],
      }),
    }).map(({ id }) => id);
  expect(told('/health')).toEqual(['no-answer']);
  expect(told('/rooms')).toEqual(['no-answer', 'unclear-answer']);
  expect(told('/health', true)).toEqual(['no-answer', 'unclear-answer']);
});

test('a key that was not given is one cause, for what needs it and for what is refused without it', () => {
  const protectedRead = finding('takes-documented-format', 'listRooms', 'inconclusive', because('no-key', 'API_KEY'));
  const publicRead = finding('opens-without-credentials', 'health', 'inconclusive', because('no-key', 'API_KEY', 401));
  expect(told([protectedRead, publicRead], [rooms, operation('health', '/health', 'public')])).toEqual([
    'No key was given (API_KEY) [no-key:api-key-ccae6d91]',
  ]);
});

test('a mistake in a shared schema is one cause; other parts of it are others', () => {
  const differs = (of: string, ...values: readonly string[]): Finding =>
    finding('documented-body', of, 'failed', because('undocumented-body', ...values));
  const id = '#/components/schemas/Room/properties/id/type';
  const checks = [
    differs('listRooms', '/0/id', 'api.yaml:10', id),
    differs('readRoom', '/id', 'api.yaml:30', id),
    differs('listBookings', '/0/room', 'api.yaml:50', '#/components/schemas/Room/required/name'),
  ];
  expect(causes(checks, [rooms, room, bookings]).map(({ title, severity }) => [title, severity])).toEqual([
    ['2 operations give Room.id otherwise than documented', 'document'],
    ['GET /bookings gives Room.name otherwise than documented', 'document'],
  ]);
});

test('a mistake in equal schemas without a name is one cause', () => {
  const differs = (of: string, line: number, place: string): Finding =>
    finding('documented-body', of, 'failed', because('undocumented-body', '/id', `api.yaml:${line}`, place));
  const checks = [
    differs('listRooms', 10, 'nameless:1f0c/properties/id/type'),
    differs('readRoom', 30, 'nameless:1f0c/properties/id/type'),
    differs('listBookings', 50, 'nameless:2a3b/type'),
  ];
  expect(causes(checks, [rooms, room, bookings]).map(({ title }) => title)).toEqual([
    '2 operations give id otherwise than documented',
    'GET /bookings answers with a body unlike the document',
  ]);
});

test('bodies that cannot be compared with the document are told once, whichever schemas these are', () => {
  const uncompared = (of: string, line: number): Finding =>
    finding('documented-body', of, 'inconclusive', because('body-not-compared', '', `openapi.yaml:${line}`));
  expect(told([uncompared('listRooms', 31), uncompared('listBookings', 54)], [rooms, bookings])).toEqual([
    '2 operations give a body that could not be compared with the document [body-not-compared]',
  ]);
});

test('null where no schema allows it is one cause, whichever schemas these are', () => {
  const differs = (of: string, ...values: readonly string[]): Finding =>
    finding('documented-body', of, 'failed', because('undocumented-body', ...values));
  const checks = [
    differs('listRooms', '/0/floor', 'api.yaml:10', '#/components/schemas/Room/properties/floor/type', 'null'),
    differs('listBookings', '/0/until', 'api.yaml:50', '', 'null'),
    differs('readRoom', '/id', 'api.yaml:30', '#/components/schemas/Room/properties/id/type'),
  ];
  expect(causes(checks, [rooms, room, bookings]).map(({ title }) => title)).toEqual([
    '2 operations give null where the document does not allow it',
    'GET /rooms/{id} gives Room.id otherwise than documented',
  ]);
});

test('plain HTTP is one cause, fields of a proxy or not; what is public exposes nobody', () => {
  const served = (rule: string, of: string, kind: string): Finding =>
    finding(rule, of, 'failed', because('served-over-plain-http', kind, 200));
  const health = operation('health', '/health', 'public');
  const [cause, ...others] = causes(
    [
      served('refuses-plain-http', 'listRooms', 'refused-by-api'),
      served('refuses-plain-http-behind-proxy-fields', 'listRooms', 'refused-by-api'),
      served('refuses-plain-http', 'health', 'served'),
    ],
    [health, rooms],
  );
  expect(others).toEqual([]);
  expect(cause).toMatchObject({ title: 'Plain HTTP serves the API: 2 operations', severity: 'exposed' });
  expect(cause?.checks).toHaveLength(3);
  // What is served is shown, and not that the API refuses.
  expect(cause?.checks[0]).toBe('refuses-plain-http@health');
  const alone = [served('refuses-plain-http', 'health', 'served'), open('listRooms'), closed('listBookings')];
  expect(causes(alone, [health, rooms, bookings]).map(({ title, severity }) => `${severity}: ${title}`)).toEqual([
    'open: GET /rooms opens without a key',
    'form: Plain HTTP serves GET /health',
  ]);
});

test('what waits for a check that failed or could not be judged is no cause of its own', () => {
  const blocked = (rule: string, of: string, on: string): Finding => ({
    ...finding(rule, of, 'blocked', because('rests-on-check', on)),
    ...restingOn([onCheck(on, of)]),
  });
  const noKey = finding('takes-documented-format', 'listRooms', 'inconclusive', because('no-key', 'API_KEY'));
  const checks = [
    noKey,
    finding('takes-documented-format', 'readRoom', 'inconclusive', because('no-key', 'API_KEY')),
    blocked('takes-key-where-documented', 'listRooms', 'takes-documented-format'),
    blocked('reads-with-get', 'listRooms', 'takes-key-where-documented'),
  ];
  expect(causes(checks, [rooms, room])).toMatchObject([
    {
      id: expect.stringMatching(/^no-key:api-key-/),
      title: 'No key was given (API_KEY)',
      severity: 'unjudged',
      outcome: 'inconclusive',
      checks: ['takes-documented-format@listRooms', 'takes-documented-format@readRoom'],
      waiting: ['takes-key-where-documented@listRooms', 'reads-with-get@listRooms'],
    },
  ]);
});

test('a known deviation is a cause apart, and the cause that is left keeps its id', () => {
  const served = (of: string): Finding =>
    finding('documented-status', of, 'failed', because('undocumented-status', 307, `a:${of}`));
  const known: Finding = { ...served('readRoom'), deviation: { reason: 'We know.' } };
  const [left, accepted] = causes([served('listRooms'), known, served('listBookings')], [rooms, room, bookings]);
  expect(left?.id).toBe('documented-status/undocumented-status:307');
  expect(left?.accepted).toBeUndefined();
  expect(accepted).toMatchObject({ accepted: true, operations: ['readRoom'] });
  expect(new Set([left?.id, accepted?.id]).size).toBe(2);
});

test('causes are ordered by severity, whatever the order of the checks', () => {
  const checks = [
    finding('documented-status', 'listRooms', 'failed', because('undocumented-status', 418, 'a:1')),
    finding('serves-documented-path', 'listRooms', 'failed', because('nothing-at-path', 404)),
    finding('serves-https', 'service', 'failed', because('bad-certificate', 'CERT_HAS_EXPIRED')),
    open('listRooms'),
    closed('listBookings'),
  ];
  expect(causes(checks, [rooms, bookings]).map(({ severity, title }) => `${severity}: ${title}`)).toEqual([
    'open: GET /rooms opens without a key',
    'exposed: The certificate has expired',
    'form: GET /rooms is not at the documented path (404)',
    'document: GET /rooms answers with 418, which the document does not list',
  ]);
});

test('what a rule that is not shipped says of itself counts', () => {
  const [shipped] = rules.filter((rule) => rule.scope === 'operation');
  if (!shipped) throw new Error('no rule is applied to operations');
  const mine = { ...shipped, id: 'refuses-mine', explainedBy: 'refuses-missing-key', demandsKey: true } as const;
  const found = (checks: readonly Finding[], own: typeof rules) =>
    causesOf({ checks, operations: [rooms, room], options: {}, exchange: () => undefined, rules: own });
  const failed = [open('listRooms'), finding('refuses-mine', 'listRooms', 'failed', because('x-mine'))];
  expect(found(failed, rules)).toHaveLength(2);
  expect(found(failed, [...rules, mine]).map(({ checks }) => checks)).toEqual([
    ['refuses-missing-key@listRooms', 'refuses-mine@listRooms'],
  ]);
});

test('an answer that breaks a clause by its status is no second cause for a check that it stops', () => {
  const seen = (checks: readonly Finding[], ids: readonly string[]): readonly Finding[] =>
    checks.map((each, at) => ({ ...each, exchanges: ids.slice(at, at + 1) }));
  const holder = finding('opens-to-stated-scopes', 'listRooms', 'failed', because('refused-to-holder', 'mara'));
  const stopped = finding('takes-documented-format', 'listRooms', 'inconclusive', because('key-refused', '403'));
  const waits = restingOn([onCheck('takes-documented-format', 'listRooms')]);
  const blocked = { ...finding('reads-with-get', 'listRooms', 'blocked'), ...waits };
  const told = (checks: readonly Finding[]) => causes(checks, [rooms]).map((each) => [...each.checks, ...each.waiting]);
  expect(told([...seen([holder, stopped], ['a', 'a']), blocked])).toEqual([[holder.id, stopped.id, blocked.id]]);
  // Another answer is another cause, and what somebody accepted explains nothing that is open.
  expect(told(seen([holder, stopped], ['a', 'b']))).toHaveLength(2);
  expect(told(seen([{ ...holder, deviation: { reason: 'Known.' } }, stopped], ['a', 'a']))).toHaveLength(2);
});
