import { judgeRunning } from '../support/judge.js';
import { answer, rawServer } from '../support/raw-server.js';
import { expect, test } from '../support/test.js';
import { testKey } from '../support/wires.js';

/** A neighbour that opens shows that the documented path is wrong only if nothing is at that path. */

const rows = JSON.stringify(
  ['Squats', 'Deadlift'].map((name, id) => ({ id: 48_211 + id, name, notes: `${name} on a Tuesday evening` })),
);

const nowhere = { status: 404, body: '{"detail":"nothing here"}' };

for (const [opens, here, outcome] of [
  ['/api/v2/workouts/', { status: 500, body: '{"error":"the database is gone"}' }, 'blocked'],
  ['/api/v2/workouts/', { status: 403, body: '{"error":"not with this key"}' }, 'blocked'],
  ['/api/v1/workout/', { status: 403, body: '{"error":"not with this key"}' }, 'blocked'],
  ['/api/v2/workout', { status: 403, body: '{"error":"no listing of this folder"}' }, 'failed'],
  ['/api/v2/workouts/', nowhere, 'failed'],
  ['/api/v1/workout/', nowhere, 'failed'],
] as const)
  test(`${opens} opens, and the documented path is answered with ${here.status}: ${outcome}`, async () => {
    const server = await rawServer((head) => {
      const target = /^\S+ (\S+)/.exec(head)?.[1] ?? '';
      const known = target === opens || (target === '/api/v2/workout/' && here !== nowhere);
      if (!known) return answer(nowhere.status, nowhere.body);
      if (!head.includes(testKey)) return answer(401, '{"detail":"no key"}');
      return target === opens ? answer(200, rows) : answer(here.status, here.body);
    });
    const run = await judgeRunning(
      { baseUrl: server.origin, key: testKey, httpBaseUrl: 'none' },
      { settings: { INSECURE_TLS: 'true' }, only: ['PATH-1'] },
    );
    expect(run.check('serves-documented-path@listWorkouts').outcome).toBe(outcome);
    await server.close();
  });
