import { Level, mostInFlight, Pace } from '../../../src/wire/pace.js';
import { always } from '../../../src/wire/request-queue.js';
import { answer, rawServer } from '../support/raw-server.js';
import { expect, inCi, test } from '../support/test.js';
import { probe, wireFor } from '../support/wires.js';

/**
 * `CONCURRENCY=auto`: as many requests in flight as a server bears. What a server saw is counted;
 * time is virtual.
 */

interface Simulated {
  /** Requests that the server works on at one time; others wait in it. */
  readonly capacity: number;
  readonly requests: number;
  /** Requests beyond so many are refused at once. */
  readonly most?: number;
}

/**
 * A server that takes 100 ms for each request, in time that is only counted. Returns how many it
 * had at each arrival.
 */
const simulate = ({ capacity, requests, most = Number.POSITIVE_INFINITY }: Simulated): readonly number[] => {
  const level = new Level();
  const seen: number[] = [];
  const inServer: {
    readonly sent: number;
    readonly epoch: number;
    readonly ends: number;
    readonly refused: boolean;
  }[] = [];
  const free = Array.from({ length: capacity }, () => 0);
  let [now, sent] = [0, 0];
  while (sent < requests) {
    while (inServer.length < level.limit && sent < requests) {
      const refused = inServer.length >= most;
      const worker = free.indexOf(Math.min(...free));
      const ends = refused ? now + 1 : Math.max(now, free[worker] ?? 0) + 100;
      if (!refused) free[worker] = ends;
      inServer.push({ sent: now, epoch: level.epoch, ends, refused });
      sent += 1;
      seen.push(inServer.length);
    }
    inServer.sort((a, b) => a.ends - b.ends);
    const first = inServer.shift();
    if (!first) break;
    now = first.ends;
    if (first.refused) level.refused(first.epoch);
    else level.answered(now - first.sent, first.epoch);
  }
  return seen;
};

