import { curlLine } from '../../../src/engine/curl-line.js';
import { answer, rawServer } from '../support/raw-server.js';
import { exchange } from '../support/run-record.js';
import { expect, test } from '../support/test.js';
import { lastOf, probe, wireFor } from '../support/wires.js';
import { hasIpv6 } from '../support/zoo.js';

/** A probe may want the IPv4 or the IPv6 address of its host. */

test('goes to the address of the wanted family, with the name in Host', async () => {
  test.skip(!hasIpv6, 'this machine has no IPv6');
  const first = await rawServer(() => answer(200));
  const second = await rawServer(() => answer(401), { host: '::1' });
  const origin = `https://localhost:${second.port}`;
  const at = (address: string) => ({ host: 'localhost', port: second.port, address });
  const wire = wireFor({ origin, ca: second.ca }, { resolve: [at('127.0.0.2'), at('::1')] });
  const sent = await wire.send(probe(origin, { family: 6 }));
  expect(lastOf(sent).response?.status).toBe(401);
  expect(sent.connection.address).toBe(`[::1]:${second.port}`);
  expect(second.heads[0]).toContain(`Host: localhost:${second.port}\r\n`);
  expect(first.heads).toHaveLength(0);
  const other = await wire.send(probe(origin, { family: 4 }));
  expect(lastOf(other).error?.code).toBe('no-address');
  await wire.close();
  await first.close();
  await second.close();
});

test('a host without an address of that family, or with one that cannot be reached, is asked once and gets nothing', async () => {
  const server = await rawServer(() => answer(200));
  const named = `https://localhost:${server.port}`;
  for (const [origin, resolve] of [
    [server.origin, []],
    [named, [{ host: 'localhost', port: server.port, address: '127.0.0.1' }]],
    [named, [{ host: 'localhost', port: server.port, address: '::1' }]],
  ] as const) {
    const wire = wireFor({ origin, ca: server.ca }, { resolve });
    for (const round of [1, 2]) {
      const { attempts } = await wire.send(probe(origin, { family: 6, round }));
      expect(
        attempts.map(({ error }) => error?.code),
        origin,
      ).toEqual(['no-address']);
    }
    expect(wire.requestsSent).toBe(0);
    await wire.close();
  }
  expect(server.heads).toHaveLength(0);
  await server.close();
});

test('curl is told the family, and the address of it', () => {
  const seen = exchange(
    'listWorkouts',
    'over IPv6',
    '/',
    [],
    { error: { code: 'reset', message: 'closed' } },
    {
      origin: 'https://fitness.example',
      family: 6,
    },
  );
  const line = curlLine(seen, { RESOLVE: '["fitness.example:443:203.0.113.9","fitness.example:443:[2001:db8::9]"]' });
  expect(line).toContain(' -6 ');
  expect(line).toContain('2001:db8::9');
  expect(line).not.toContain('203.0.113.9');
});
