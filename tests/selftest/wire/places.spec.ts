import { lookup } from 'node:dns/promises';
import { hostname } from 'node:os';
import { addressKind } from '../../../src/wire/addresses.js';
import { connectProxy } from '../support/connect-proxy.js';
import { judgeRunning } from '../support/judge.js';
import { answer, rawServer } from '../support/raw-server.js';
import { expect, test } from '../support/test.js';
import { lastOf, probe, testKey, wireFor } from '../support/wires.js';

/**
 * What a server says leads neither to this machine nor into its networks, unless the target is
 * there itself.
 */

test('kinds of addresses, in whatever way they are written', () => {
  const kinds = {
    'this machine':
      '127.0.0.1 127.9.9.9 0.0.0.0 :: ::1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::7f00:1 64:ff9b::7f00:1 2002:7f00:1:: localhost a.Localhost.',
    'a link-local address': '169.254.169.254 fe80::1 fe80::1%eth0 febf::1 ::ffff:a9fe:a9fe',
    'a private network':
      '10.1.2.3 172.16.0.1 172.31.255.1 192.168.3.4 100.64.0.1 100.127.0.1 fc00::1 fd12:3456::1 ::ffff:10.0.0.1 64:ff9b::a00:1 2002:a00:1::5',
    'a reserved address': '224.0.0.1 239.1.1.1 255.255.255.255 ff02::1',
    open: '8.8.8.8 172.32.0.1 100.128.0.1 169.253.0.1 2606:4700::1111 ::ffff:8.8.8.8 64:ff9b::808:808 localhost.example example.com',
  };
  for (const [kind, addresses] of Object.entries(kinds))
    for (const address of addresses.split(' ')) expect(addressKind(address) ?? 'open', address).toBe(kind);
});

const elsewhere = { origin: 'https://192.0.2.1', ca: '' };
const blocked = {
  code: 'unreachable',
  message: expect.stringContaining('so what a server says is not followed there'),
};

test('a target that is elsewhere leads to no address of this machine', async () => {
  const server = await rawServer(() => answer(200), { tls: false, host: '::' });
  const wire = wireFor(elsewhere);
  for (const host of [
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    '[::]',
    'localhost',
  ]) {
    const { origin } = new URL(`http://${host}:${server.port}`);
    expect(lastOf(await wire.send(probe(origin))).error, host).toMatchObject(blocked);
  }
  for (const host of ['10.255.255.1', '169.254.169.254', '[fd00::1]', '100.64.0.1'])
    expect(lastOf(await wire.send(probe(`http://${host}`))).error, host).toMatchObject(blocked);
  expect(server.connections).toBe(0);
  await wire.close();
  await server.close();
});

test('nor by a name that means such an address when it is connected to', async () => {
  const { address } = await lookup(hostname()).catch(() => ({ address: '' }));
  test.skip(addressKind(address) === undefined, 'the name of this machine has no such address');
  const server = await rawServer(() => answer(200), { tls: false, host: '::' });
  const wire = wireFor(elsewhere);
  const { error } = lastOf(await wire.send(probe(`http://${hostname()}:${server.port}`)));
  expect(error).toMatchObject(blocked);
  expect(server.connections).toBe(0);
  await wire.close();
  await server.close();
});

test('nor through a proxy', async () => {
  const proxy = await connectProxy({ forward: 200 });
  const url = `http://127.0.0.1:${proxy.port}`;
  const wire = wireFor(elsewhere, { proxy: { url, httpUrl: url, noProxy: '' } });
  for (const origin of ['http://169.254.169.254', 'https://localhost', 'https://[::1]:8443'])
    expect(lastOf(await wire.send(probe(origin))).error, origin).toMatchObject(blocked);
  expect(proxy.seen).toEqual([]);
  await wire.close();
  await proxy.close();
});

test('what the settings name is gone to, wherever it is', async () => {
  const server = await rawServer(() => answer(200), { tls: false });
  const wire = wireFor(elsewhere, { httpBaseUrl: `${server.origin}/sub` });
  expect(lastOf(await wire.send(probe(server.origin))).response?.status).toBe(200);
  await wire.close();
  const named = new URL(`http://plain.example:${server.port}`);
  const resolve = [{ host: named.hostname, port: server.port, address: '127.0.0.1' }];
  const resolving = wireFor(elsewhere, { resolve });
  expect(lastOf(await resolving.send(probe(named.origin))).response?.status).toBe(200);
  await resolving.close();
  await server.close();
});

/** Rows with the key; without one, or with a copy of it, a redirect or a sentence. */
const targetIn = (head: string): string => /^\S+ (\S+)/.exec(head)?.[1] ?? '';
const rows = JSON.stringify([
  { id: 48_211, name: 'Squats on Tuesday' },
  { id: 48_212, name: 'Deadlift on Friday' },
]);

for (const evidence of ['shape', 'full'])
  test(`a body from another origin is kept as shape (EVIDENCE=${evidence})`, async () => {
    const foreign = await rawServer(() => answer(200, '{"token": "somebody-elses-session"}'));
    const server = await rawServer((head) => {
      if (targetIn(head) !== '/api/v2/workout/') return answer(404, '{"detail": "nothing here"}');
      return head.includes(`Token ${testKey}`)
        ? answer(200, rows)
        : answer(302, '', [`Location: ${foreign.origin}/in`]);
    });
    const run = await judgeRunning(
      { baseUrl: server.origin, key: testKey, httpBaseUrl: 'none' },
      { settings: { INSECURE_TLS: 'true', EVIDENCE: evidence }, only: ['AUTH-3'], exchanges: true },
    );
    expect(run.outcomesOf('refuses-missing-key')).toEqual(['passed']);
    const came = run.exchanges.filter(({ probe: { origin } }) => origin === foreign.origin);
    expect(came.length).toBeGreaterThan(0);
    for (const { attempts } of came) {
      expect(attempts.at(-1)?.response).toMatchObject({ status: 200, size: 35, shape: { kind: 'json' } });
      expect(attempts.at(-1)?.response).not.toHaveProperty('body');
    }
    expect(JSON.stringify(run.exchanges)).not.toContain('somebody-elses-session');
    await Promise.all([server.close(), foreign.close()]);
  });

test('the answer to anything made of the key is kept as shape', async () => {
  const server = await rawServer((head) => {
    if (targetIn(head) !== '/api/v2/workout/') return answer(404, '{"detail": "nothing here"}');
    if (head.includes(`Token ${testKey}`)) return answer(200, rows);
    const [, sent = ''] = /^Authorization: (.*)$/im.exec(head) ?? [];
    return answer(401, JSON.stringify({ detail: sent === '' ? 'no key' : `the session of ${sent.length} letters` }));
  });
  const run = await judgeRunning(
    { baseUrl: server.origin, key: testKey, httpBaseUrl: 'none' },
    { settings: { INSECURE_TLS: 'true' }, only: ['AUTH-3'], exchanges: true },
  );
  const withText = run.exchanges.filter(({ attempts }) => attempts.at(-1)?.response?.body !== undefined);
  const values = withText.flatMap(({ probe: { headers } }) => headers.map(([, value]) => value));
  expect(values.filter((value) => /<API_KEY(?!:(?:random|random-2|long)\b)/.test(value))).toEqual([]);
  expect(values.some((value) => value.includes('<API_KEY:random>'))).toBe(true);
  expect(
    run.exchanges.some(({ probe: { headers } }) => headers.some(([, value]) => value.includes(':first-half'))),
  ).toBe(true);
  await server.close();
});
