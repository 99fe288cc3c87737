import { judgeRunning } from '../support/judge.js';
import { degenerateServers, startTestServer } from '../support/servers/index.js';
import { expect, someOfTable, test } from '../support/test.js';

/**
 * Against a server that is no such service nothing reads passed for the wrong reason, and nothing
 * is green.
 */

const row = someOfTable();

/** Of which nothing is to be waited for. */
const unwaited: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  silent: { TIMEOUT_MS: '400' },
  'all-503': { RATE_LIMIT_WAIT_S: '0' },
};

const key = '5d0f7c1e9ab84263b7de10f2c43a98655e6d7f80';

for (const partner of degenerateServers)
  test(`${partner.name}: ${partner.title}`, row(), async () => {
    const running = await startTestServer(partner.name);
    try {
      const settings = unwaited[partner.name] ?? {};
      const run = await judgeRunning({ ...running, key }, { settings });
      const passed = run.results.clauses.filter(({ outcome }) => outcome === 'passed').map(({ id }) => id);
      expect(
        passed.filter((id) => id !== 'HTTPS-1'),
        'clauses that read passed',
      ).toEqual([]);
      if (!run.results.checks.some(({ id, outcome }) => id === 'serves-https@service' && outcome === 'passed'))
        expect(passed).toEqual([]);
      expect(run.failedClauses, 'accusations').toEqual([]);
      expect(run.results.verdict).toBe('incomplete');
    } finally {
      await running.close();
    }
  });
