import assert from 'node:assert/strict';
import tls from 'node:tls';
import { certificate, forOtherHost } from '../support/certificates.js';
import { newKey, things } from '../support/document-server.js';
import { protectedList, withFiles } from '../support/documents.js';
import { judgeRunning } from '../support/judge.js';
import { answer, type Peer, rawServer } from '../support/raw-server.js';
import { expect, test } from '../support/test.js';
import { lastOf, probe, wireFor } from '../support/wires.js';

/** A read over HTTP/1.0 names no host in its TLS handshake either, where the server takes that. */

const handshakeOf = ({ socket }: Peer): { readonly name: string | false; readonly alpn: string | false | null } => {
  assert.ok(socket instanceof tls.TLSSocket);
  return { name: socket.servername ?? false, alpn: socket.alpnProtocol };
};

for (const fallsBack of [false, true])
  test(`names ${fallsBack ? 'the host over HTTP/1.0 where another certificate is shown without' : 'no host over HTTP/1.0'}`, async () => {
    const seen: ReturnType<typeof handshakeOf>[] = [];
    const own = await certificate();
    const server = await rawServer(
      (_head, peer) => {
        seen.push(handshakeOf(peer));
        return answer(200);
      },
      {
        tls: {
          certificate: fallsBack ? await forOtherHost() : own,
          ALPNProtocols: ['http/1.1'],
          SNICallback: (_name, done) => done(null, tls.createSecureContext(own)),
        },
      },
    );
    const wire = wireFor({ origin: `https://localhost:${server.port}`, ca: own.cert });
    for (const protocol of ['http/1.1', 'http/1.0'] as const) {
      const exchange = await wire.send(probe(`https://localhost:${server.port}`, { protocol, connection: 'fresh' }));
      expect(lastOf(exchange).response?.status).toBe(200);
    }
    const named = { name: 'localhost', alpn: 'http/1.1' };
    expect(seen).toEqual([named, fallsBack ? named : { name: false, alpn: false }]);
    await Promise.all([wire.close(), server.close()]);
  });

for (const guarded of [true, false])
  test(`a listener for who names no host that ${guarded ? 'asks' : 'does not ask'} for the key`, async () => {
    const key = newKey();
    const server = await rawServer((head, peer) => {
      const [, path = ''] = /^\S+ (\S+)/.exec(head) ?? [];
      const open = !guarded && handshakeOf(peer).name === false;
      if (path !== '/things/') return answer(404, '{"detail":"Not found."}');
      return open || head.includes(`\r\nAuthorization: Bearer ${key}\r\n`)
        ? answer(200, JSON.stringify(things), ['Content-Type: application/json'])
        : answer(401, '{"detail":"No credentials were given."}', ['Content-Type: application/json']);
    });
    await withFiles({ 'openapi.yaml': protectedList, 'ca.pem': server.ca }, async (path) => {
      const run = await judgeRunning(
        { baseUrl: `https://localhost:${server.port}`, caFile: path('ca.pem'), key },
        { contract: path('openapi.yaml'), settings: { HTTP_BASE_URL: 'none' }, only: ['AUTH-3'] },
      );
      expect(run.failedClauses).toEqual(guarded ? [] : ['AUTH-3']);
      expect(run.check('refuses-other-spellings').outcome).toBe(guarded ? 'passed' : 'failed');
      if (!guarded) expect(run.check('refuses-other-spellings').reason).toContain('HTTP/1.0');
    });
    await server.close();
  });