test('a server that answers as fast whatever the load gets 32 at one time, and no more', () => {
  const seen = simulate({ capacity: 1_000, requests: 500 });
  expect(seen.slice(0, 8)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(Math.max(...seen)).toBe(mostInFlight);
  expect(seen.slice(-100).every((count) => count === mostInFlight)).toBe(true);
});

for (const capacity of [4, 10, 16])
  test(`a server that works on ${capacity} at one time gets less than one that does not slow down`, () => {
    const seen = simulate({ capacity, requests: 3_000 }).slice(500);
    const mean = seen.reduce((sum, count) => sum + count, 0) / seen.length;
    expect(mean).toBeLessThan(Math.max(10, capacity * 1.5));
    expect(mean).toBeGreaterThan(capacity / 4);
    expect(seen.filter((count) => count > 2.5 * capacity).length).toBeLessThan(seen.length / 10);
  });

test('a server that refuses for the rate gets half, and then one more at a time', () => {
  const seen = simulate({ capacity: 1_000, requests: 2_000, most: 12 });
  expect(Math.max(...seen)).toBeLessThanOrEqual(16);
  expect(seen.filter((count) => count > 12).length).toBeLessThan(seen.length / 10);
});

test('answers to what was sent before a change count for nothing', () => {
  const level = new Level();
  const before = level.epoch;
  level.refused(before);
  expect(level.limit).toBe(4);
  level.refused(before);
  for (let count = 0; count < 100; count += 1) level.answered(1, before);
  expect(level.limit).toBe(4);
});

test('the limit grows after half of it was answered as fast as ever, and a few slow answers halve nothing', () => {
  const level = new Level();
  const answered = (count: number, latencyMs: number): number => {
    for (let index = 0; index < count; index += 1) level.answered(latencyMs, level.epoch);
    return level.limit;
  };
  expect(answered(8, 100)).toBe(16);
  expect(answered(7, 100)).toBe(16);
  expect(answered(1, 100)).toBe(32);
  expect(answered(31, 200)).toBe(32);
  expect(answered(1, 200)).toBe(16);
});

/** Of forty requests at once, those that may be sent. */
const enteredOf = async (pace: Pace): Promise<number> => {
  let entered = 0;
  for (let count = 0; count < 40; count += 1)
    void pace.enter(always).then(() => {
      entered += 1;
    });
  await new Promise(setImmediate);
  return entered;
};

test('a fixed number stays fixed, whatever latency does', async () => {
  const pace = new Pace({ concurrency: 5, budgetMs: 0 });
  for (let count = 0; count < 100; count += 1) pace.answered(1, pace.epoch);
  expect(await enteredOf(pace)).toBe(5);
  pace.end();
});

test('all targets of one host share one ceiling', async () => {
  const inFlight = { count: 0, waiting: new Set<() => void>() };
  const paces = [1, 2].map(() => new Pace({ concurrency: 'auto', budgetMs: 0, inFlight }));
  for (const pace of paces) for (let count = 0; count < 200; count += 1) pace.answered(1, pace.epoch);
  const entered = [0, 0];
  for (const [index, pace] of paces.entries())
    for (let count = 0; count < 30; count += 1)
      void pace.enter(always).then(() => {
        entered[index] = (entered[index] ?? 0) + 1;
      });
  await new Promise(setImmediate);
  expect(entered).toEqual([30, 2]);
  paces[0]?.leave();
  await new Promise(setImmediate);
  expect(entered).toEqual([30, 3]);
  for (const pace of paces) pace.end();
});

test('the rate is kept however many may be in flight', async () => {
  const paced = new Pace({ concurrency: 'auto', budgetMs: 0, intervalMs: 100 });
  const start = performance.now();
  for (let count = 0; count < 3; count += 1) await paced.enter(always);
  expect(performance.now() - start).toBeGreaterThan(195);
  paced.end();
});

test('a server that closes each connection is given at most sixteen new ones a second', inCi, async () => {
  const server = await rawServer((_, peer) => {
    peer.socket.end(answer(200, '{}', ['Connection: close']));
    return undefined;
  });
  const wire = wireFor(server, { concurrency: 'auto' });
  const start = performance.now();
  await Promise.all(Array.from({ length: 36 }, (_, index) => wire.send(probe(server.origin, { round: index + 1 }))));
  // Two seconds for the thirty-third and those after it.
  expect(performance.now() - start).toBeGreaterThan(1_900);
  expect(wire.wait).toMatchObject({ kind: 'new-connections', perSecond: 16 });
  await wire.close();
  await server.close();
});

test('what waits to open a connection holds up nothing that has one', async () => {
  const server = await rawServer((head, peer) => {
    if (!/^connection: close/im.test(head)) return answer(200);
    peer.socket.end(answer(200, '{}', ['Connection: close']));
    return undefined;
  });
  const wire = wireFor(server, { concurrency: 'auto' });
  await wire.send(probe(server.origin));
  const fresh = Promise.all(
    Array.from({ length: 24 }, (_, index) =>
      wire.send(probe(server.origin, { connection: 'fresh', round: index + 2 })),
    ),
  );
  let areAllOpened = false;
  const opened = fresh.then(() => {
    areAllOpened = true;
  });
  const start = performance.now();
  await Promise.all(Array.from({ length: 30 }, (_, index) => wire.send(probe(server.origin, { round: index + 40 }))));
  expect(areAllOpened).toBe(false);
  await opened;
  expect(performance.now() - start).toBeGreaterThan(900);
  await wire.close();
  await server.close();
});

test('RATE spaces requests, and MAX_REQUESTS ends them', async () => {
  let arrived = 0;
  const server = await rawServer(() => {
    arrived += 1;
    return answer(200);
  });
  const wire = wireFor(server, { intervalMs: 50, maxRequests: 6 });
  const start = performance.now();
  const sent = await Promise.all(
    Array.from({ length: 9 }, (_, index) => wire.send(probe(server.origin, { round: index + 1 }))),
  );
  expect(performance.now() - start).toBeGreaterThan(240);
  expect(arrived).toBe(6);
  expect(wire.requestsSent).toBe(6);
  expect(wire.over).toMatchObject({ why: 'max-requests' });
  expect(sent.filter(({ attempts }) => attempts.at(-1)?.error?.code === 'aborted')).toHaveLength(3);
  await wire.close();
  await server.close();
});
