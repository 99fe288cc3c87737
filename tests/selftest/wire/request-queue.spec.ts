import { Openings } from '../../../src/wire/pool.js';
import { type Lane, RequestQueue } from '../../../src/wire/request-queue.js';
import type { SeriesPosition } from '../../../src/wire/types.js';
import { answer, rawServer } from '../support/raw-server.js';
import { expect, test } from '../support/test.js';
import { probe, wireFor } from '../support/wires.js';

/** Which request goes next, of those that wait for connections of several kinds. */

/** Connections of one kind: some are free, and some more may be opened. */
const laneOf = (name: string, { free = 0, more = 0, size = free }: { free?: number; more?: number; size?: number }) => {
  const lane = { name, free, more, size };
  const kind: Lane<string> = {
    untilLast: (waiting) => (100 * waiting) / (lane.size + 1),
    isFree: () => lane.free > 0,
    untilMore: () => (lane.more > 0 ? 0 : 700),
    take: () => {
      if (lane.free > 0) lane.free -= 1;
      else {
        lane.more -= 1;
        lane.size += 1;
      }
      return name;
    },
  };
  return Object.assign(kind, { state: lane });
};

const join = (line: RequestQueue, lane: Lane<string>, words: readonly string[], ahead = false): string[] => {
  const gone: string[] = [];
  for (const word of words)
    void line.join(lane, ahead).then((place) => {
      gone.push(`${word} ${place}`);
    });
  return gone;
};

/** Lets all go that can, and resolves with what the last one was told. */
const letGo = async (line: RequestQueue): Promise<number> => {
  let wait = 0;
  while (wait === 0 && !line.isEmpty) wait = line.sendNext();
  await Promise.resolve();
  return wait;
};

test('what has a connection goes before what came earlier and has none', async () => {
  const line = new RequestQueue();
  const keyed = join(line, laneOf('keyed', { free: 1, size: 3 }), ['1', '2']);
  const bare = join(line, laneOf('bare', { free: 2 }), ['3', '4']);
  expect(await letGo(line)).toBe(700);
  expect([keyed, bare]).toEqual([['1 keyed'], ['3 bare', '4 bare']]);
});

test('what joined ahead goes first in its lane, and before other lanes', () => {
  const line = new RequestQueue();
  const order: string[] = [];
  const [one, two] = [laneOf('one', { free: 9 }), laneOf('two', { free: 9 })];
  const add = (word: string, lane: Lane<string>, ahead: boolean): void =>
    void line.join({ ...lane, take: () => order.push(word) }, ahead);
  add('a', one, false);
  add('b', two, false);
  add('c', two, true);
  while (!line.isEmpty) line.sendNext();
  expect(order).toEqual(['c', 'a', 'b']);
});

test('new connections go where the last that waits would go latest', async () => {
  const line = new RequestQueue();
  const shared = { left: 8 };
  const lanes = [
    { name: 'keyed', waiting: 20, size: 5 },
    { name: 'bare', waiting: 100, size: 7 },
    { name: 'plain', waiting: 21, size: 0 },
  ].map(({ name, waiting, size }) => {
    const lane = laneOf(name, { size });
    lane.untilMore = () => (shared.left > 0 ? 0 : 700);
    lane.take = () => {
      shared.left -= 1;
      lane.state.size += 1;
      return name;
    };
    return { name, gone: join(line, lane, Array.from({ length: waiting }, String)) };
  });
  await letGo(line);
  expect(Object.fromEntries(lanes.map(({ name, gone }) => [name, gone.length]))).toEqual({
    keyed: 0,
    bare: 6,
    plain: 2,
  });
});

test('what leaves no connection open goes last, unless a second is too short for it', async () => {
  const openings = new Openings(8);
  const firstOf = async (alone: number): Promise<string | undefined> => {
    const line = new RequestQueue();
    const order: string[] = [];
    const add = (lane: Lane<string>, count: number): void => {
      for (let index = 0; index < count; index += 1) void line.join(lane, false).then((name) => order.push(name));
    };
    add({ ...laneOf('alone', { more: 1 }), untilLast: (waiting) => openings.untilLast(waiting) }, alone);
    add(laneOf('shared', { more: 1, size: 4 }), 10);
    line.sendNext();
    await Promise.resolve();
    return order[0];
  };
  expect(await firstOf(8)).toBe('shared');
  expect(await firstOf(9)).toBe('alone');
});

test('all go at the end of a run', async () => {
  const line = new RequestQueue();
  const gone = join(line, laneOf('none', {}), ['1', '2', '3']);
  expect(line.sendAll()).toBe(3);
  await Promise.resolve();
  expect(gone).toHaveLength(3);
  expect(line.isEmpty).toBe(true);
});

test('a request that follows another takes its place, before what has waited longer', async () => {
  const seen: string[] = [];
  const server = await rawServer((head) => {
    seen.push(head.split(' ')[1] ?? '');
    return answer(200);
  });
  const wire = wireFor(server, { concurrency: 1 });
  const send = (target: string, place: SeriesPosition = {}) => wire.send(probe(server.origin, { target }), place);
  const followed = send('/read').then(() => send('/right-after', { priority: true, follows: true }));
  await Promise.all([
    followed,
    send('/other'),
    send('/ahead', { priority: true }),
    send('/ahead/2', { priority: true }),
  ]);
  expect(seen).toEqual(['/ahead', '/ahead/2', '/read', '/right-after', '/other']);
  await wire.close();
  await server.close();
});
