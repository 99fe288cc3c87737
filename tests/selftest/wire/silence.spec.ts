import { Silence } from '../../../src/wire/silence.js';
import type { Attempt, Response, WireErrorCode } from '../../../src/wire/types.js';
import { answer, rawServer } from '../support/raw-server.js';
import { expect, inCi, test } from '../support/test.js';
import { lastOf, probe, wireFor } from '../support/wires.js';

const answered: Attempt = { response: { status: 401 } as Response, timing: { total: 5 } };
const failed = (code: WireErrorCode, total = 5): Attempt => ({ error: { code, message: 'why' }, timing: { total } });

/** Requests of one kind at some second each, with TIMEOUT_MS=10000. */
const service = () => {
  let seconds = 0;
  const silence = new Silence(10_000, () => seconds * 1000);
  /** Whether a request that begins or ends then is sent; it ends with this attempt. */
  const isSent = (at: number, attempt: Attempt, isOpen = false): boolean => {
    seconds = at;
    if (silence.whyUnsent('no key')) return false;
    silence.note('no key', attempt, isOpen);
    return true;
  };
  return { silence, isSent };
};

test('where 20 s bring no connection or no answer in time, few requests are sent', () => {
  for (const code of ['refused', 'reset', 'unreachable', 'connect-timeout', 'headers-timeout'] as const) {
    const { silence, isSent } = service();
    const sent = [1, 10, 20.9, 21, 22, 22.9, 23, 24.9, 25, 28.9].filter((at) => isSent(at, failed(code)));
    expect(sent, code).toEqual([1, 10, 20.9, 21, 22, 23, 25]);
    expect(silence.whyUnsent('no key')).toBe('not sent: the service had stopped answering (why)');
    expect(silence.whyUnsent('a key'), 'those of another kind').toBeUndefined();
    expect(isSent(29, answered)).toBe(true);
    expect(isSent(29.1, failed(code)), 'an answer ends it').toBe(true);
    expect(silence.whyUnsent('no key')).toBeUndefined();
  }
});

test('failures that stand alone, or come from a living service, stop nothing', () => {
  const always = (times: readonly number[], attempt: Attempt, isOpen = false): void => {
    const { isSent } = service();
    expect(times.every((at) => isSent(at, attempt, isOpen))).toBe(true);
  };
  always([10, 90, 90.1, 90.2], failed('headers-timeout', 10_000));
  always([1, 30, 30.1, 30.2], failed('reset'), true);
  always([1, 30, 30.1, 30.2], failed('tls'));
  always([1, 30, 30.1, 30.2], { ...failed('body-timeout'), partial: { status: 200 } as Response });
});

test('a service that ends does not hold up the requests that wait', inCi, async () => {
  const server = await rawServer(() => answer(200, '{}'));
  const wire = wireFor(server, { concurrency: 'auto', timeoutMs: 2_000 });
  expect(lastOf(await wire.send(probe(server.origin))).response?.status).toBe(200);
  await server.close();
  const waiting = Array.from({ length: 3_000 }, (_, round) => wire.send(probe(server.origin, { round })));
  const [first] = await Promise.all(waiting.slice(0, 1));
  expect(first?.attempts.map(({ error }) => error?.code)).toContain('refused');
  expect(wire.wait).toMatchObject({ kind: 'no-connection', message: expect.stringContaining('refused') });
  const exchanges = await Promise.all(waiting);
  expect(exchanges.filter((each) => lastOf(each).error?.code !== 'aborted').length).toBeLessThan(1_000);
  await wire.close();
});
