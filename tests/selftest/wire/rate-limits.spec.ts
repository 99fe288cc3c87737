import { rateLimitPause, retryAfterMs } from '../../../src/wire/retry.js';
import { answer, type OnHead, rawServer } from '../support/raw-server.js';
import { expect, inCi, test } from '../support/test.js';
import { lastOf, probe, wireFor } from '../support/wires.js';

const limitedOnce = (fields: () => string[]): OnHead => {
  let limited = false;
  return () => {
    if (limited) return answer(200);
    limited = true;
    return answer(429, '{}', fields());
  };
};

test('reads Retry-After in both forms', () => {
  expect(retryAfterMs([['Retry-After', '3']])).toBe(3000);
  const soon = new Date(Date.now() + 10_000).toUTCString();
  expect(retryAfterMs([['retry-after', soon]])).toBeGreaterThan(8000);
  expect(
    retryAfterMs([
      ['Date', 'Wed, 21 Oct 2015 07:28:00 GMT'],
      ['Retry-After', 'Wed, 21 Oct 2015 07:28:05 GMT'],
    ]),
  ).toBe(5000);
  expect(retryAfterMs([['Retry-After', 'soon']])).toBeUndefined();
  expect([1, 2, 3].map((count) => rateLimitPause([], count))).toEqual([1000, 2000, 4000]);
});

for (const [form, fields] of [
  ['seconds', () => ['Retry-After: 1']],
  ['a date', () => [`Date: ${new Date(0).toUTCString()}`, `Retry-After: ${new Date(1000).toUTCString()}`]],
  ['nothing', () => []],
] as const) {
  test(`waits out a 429 with ${form}, and nobody else sends meanwhile`, async () => {
    const onHead = limitedOnce(() => [...fields()]);
    const arrived: number[] = [];
    const server = await rawServer((head, peer) => {
      arrived.push(performance.now());
      return onHead(head, peer);
    });
    const wire = wireFor(server);
    const first = wire.send(probe(server.origin));
    // A timer of 5 ms comes before the one that ends the wait, however busy the machine is.
    await expect.poll(() => wire.wait?.kind, { intervals: [5] }).toBe('rate-limit');
    expect(wire.wait).toMatchObject({ kind: 'rate-limit', status: 429, budgetMs: 5_000 });
    const others = [2, 3, 4].map((round) => wire.send(probe(server.origin, { round })));
    const exchange = await first;
    await Promise.all(others);
    expect(exchange.attempts.map(({ response }) => response?.status)).toEqual([429, 200]);
    const [limited = 0, ...later] = arrived;
    for (const time of later) expect(time - limited).toBeGreaterThan(900);
    expect(later).toHaveLength(4);
    await wire.close();
    await server.close();
  });
}

test('lets a 429 stand when more waiting is asked for than is left', async () => {
  const server = await rawServer(() => answer(429, '{}', ['Retry-After: 3600']));
  const wire = wireFor(server, { rateLimitWaitS: 2 });
  const exchange = await wire.send(probe(server.origin));
  expect(lastOf(exchange).response?.status).toBe(429);
  expect(exchange.attempts).toHaveLength(1);
  expect(wire.wait).toMatchObject({ kind: 'rate-limit-over', status: 429, waitMs: 3_600_000, budgetMs: 2_000 });
  await wire.close();
  await server.close();
});

test('bounds the waiting of all requests together', inCi, async () => {
  const server = await rawServer(() => answer(429, '{}', ['Retry-After: 1']));
  const wire = wireFor(server, { rateLimitWaitS: 2.5 });
  const all = await Promise.all(Array.from({ length: 12 }, (_, round) => wire.send(probe(server.origin, { round }))));
  for (const { attempts } of all) {
    expect(attempts.map(({ response }) => response?.status)).toEqual(Array(attempts.length).fill(429));
    // A try after the first costs a second of the two and a half that there are.
    expect(attempts.length).toBeLessThanOrEqual(3);
  }
  expect(Math.max(...all.map(({ attempts }) => attempts.length))).toBeGreaterThan(1);
  await wire.close();
  await server.close();
});

test('says no longer that a server limits its rate some seconds after the last 429', inCi, async () => {
  const server = await rawServer(limitedOnce(() => ['Retry-After: 3600']));
  const wire = wireFor(server);
  expect(wire.wait).toBeUndefined();
  await wire.send(probe(server.origin));
  await wire.send(probe(server.origin, { round: 2 }));
  expect(wire.wait).toMatchObject({ kind: 'rate-limit-over' });
  await expect.poll(() => wire.wait).toBeUndefined();
  await wire.close();
  await server.close();
});

test('says since when requests run into the time limit, until one is answered', async () => {
  let isStuck = true;
  const server = await rawServer(() => (isStuck ? undefined : answer(200)));
  const wire = wireFor(server, { timeoutMs: 300 });
  await wire.send(probe(server.origin));
  expect(wire.wait).toMatchObject({ kind: 'no-answer', timeoutMs: 300 });
  // Both attempts are within it.
  expect(wire.wait?.forMs).toBeGreaterThan(550);
  isStuck = false;
  await expect
    .poll(async () => lastOf(await wire.send(probe(server.origin, { connection: 'fresh' }))).response?.status)
    .toBe(200);
  expect(wire.wait).toBeUndefined();
  await wire.close();
  await server.close();
});

test('slows down after a 429 until a strict limiter is content', inCi, async () => {
  const windowMs = 500;
  let started = performance.now();
  let count = 0;
  const server = await rawServer(() => {
    const now = performance.now();
    if (now - started > windowMs) {
      started = now;
      count = 0;
    }
    count += 1;
    return count > 8 ? answer(429, '{}', ['Retry-After: 0.5']) : answer(200);
  });
  const wire = wireFor(server, { rateLimitWaitS: 60 });
  const all = await Promise.all(Array.from({ length: 40 }, (_, round) => wire.send(probe(server.origin, { round }))));
  for (const exchange of all) expect(lastOf(exchange).response?.status).toBe(200);
  expect(wire.requestsSent).toBeLessThan(120);
  await wire.close();
  await server.close();
});

test('a limiter that says 503 is given the time it needs', inCi, async () => {
  // As nginx's limit_req does by itself: so many a second, 503 for the rest, no Retry-After.
  let next = 0;
  const server = await rawServer(() => {
    const now = performance.now();
    if (now < next) return answer(503);
    next = now + 120;
    return answer(200);
  });
  const wire = wireFor(server, { concurrency: 8 });
  const all = await Promise.all(Array.from({ length: 30 }, (_, round) => wire.send(probe(server.origin, { round }))));
  const answered = all.filter((exchange) => lastOf(exchange).response?.status === 200);
  expect(answered.length).toBeGreaterThan(25);
  await wire.close();
  await server.close();
});

test('single answers with 503 are no limit', async () => {
  let count = 0;
  const server = await rawServer(() => {
    count += 1;
    return answer(count % 10 === 0 ? 503 : 200);
  });
  const wire = wireFor(server, { concurrency: 4 });
  const waits: unknown[] = [];
  for (let round = 0; round < 40; round += 1) {
    expect(lastOf(await wire.send(probe(server.origin, { round }))).response?.status).toBe(200);
    waits.push(wire.wait);
  }
  expect(waits.filter((wait) => wait !== undefined)).toEqual([]);
  await wire.close();
  await server.close();
});
