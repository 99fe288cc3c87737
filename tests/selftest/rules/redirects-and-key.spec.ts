import { isSamePath } from '../../../src/rules/documented-request/redirects.js';
import { judgeRunning } from '../support/judge.js';
import { answer, rawServer } from '../support/raw-server.js';
import { expect, inCi, someOfTable, test } from '../support/test.js';
import { testKey } from '../support/wires.js';

/**
 * The key goes to the documented path, its spellings and the neighbours that the suite itself
 * names: to no place that a server chose.
 */

const documented = '/api/v2/workout/';
const rows = JSON.stringify(
  ['Squats', 'Deadlift'].map((name, id) => ({ id: 48_211 + id, name, notes: `${name} on a Tuesday evening` })),
);

const targetIn = (head: string): string => /^\S+ (\S+)/.exec(head)?.[1] ?? '';
const carriesKey = (head: string): boolean => head.includes(testKey);

/**
 * Redirects the documented path, and shows the workouts where that leads to whoever brings the key.
 */
const redirecting = (location: string, alike: boolean) =>
  rawServer((head) => {
    const target = targetIn(head);
    if (target === documented && (alike || carriesKey(head))) return answer(302, '', [`Location: ${location}`]);
    if (target === documented) return answer(401, '{"detail":"no key"}');
    const there = new URL(location, 'https://a.example');
    if (target.toLowerCase() !== `${there.pathname}${there.search}`.toLowerCase())
      return answer(404, '{"detail":"nothing here"}');
    return carriesKey(head) ? answer(200, rows) : answer(401, '{"detail":"no key"}');
  });

const strangeRow = someOfTable();
for (const location of [
  '/steal/',
  '/steal/api/v2/workout/',
  '/api/v2/workout/?from=a-redirect',
  '/api/v2/workout/../../../steal',
  '/api/v2/workout%2f..%2fsteal/',
  '/api/v2/steal/..%2fworkout/',
  '/api/v2/workout;steal/',
  '/api/v9/workout/',
])
  for (const alike of [true, false])
    test(
      `a redirect to ${location} ${alike ? 'for everybody' : 'for the key'} does not get the key there`,
      strangeRow(),
      async () => {
        const server = await redirecting(location, alike);
        const run = await judgeRunning(
          { baseUrl: server.origin, key: testKey, httpBaseUrl: 'none' },
          { settings: { INSECURE_TLS: 'true' }, only: ['PATH-1', 'AUTH-2', 'AUTH-3'] },
        );
        const there = new URL(location, server.origin);
        const arrived = server.heads.filter((head) => targetIn(head) === `${there.pathname}${there.search}`);
        expect(arrived.filter(carriesKey)).toEqual([]);
        expect(run.results.verdict).not.toBe('conformant');
        const { outcome, reason } = run.check('serves-documented-path@listWorkouts');
        expect(['failed', 'inconclusive', 'blocked']).toContain(outcome);
        if (outcome === 'failed') expect(reason).toContain('redirects');
        await server.close();
      },
    );

const spellingRow = someOfTable();
for (const location of ['/API/v2/Workout/', '/./api//v2/workout', '/api/v2/%77orkout/', '/api/v1/Workout/'])
  test(`a redirect to the spelling ${location} is asked with the key`, spellingRow(), async () => {
    const server = await redirecting(location, true);
    const run = await judgeRunning(
      { baseUrl: server.origin, key: testKey, httpBaseUrl: 'none' },
      { settings: { INSECURE_TLS: 'true' }, only: ['PATH-1'] },
    );
    const { outcome } = run.check('serves-documented-path@listWorkouts');
    expect(outcome).toBe('failed');
    const { pathname } = new URL(location, server.origin);
    expect(server.heads.some((head) => targetIn(head) === pathname && carriesKey(head))).toBe(true);
    await server.close();
  });

test('a place that the server chose is named, with how it answers a random key', async () => {
  const server = await redirecting('/steal/', false);
  const run = await judgeRunning(
    { baseUrl: server.origin, key: testKey, httpBaseUrl: 'none' },
    { settings: { INSECURE_TLS: 'true' }, only: ['PATH-1'] },
  );
  const { outcome, reason } = run.check('serves-documented-path@listWorkouts');
  expect([outcome, reason]).toEqual(['inconclusive', expect.stringMatching(/\/steal\/.*key is not sent.*401/)]);
  await server.close();
});

test('what is a spelling of a path', () => {
  for (const same of ['/A/b', '/a//b/', '/%61/b', '/a/x/../b', '/a/%2E/b', '/a/x/%2e%2E/b/'])
    expect(isSamePath(same, '/a/b/'), same).toBe(true);
  for (const other of ['/a', '/a/b/c', '/a%2fb', '/a/b;x', '/b/a', '/a/b%00', '/a/b%2f..%2fc', '/x/a/b'])
    expect(isSamePath(other, '/a/b/'), other).toBe(false);
});

test('redirects that lead each request to places of its own, over several hops, are a refusal', inCi, async () => {
  let visits = 0;
  const server = await rawServer((head) => {
    const target = targetIn(head);
    visits += 1;
    if (target === documented && head.includes(`Token ${testKey}`)) return answer(200, rows);
    if (target.startsWith('/login')) return answer(200, `{"form":"log in","nonce":"${visits}"}`);
    const [hop] = /(?<=^\/sso-)\d/.exec(target) ?? ['0'];
    if (hop === '0' && target !== documented) return answer(404, '{"detail":"nothing here"}');
    return answer(302, '', [`Location: ${hop === '3' ? '/login' : `/sso-${Number(hop) + 1}`}?state=${visits}`]);
  });
  const run = await judgeRunning(
    { baseUrl: server.origin, key: testKey, httpBaseUrl: 'none' },
    { settings: { INSECURE_TLS: 'true' }, only: ['AUTH-3'] },
  );
  expect(run.results.checks.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
  await server.close();
});
