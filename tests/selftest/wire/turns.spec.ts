import { atSomeDeadline } from '../support/deadlines.js';
import { answer, rawServer } from '../support/raw-server.js';
import { expect, test } from '../support/test.js';
import { lastOf, probe, wireFor } from '../support/wires.js';

test('a server that answers one request after the other is not left before its turn', async () => {
  await atSomeDeadline(async (timeoutMs) => {
    const waiting: (() => void)[] = [];
    const server = await rawServer((_head, { socket }) => {
      waiting.push(() => void socket.write(answer(200)));
      if (waiting.length === 6) next();
    });
    const next = (): void => {
      waiting.shift()?.();
      if (waiting.length > 0) setTimeout(next, timeoutMs / 2);
    };
    const wire = wireFor(server, { timeoutMs, concurrency: 6 });
    const exchanges = await Promise.all(
      Array.from({ length: 6 }, (_, index) => wire.send(probe(server.origin, { target: `/${index}` }))),
    );
    await Promise.all([wire.close(), server.close()]);
    expect(exchanges.map(({ attempts }) => attempts.map(({ response }) => response?.status))).toEqual(
      Array.from({ length: 6 }, () => [200]),
    );
  });
});

test('a request that is never answered does not wait for later ones', async () => {
  await atSomeDeadline(async (timeoutMs) => {
    const server = await rawServer((head) => (head.startsWith('GET /never') ? undefined : answer(200)));
    const wire = wireFor(server, { timeoutMs });
    let isLate = false;
    const never = wire.send(probe(server.origin, { target: '/never' })).finally(() => {
      isLate = true;
    });
    while (!isLate) await wire.send(probe(server.origin, { target: '/other' }));
    const { error } = lastOf(await never);
    await Promise.all([wire.close(), server.close()]);
    expect(error?.code).toBe('headers-timeout');
  });
});
