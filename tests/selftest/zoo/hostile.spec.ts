import { judgeRunning } from '../support/judge.js';
import { hostileServers, startTestServer } from '../support/servers/index.js';
import { expect, inCi, oneOfThree, sample, test } from '../support/test.js';

/**
 * A server that means harm costs bounded time (the test's own limit ends what does not), gives a
 * typed reason, and never leaks the key.
 */

const key = '9c41fe27b0d35a8866e1d07f4b92c3a5518e7d60';

/** What floods costs much each time: a rule of each kind shows what the whole would. */
const floods =
  /^(?:endless-(?:body|chunks)|(?:nested-)?compression(?:-bomb)?|wide-json|deep-(?:html|json(?:-objects)?)|answers-unasked|retry-after-nonsense)$/;
const ofEachKind = ['serves-https', 'refuses-missing-key', 'opens-without-credentials@listExercises'];

for (const [row, hostile] of sample(hostileServers, 4).entries())
  test(`${hostile.name}: ${hostile.title}`, floods.test(hostile.name) ? inCi : oneOfThree(row), async () => {
    const running = await startTestServer(hostile.name);
    try {
      const run = await judgeRunning(
        { ...running, key },
        {
          exchanges: true,
          settings: { TIMEOUT_MS: '700', PROBES: 'standard', RATE_LIMIT_WAIT_S: '1' },
          ...(floods.test(hostile.name) ? { only: ofEachKind } : {}),
        },
      );
      expect(run.results.complete).toBe(true);
      const untold = run.results.checks.filter(({ reason }) => /^$|The suite itself failed/.test(reason));
      expect(untold.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
      expect(JSON.stringify([run.results, run.exchanges])).not.toContain(key);
    } finally {
      await running.close();
    }
  });
