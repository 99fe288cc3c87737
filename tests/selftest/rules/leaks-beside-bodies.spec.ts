import { judgeRunning } from '../support/judge.js';
import { answer, type OnHead, rawServer } from '../support/raw-server.js';
import { expect, inCi, test } from '../support/test.js';
import { testKey } from '../support/wires.js';

/** Rows in the fields of answers that lead elsewhere or break off. */

const rows = JSON.stringify(
  ['2023-03-05', '2023-04-17', '2023-06-29'].map((day, at) => ({ id: 73_911 + at * 37, day, note: `Leg day ${at}` })),
);
const refusal = answer(401, '{"detail":"no key"}');
const notFound = answer(404, '{"detail":"Not found."}');
const leak = ['X-Workout: 73911', 'X-Workout-Day: 2023-03-05'];

/** The service, and what it answers to whoever sends no key at these paths. */
const serving =
  (keyless: Readonly<Record<string, OnHead>>): OnHead =>
  (head, place) => {
    const [, target = ''] = /^\S+ (\S+)/.exec(head) ?? [];
    if (target === '/api/v2/workout/' && head.includes(testKey)) return answer(200, rows);
    return keyless[target]?.(head, place) ?? notFound;
  };

const cutShort: OnHead = (_, { socket }) => {
  socket.end(`HTTP/1.1 401 Unauthorized\r\n${leak.join('\r\n')}\r\nContent-Length: 99\r\n\r\n{"detail":`);
  return undefined;
};

const documented = '/api/v2/workout/';
const cases: Readonly<Record<string, readonly [keyless: Readonly<Record<string, OnHead>>, outcome: string]>> = {
  'a redirect on the way to the log-in': [
    {
      [documented]: () => answer(302, '', ['Location: /sso']),
      '/sso': () => answer(302, '', ['Location: /log-in', ...leak]),
      '/log-in': () => answer(200, '<form></form>', ['Content-Type: text/html']),
    },
    'failed',
  ],
  'the same without a row': [
    {
      [documented]: () => answer(302, '', ['Location: /sso']),
      '/sso': () => answer(302, '', ['Location: /log-in', 'X-Trace: 0b0c7a526f1f4e6e', 'X-Node: 73912']),
      '/log-in': () => answer(200, '<form></form>', ['Content-Type: text/html']),
    },
    'passed',
  ],
  'an answer that breaks off': [{ [documented]: cutShort }, 'failed'],
  'a refusal with fields of its own': [{ [documented]: () => answer(401, '{}', leak) }, 'failed'],
  'a plain refusal': [{ [documented]: () => refusal }, 'passed'],
};

for (const [what, [keyless, outcome]] of Object.entries(cases))
  test(`a request without a key gets ${what}: ${outcome}`, inCi, async () => {
    const server = await rawServer(serving(keyless));
    const run = await judgeRunning(
      { baseUrl: server.origin, key: testKey, httpBaseUrl: 'none' },
      { settings: { INSECURE_TLS: 'true' }, only: ['refuses-missing-key'] },
    );
    expect(run.check('refuses-missing-key@listWorkouts').outcome).toBe(outcome);
    await server.close();
  });
