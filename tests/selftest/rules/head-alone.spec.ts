import { type Handler, notFound, serving, unauthorized } from '../support/document-server.js';
import { judgeRunning } from '../support/judge.js';
import { expect, inCi, test } from '../support/test.js';

/** HEAD answers by itself where GET is refused, with a length that is not that of the keyed answer. */

const key = 'Rk3vT8mXq1Zs6Lw9Yb4Nd7Hc2Fj5Pg0E';
const own = ['2024-03-01', '2024-03-04', '2024-03-09'].map((day, at) => ({ id: 40_112 + at * 7, day }));

for (const [how, refusal] of [
  ['by status', unauthorized],
  ['by a closed connection', { status: 0, closes: true }],
] as const)
  test(`HEAD with another length is undecided where GET is refused ${how}`, inCi, async () => {
    const handler: Handler = ({ method, path, headers }) => {
      if (path !== '/api/v2/workout/') return notFound;
      if (headers.authorization === `Token ${key}`) return { status: 200, body: own };
      return method === 'HEAD' ? { status: 200, body: own.slice(1) } : refusal;
    };
    const run = await serving(handler, ({ baseUrl }) =>
      judgeRunning(
        { baseUrl, httpBaseUrl: 'none', key },
        { settings: { INSECURE_TLS: 'true' }, only: ['refuses-other-spellings@listWorkouts'] },
      ),
    );
    const { outcome, cause } = run.check('refuses-other-spellings');
    expect([outcome, cause?.id]).toEqual(['inconclusive', 'unclear-answer']);
  });
