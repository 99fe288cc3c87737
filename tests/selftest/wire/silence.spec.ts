import { Silence, SilenceCheck } from '../../../src/wire/silence.js';
import type { Attempt, Response, WireErrorCode } from '../../../src/wire/types.js';
import { answer, rawServer } from '../support/raw-server.js';
import { expect, inCi, test } from '../support/test.js';
import { lastOf, probe, wireFor } from '../support/wires.js';

const answered: Attempt = { response: { status: 401 } as Response, timing: { total: 5 } };
const failed = (code: WireErrorCode, total = 5): Attempt => ({ error: { code, message: 'why' }, timing: { total } });

/** The seconds after which the silence is long, of those at which this attempt ended. */
const longAt = (times: readonly number[], attempt: Attempt, isOpen = false): readonly number[] => {
  let seconds = 0;
  const silence = new Silence(10_000, () => seconds * 1000);
  return times.filter((at) => {
    seconds = at;
    silence.note(attempt, isOpen);
    const { isLong } = silence;
    // The next case begins anew.
    if (isLong) silence.note(answered, true);
    return isLong;
  });
};

test('the silence is long where 20 s bring no connection or no answer in time', () => {
  for (const code of ['refused', 'reset', 'unreachable', 'connect-timeout', 'headers-timeout'] as const)
    expect(longAt([1, 10, 20.9, 21, 22, 40, 41.9, 42], failed(code)), code).toEqual([21, 42]);
});

test('failures that stand alone, or come from a living service, are no silence', () => {
  for (const [attempt, isOpen] of [
    [failed('reset'), true],
    [failed('tls'), false],
    [failed('aborted'), false],
    [{ ...failed('body-timeout'), partial: { status: 200 } as Response }, true],
  ] as const)
    expect(longAt([1, 10, 20, 30, 40], attempt, isOpen)).toEqual([]);
  expect(longAt([10, 90, 90.1, 170], failed('headers-timeout', 10_000))).toEqual([]);
});

test('what was answered before is asked once at a time, and the run is over without an answer', async () => {
  const asked: string[] = [];
  const silent: string[] = [];
  let answers: (attempt: Attempt) => void = () => undefined;
  const check = new SilenceCheck({
    timeoutMs: 10_000,
    ask: ({ target }) => {
      asked.push(target);
      return new Promise((resolve) => {
        answers = resolve;
      });
    },
    onSilent: (message) => silent.push(message),
  });
  const heard = probe('https://api.example', { target: '/heard' });
  await check.ask();
  check.note(probe('https://api.example', { target: '/keyed' }), answered, true, false);
  await check.ask();
  expect(asked, 'nothing that may be repeated was answered').toEqual([]);
  check.note(heard, answered, true, true);
  for (const attempt of [answered, failed('aborted'), failed('refused')]) {
    const [first, second] = [check.ask(), check.ask()];
    answers(attempt);
    await Promise.all([first, second]);
  }
  expect(asked).toEqual(['/heard', '/heard', '/heard']);
  expect(silent).toEqual(['why']);
});

test('a service that ends does not hold up the requests that wait', inCi, async () => {
  const server = await rawServer(() => answer(200, '{}'));
  const wire = wireFor(server, { concurrency: 'auto', timeoutMs: 2_000 });
  expect(lastOf(await wire.send(probe(server.origin))).response?.status).toBe(200);
  await server.close();
  const waiting = Array.from({ length: 3_000 }, (_, round) => wire.send(probe(server.origin, { round })));
  await expect.poll(() => wire.wait?.kind, { timeout: 30_000 }).toBe('no-connection');
  const exchanges = await Promise.all(waiting);
  expect(wire.over).toMatchObject({ why: 'silence', message: expect.stringContaining('refused') });
  expect(exchanges.filter((each) => lastOf(each).error?.code !== 'aborted').length).toBeLessThan(1_000);
  await wire.close();
});

test('a service that answers, and is silent to some requests, is not given up', inCi, async () => {
  const server = await rawServer((head) => (head.includes('/silent') ? undefined : answer(200, '{}')));
  const wire = wireFor(server, { concurrency: 2, timeoutMs: 1_000 });
  await wire.send(probe(server.origin));
  const silent = Array.from({ length: 40 }, (_, round) =>
    wire.send(probe(server.origin, { target: '/silent', round })),
  );
  const exchanges = await Promise.all(silent);
  expect(new Set(exchanges.map((each) => lastOf(each).error?.code))).toEqual(new Set(['headers-timeout']));
  expect(wire.over).toBeUndefined();
  await wire.close();
  await server.close();
});
