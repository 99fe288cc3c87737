import net, { type AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { answer, rawServer } from '../support/raw-server.js';
import { expect, test } from '../support/test.js';
import { lastOf, probe, testKey, wireFor, withKey } from '../support/wires.js';

test('keeps keyed and unkeyed requests on connections of their own', async () => {
  const keyedOn = new Set<number>();
  const unkeyedOn = new Set<number>();
  const server = await rawServer((head, { connection }) => {
    (head.includes(testKey) ? keyedOn : unkeyedOn).add(connection);
    return answer(200);
  });
  const wire = wireFor(server, { concurrency: 4 });
  await Promise.all(
    Array.from({ length: 40 }, (_, round) =>
      wire.send(
        probe(server.origin, { round, headers: round % 2 ? withKey : [['Authorization', 'Token <API_KEY:random>']] }),
      ),
    ),
  );
  expect([...keyedOn].filter((connection) => unkeyedOn.has(connection))).toEqual([]);
  expect(server.connections).toBeLessThanOrEqual(8);
  await wire.close();
  await server.close();
});

test('sends an unkeyed request over a connection that has just carried the key', async () => {
  const seen: [number, boolean][] = [];
  const server = await rawServer((head, { connection }) => {
    seen.push([connection, head.includes(testKey)]);
    return answer(200);
  });
  const wire = wireFor(server);
  const none = await wire.send(probe(server.origin, { connection: 'keyed' }));
  expect(lastOf(none).error?.code).toBe('no-keyed-connection');
  await wire.send(probe(server.origin, { headers: withKey }));
  const leftover = await wire.send(probe(server.origin, { connection: 'keyed', round: 2 }));
  expect(leftover.connection.reused).toBe(true);
  await wire.send(probe(server.origin, { round: 3 }));
  expect(seen).toEqual([
    [1, true],
    [1, false],
    [2, false],
  ]);
  await wire.close();
  await server.close();
});

test('waits for a keyed connection that is busy', async () => {
  let answerKeyed = (): unknown => undefined;
  const server = await rawServer((_head, { request, socket }) => {
    if (request > 1) return answer(200);
    answerKeyed = () => socket.write(answer(200));
    return undefined;
  });
  const wire = wireFor(server);
  const keyed = wire.send(probe(server.origin, { headers: withKey }));
  await expect.poll(() => server.heads.length).toBe(1);
  const waiting = wire.send(probe(server.origin, { connection: 'keyed' }));
  // It asks for a connection before the answer comes.
  await setImmediate();
  answerKeyed();
  const leftover = await waiting;
  expect(lastOf(leftover).response?.status).toBe(200);
  await keyed;
  expect(server.connections).toBe(1);
  await wire.close();
  await server.close();
});

test('says so when the server keeps no keyed connection open', async () => {
  const server = await rawServer((_head, { socket }) => {
    socket.end(answer(200, '{}', ['Connection: close']));
    return undefined;
  });
  const wire = wireFor(server);
  await wire.send(probe(server.origin, { headers: withKey }));
  const leftover = await wire.send(probe(server.origin, { connection: 'keyed' }));
  expect(lastOf(leftover).error?.code).toBe('no-keyed-connection');
  await wire.close();
  await server.close();
});

test('opens and closes a connection for each fresh probe', async () => {
  const server = await rawServer(() => answer(200));
  const wire = wireFor(server);
  await wire.send(probe(server.origin));
  for (const round of [2, 3]) {
    const exchange = await wire.send(probe(server.origin, { connection: 'fresh', round }));
    expect(exchange.connection.reused).toBe(false);
  }
  expect(server.connections).toBe(3);
  await expect.poll(() => server.open.size).toBe(1);
  await wire.close();
  await server.close();
});

/**
 * Answers HEAD with a length and, `late` milliseconds after it, with the content that only GET has.
 */
const sendsContentWithHead = (late: number) =>
  rawServer((head, { socket }) => {
    const content = '{"of":"another"}';
    const whole = answer(200, content);
    if (head.startsWith('HEAD')) {
      socket.write(whole.subarray(0, -content.length));
      setTimeout(() => socket.write(content), late);
    } else setTimeout(() => socket.write(answer(200)), 150);
    return undefined;
  });

test('uses a connection again after HEAD, once it was quiet', async () => {
  const server = await rawServer((head) => answer(200, head.startsWith('HEAD') ? '' : '{}'));
  const wire = wireFor(server);
  await wire.send(probe(server.origin, { method: 'HEAD' }));
  await new Promise((resolve) => setTimeout(resolve, 200));
  const next = await wire.send(probe(server.origin));
  expect(next.connection.reused).toBe(true);
  expect(server.connections).toBe(1);
  await wire.close();
  await server.close();
});

for (const [when, late, wait] of [
  ['at once', 0, 0],
  ['a little later', 30, 200],
  ['when the connection is in use again', 260, 180],
] as const)
  test(`never takes the content that comes with HEAD for an answer: ${when}`, async () => {
    const server = await sendsContentWithHead(late);
    const wire = wireFor(server);
    await wire.send(probe(server.origin, { method: 'HEAD' }));
    await new Promise((resolve) => setTimeout(resolve, wait));
    const next = await wire.send(probe(server.origin));
    expect(lastOf(next).response?.body).toBe('{}');
    await wire.close();
    await server.close();
  });

test('asks anew where something of another answer stood on the connection', async () => {
  const server = await rawServer((_head, { connection, request, socket }) => {
    if (connection > 1 || request === 1) return answer(200);
    socket.write('left over');
    return undefined;
  });
  const wire = wireFor(server);
  await wire.send(probe(server.origin));
  const next = await wire.send(probe(server.origin, { round: 2 }));
  expect(next.attempts.map(({ error, response }) => error?.code ?? response?.status)).toEqual(['not-http', 200]);
  await wire.close();
  await server.close();
});

test('never has more in flight than it may', async () => {
  const waiting: (() => void)[] = [];
  let most = 0;
  const server = await rawServer((_head, { socket }) => {
    waiting.push(() => socket.write(answer(200)));
    most = Math.max(most, waiting.length);
    // Nobody is answered until three wait; a fourth would have a moment to come, too.
    if (waiting.length === 3) setTimeout(() => waiting.splice(0).forEach((each) => void each()), 10);
    return undefined;
  });
  const wire = wireFor(server, { concurrency: 3 });
  await Promise.all(Array.from({ length: 21 }, (_, round) => wire.send(probe(server.origin, { round }))));
  expect(most).toBe(3);
  await wire.close();
  await server.close();
});

test('replays the cookies of keyed answers, or those of all others, and only where a probe asks', async () => {
  const server = await rawServer((head) =>
    answer(
      200,
      '{}',
      head.includes(testKey) ? ['Set-Cookie: sid=opensesame; Path=/', 'Set-Cookie: b=2'] : ['Set-Cookie: c=3'],
    ),
  );
  const wire = wireFor(server);
  await wire.send(probe(server.origin, { headers: withKey }));
  await wire.send(probe(server.origin, { round: 2 }));
  expect(server.heads.at(-1)).not.toMatch(/cookie/i);
  const replay = await wire.send(probe(server.origin, { round: 3, headers: [['Cookie', '<COOKIES>']] }));
  expect(server.heads.at(-1)).toContain('\r\nCookie: sid=opensesame; b=2\r\n');
  expect(replay.connection.reused).toBe(false);
  expect(JSON.stringify(replay)).not.toContain('opensesame');
  const visit = await wire.send(probe(server.origin, { round: 4, headers: [['Cookie', '<VISITOR_COOKIES>']] }));
  expect(server.heads.at(-1)).toContain('\r\nCookie: c=3\r\n');
  expect(visit.connection.reused).toBe(false);
  await wire.close();
  await server.close();
});

test('has no trouble with many requests over one connection', async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error) => warnings.push(warning);
  process.on('warning', warn);
  const server = await rawServer(() => answer(200));
  const wire = wireFor(server, { concurrency: 1 });
  for (let round = 0; round < 40; round += 1) await wire.send(probe(server.origin, { round }));
  process.off('warning', warn);
  expect(server.connections).toBe(1);
  expect(warnings.map(({ message }) => message)).toEqual([]);
  await wire.close();
  await server.close();
});

