import { baselineText } from '../../../src/app/prepare.js';
import { startReference } from '../../../src/reference/index.js';
import { judgeRunning } from '../support/judge.js';
import { expect, inFull, test } from '../support/test.js';

test('ten runs of a service that closes one connection in ten see the same facts', inFull, async () => {
  const service = await startReference({ variant: 'resets-1-in-10' });
  try {
    const { results } = await judgeRunning(service);
    const first = baselineText(results);
    expect(results.facts?.length).toBeGreaterThan(30);
    for (let run = 2; run <= 10; run += 1)
      expect(baselineText((await judgeRunning(service)).results), `run ${run}`).toBe(first);
  } finally {
    await service.close();
  }
});
