import {
  authority,
  type Certificate,
  certificate,
  expired,
  forOtherHost,
  notYetValid,
} from '../support/certificates.js';
import { answer, rawServer } from '../support/raw-server.js';
import { expect, test } from '../support/test.js';
import { lastOf, probe, wireFor, withKey } from '../support/wires.js';

const defects: Record<string, [make: () => Promise<Certificate>, code: RegExp]> = {
  expired: [expired, /^CERT_HAS_EXPIRED$/],
  'not yet valid': [notYetValid, /^CERT_NOT_YET_VALID$/],
  'for another host': [forOtherHost, /^ERR_TLS_CERT_ALTNAME_INVALID$/],
  'for no name at all': [() => certificate({ names: [], addresses: ['192.0.2.7'] }), /^ERR_TLS_CERT_ALTNAME_INVALID$/],
  'oddly named': [
    () => certificate({ names: ['a, DNS:127.0.0.1', 'x"y'], addresses: [], commonName: 'ü, "quoted"\n=' }),
    /^ERR_TLS_CERT_ALTNAME/,
  ],
};
for (const [name, [make, code]] of Object.entries(defects)) {
  test(`sends nothing to a server whose certificate is ${name}, and tells which`, async () => {
    const pems = await make();
    const server = await rawServer(() => answer(200), { tls: { certificate: pems } });
    const wire = wireFor(server);
    const exchange = await wire.send(probe(server.origin, { headers: withKey }));
    const { error, tls } = lastOf(exchange);
    expect(error?.code).toBe('certificate');
    expect(tls?.authorized).toBe(false);
    expect(tls?.authorizationError).toMatch(code);
    expect(error?.message).toContain(tls?.authorizationError ?? '?');
    expect(tls?.chain).toHaveLength(1);
    expect(tls?.chain[0]?.validTo).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(exchange.attempts).toHaveLength(1);
    expect([server.heads.length, wire.requestsSent]).toEqual([0, 0]);
    await wire.close();

    const insecure = wireFor(server, { insecureTls: true });
    const gone = lastOf(await insecure.send(probe(server.origin)));
    expect(gone.response?.status).toBe(200);
    expect(gone.tls?.authorized).toBe(false);
    await insecure.close();
    await server.close();
  });
}

test('names an issuer that nobody knows, and takes it from CA_FILE', async () => {
  const root = await authority();
  const leaf = await certificate({ issuer: root });
  const server = await rawServer(() => answer(200), {
    tls: { certificate: { cert: leaf.cert + root.cert, key: leaf.key } },
  });
  const stranger = wireFor({ origin: server.origin, ca: '' });
  const { error, tls } = lastOf(await stranger.send(probe(server.origin)));
  expect(error?.code).toBe('certificate');
  expect(tls?.authorizationError).toBe('SELF_SIGNED_CERT_IN_CHAIN');
  await stranger.close();

  const friend = wireFor({ origin: server.origin, ca: `# our authority\n${root.cert}` });
  const good = lastOf(await friend.send(probe(server.origin)));
  expect(good.response?.status).toBe(200);
  expect(good.tls).toMatchObject({ authorized: true, version: 'TLSv1.3' });
  expect(good.tls?.chain.map(({ subject }) => subject)).toEqual(['CN=self-test', 'CN=self-test authority']);
  expect(good.tls?.chain[0]?.altNames).toContain('IP Address:127.0.0.1');
  await friend.close();
  await server.close();
});

test('shows a client certificate where one is asked for', async () => {
  const root = await authority();
  const client = await certificate({ issuer: root, commonName: 'client' });
  const server = await rawServer(() => answer(200), { tls: { requestCert: true, ca: root.cert } });
  const older = await rawServer(() => answer(200), {
    tls: { requestCert: true, ca: root.cert, maxVersion: 'TLSv1.2' },
  });
  for (const { origin, ca } of [server, older]) {
    const without = wireFor({ origin, ca });
    const { error } = lastOf(await without.send(probe(origin)));
    expect(error).toEqual({
      code: 'tls',
      message: expect.stringMatching(/may want a client certificate: see CLIENT_CERT_FILE$/),
    });
    await without.close();
  }
  await older.close();
  const wire = wireFor(server, { clientCert: client });
  expect(lastOf(await wire.send(probe(server.origin))).response?.status).toBe(200);
  await wire.close();
  await server.close();
});