test('a server that resets connections beyond a few gets fewer at one time, and no idle ones', async () => {
  const server = await rawServer(() => answer(200));
  const most = 3;
  const open = new Set<net.Socket>();
  const limiter = net.createServer((socket) => {
    socket.on('error', () => undefined);
    if (open.size >= most) {
      socket.resetAndDestroy();
      return;
    }
    open.add(socket);
    const behind = net.connect(server.port, '127.0.0.1').on('error', () => socket.destroy());
    socket.on('close', () => {
      open.delete(socket);
      behind.destroy();
    });
    behind.on('close', () => socket.destroy());
    socket.pipe(behind).pipe(socket);
  });
  await new Promise<void>((resolve) => limiter.listen(0, '127.0.0.1', resolve));
  const origin = `https://127.0.0.1:${(limiter.address() as AddressInfo).port}`;
  const wire = wireFor({ origin, ca: server.ca }, { concurrency: 'auto' });
  const exchanges = await Promise.all(
    Array.from({ length: 60 }, (_, round) => wire.send(probe(origin, { round, headers: round % 2 ? withKey : [] }))),
  );
  expect(exchanges.filter((exchange) => lastOf(exchange).response?.status !== 200)).toEqual([]);
  await wire.close();
  await new Promise((resolve) => limiter.close(resolve));
  await server.close();
});

test('a refused connection to another port closes no idle one', async () => {
  const server = await rawServer(() => answer(200));
  const gone = net.createServer();
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
  const { port } = gone.address() as AddressInfo;
  await new Promise((resolve) => gone.close(resolve));
  const wire = wireFor(server);
  await wire.send(probe(server.origin));
  const refused = await wire.send(probe(`http://127.0.0.1:${port}`, { round: 2 }));
  expect(lastOf(refused).error?.code).toBe('refused');
  const next = await wire.send(probe(server.origin, { round: 3 }));
  expect(next.connection.reused).toBe(true);
  await wire.close();
  await server.close();
});
