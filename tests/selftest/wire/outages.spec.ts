import { Outage } from '../../../src/wire/retry.js';
import type { Attempt, Response } from '../../../src/wire/types.js';
import { answer, rawServer } from '../support/raw-server.js';
import { expect, test } from '../support/test.js';
import { probe, wireFor } from '../support/wires.js';

const attempt = (status: number): Attempt => ({ response: { status } as Response, timing: { total: 1 } });
const sent = (target: string) => probe('https://service.example', { target });

test('waits longer and longer where paths that were answered before get 502, 503 or 504', () => {
  const outage = new Outage();
  const waits = (status: number, target: string, times: number): number[] =>
    Array.from({ length: times }, () => outage.waitAfter(sent(target), attempt(status), true)).filter((ms) => ms > 0);
  expect(waits(502, '/known', 20), 'before it was answered').toEqual([]);
  expect(waits(200, '/known', 1)).toEqual([]);
  expect(waits(503, '/odd', 20), 'a gateway may know no backend for a path').toEqual([]);
  expect(waits(502, '/known?x=1', 16)).toEqual([250, 500]);
  expect(waits(401, '/known', 1)).toEqual([]);
  expect(waits(504, '/known', 7), 'an answer ends the count').toEqual([]);
  const later = waits(504, '/known', 1 + 8 * 20);
  expect(later[0], 'and the growth').toBe(250);
  expect(750 + later.reduce((all, ms) => all + ms, 0), 'of all together').toBe(10_000);
});

test('does not ask again soon where 503 says that the service is out for longer', async () => {
  for (const [seconds, attempts] of [
    ['3600', 1],
    ['0', 3],
  ] as const) {
    const server = await rawServer(() => answer(503, '{}', [`Retry-After: ${seconds}`]));
    const wire = wireFor(server);
    expect((await wire.send(probe(server.origin))).attempts).toHaveLength(attempts);
    await wire.close();
    await server.close();
  }
});
