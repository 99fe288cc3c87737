import { type Answer, type Handler, notFound, serving, unauthorized } from '../support/document-server.js';
import { judgeRunning } from '../support/judge.js';
import { expect, test } from '../support/test.js';

/** What frameworks answer to OPTIONS themselves is no way to refuse a client without the key. */

const key = 'Vt4cN8yQ2kLw7Zb5Rm1Hx9Pd3Gs6Jf0E';
const rows = [3, 4, 5].map((at) => ({ id: 52_000 + at * 31, title: `Session ${at}`, made: `2024-02-1${at}` }));

const answers: readonly (readonly [what: string, answer: Answer])[] = [
  ['204 without a body', { status: 204, headers: { allow: 'GET, HEAD, OPTIONS' } }],
  ['200 with a description', { status: 200, body: { name: 'Sessions', parses: ['application/json'] } }],
];
for (const [what, answer] of answers)
  test(`no remark is made about OPTIONS: ${what}`, async () => {
    const handler: Handler = ({ method, path, headers }) => {
      if (path !== '/api/v2/workout/') return notFound;
      if (method === 'OPTIONS') return answer;
      return headers.authorization === `Token ${key}` ? { status: 200, body: { items: rows } } : unauthorized;
    };
    const run = await serving(handler, ({ baseUrl }) =>
      judgeRunning(
        { baseUrl, httpBaseUrl: 'none', key },
        { settings: { INSECURE_TLS: 'true' }, only: ['refuses-other-spellings'] },
      ),
    );
    const check = run.check('refuses-other-spellings@listWorkouts');
    expect(check.outcome).toBe('passed');
    expect(check.note).toBeUndefined();
  });
