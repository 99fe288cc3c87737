import type { Override } from '../../../src/reference/behaviour.js';
import { type Answer, type Call, json } from '../../../src/reference/messages.js';
import { startChanged } from '../../../src/reference/service.js';
import { judgeRunning } from '../support/judge.js';
import { expect, inCi, inFull, test } from '../support/test.js';

/**
 * A client that the service refuses by now, whatever it asks: nothing is accused, and nothing
 * passes.
 */

const blocked = (status: number): Answer => json(status, { message: 'You are not allowed to see this.' });

/** Refuses requests without the key once `isOver` says so, and from then on. */
const bans =
  (status: number, isOver: (call: Call, count: number) => boolean): Override =>
  (base) => {
    let count = 0;
    let isBanned = false;
    return {
      answer: (call) => {
        const isKeyless = base.identify(call) === undefined;
        if (isKeyless) count += 1;
        isBanned ||= isKeyless && isOver(call, count);
        return isKeyless && isBanned ? blocked(status) : base.answer(call);
      },
    };
  };

test('AUTH-4 does not fail where a client without a key has used up its limit', inCi, async () => {
  for (const limit of [3, 5, 8, 13, 20]) {
    const service = await startChanged([{ override: bans(403, (_, count) => count > limit) }]);
    const run = await judgeRunning(service, { only: ['opens-without-credentials'] });
    for (const outcome of run.outcomesOf('opens-without-credentials')) expect(outcome, `${limit}`).not.toBe('failed');
    await service.close();
  }
});

test('AUTH-4 fails where each resource is refused from the first request on', async () => {
  const service = await startChanged([{ override: bans(403, () => true) }]);
  const run = await judgeRunning(service, { only: ['opens-without-credentials'] });
  expect(run.outcomesOf('opens-without-credentials')).toEqual(['failed', 'failed']);
  await service.close();
});

for (const status of [403, 404, 200])
  test(`no battery passes after the client was banned: ${status}`, inCi, async () => {
    const suspicious = ({ headers }: Call): boolean => headers.some(([name]) => /^x-/i.test(name));
    const service = await startChanged([{ override: bans(status, suspicious) }]);
    const run = await judgeRunning(service, { only: ['refuses-proxy-fields'] });
    expect(run.check('refuses-proxy-fields@listWorkouts')).toMatchObject({
      outcome: 'inconclusive',
      cause: { id: 'client-refused', values: [`${status}`] },
    });
    await service.close();
  });

for (const [how, after, tagged] of [
  ['hangs', 60, inCi],
  ['hangs', 130, inFull],
  ['ends', 60, inFull],
  ['ends', 130, inFull],
] as const)
  test(`a service that ${how} after ${after} requests ends the run, and is one cause`, tagged, async () => {
    let count = 0;
    const ended: Promise<void>[] = [];
    const service = await startChanged([
      {
        override: (base) => ({
          answer: (call) => {
            count += 1;
            if (count === after && how === 'ends') ended.push(service.close());
            return count > after ? new Promise(() => {}) : base.answer(call);
          },
        }),
      },
    ]);
    const run = await judgeRunning(service, { settings: { TIMEOUT_MS: '2000' } });
    const titles = run.results.causes.map(({ title }) => title);
    expect([run.results.verdict, ...titles]).toEqual(['incomplete', 'The service stopped answering']);
    await (ended[0] ?? service.close());
  });
