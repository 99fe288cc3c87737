import { startReference } from '../../../src/reference/index.js';
import { playwright } from '../support/front-end.js';
import { expect, inCi, inFull, test } from '../support/test.js';

/**
 * MAX_REQUESTS of `npx playwright test`: it holds for the whole run, however it is divided. How it is
 * shared out is proved without processes in `engine/budget`.
 */

const limit = 60;

/**
 * Checks that ask for twice the limit. They are few, since each that cannot be judged costs
 * Playwright a worker.
 */
const greedy = ['--grep', '(refuses-proxy-fields|refuses-other-spellings|refuses-plain-http|observes-methods)@'];

/** What arrives at a service where each of these runs has the limit in its settings. */
const arrived = async (cwd: string, runs: readonly (readonly string[])[]): Promise<number> => {
  const service = await startReference();
  const { baseUrl, httpBaseUrl, key, caFile } = service;
  const env = { BASE_URL: baseUrl, HTTP_BASE_URL: httpBaseUrl, API_KEY: key, CA_FILE: caFile };
  try {
    for (const args of runs) {
      const { code, output } = await playwright(cwd, { ...env, MAX_REQUESTS: String(limit) }, [...greedy, ...args]);
      // Either some tricks were sent for each check, or what was left out could not be judged. Of a
      // shard beside a blob reporter the merged results say it.
      if (code === 0 && !args.includes('--reporter=blob')) expect(output).toContain('spread');
    }
    return service.requests;
  } finally {
    await service.close();
  }
};

test('without our reporter, the operations share the limit over all workers', inFull, async ({ cwd }) => {
  const sent = await arrived(cwd, [['--reporter=dot', '--workers=3']]);
  expect(sent).toBeLessThanOrEqual(limit);
  expect(sent).toBeGreaterThan(limit / 2);
});

for (const [how, more, where] of [
  ['with our reporter', [], inCi],
  ['without it', ['--reporter=blob'], inFull],
] as const)
  test(`the shards of a run share the limit, ${how}`, where, async ({ cwd }) => {
    const shards = ['1/2', '2/2'].map((shard) => [`--shard=${shard}`, ...more]);
    expect(await arrived(cwd, shards)).toBeLessThanOrEqual(limit);
  });
