import http2 from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { bypassesProxy } from '../../../src/wire/proxy.js';
import { certificate } from '../support/certificates.js';
import { connectProxy } from '../support/connect-proxy.js';
import { answer, rawServer } from '../support/raw-server.js';
import { expect, test } from '../support/test.js';
import { lastOf, probe, testKey, wireFor, withKey } from '../support/wires.js';

test('goes through an HTTPS proxy by CONNECT, and tells it nothing but the host', async () => {
  const server = await rawServer(() => answer(200));
  const proxy = await connectProxy();
  const wire = wireFor(server, { proxy: { url: `http://me:s%40cretword@127.0.0.1:${proxy.port}`, noProxy: '' } });
  const exchange = await wire.send(probe(server.origin, { headers: withKey }));
  expect(lastOf(exchange).response?.status).toBe(200);
  expect(lastOf(exchange).tls?.authorized).toBe(true);
  expect(server.heads[0]).not.toMatch(/proxy-/i);
  const authorization = `Basic ${Buffer.from('me:s@cretword').toString('base64')}`;
  expect(proxy.seen).toEqual([{ target: `CONNECT 127.0.0.1:${server.port}`, authorization }]);
  await wire.close();
  await Promise.all([server.close(), proxy.close()]);
});

test('sends plain HTTP to its proxy with the absolute target', async () => {
  const proxy = await connectProxy();
  const wire = wireFor(
    { origin: 'https://a.example', ca: '' },
    { proxy: { url: 'http://127.0.0.1:1', httpUrl: `127.0.0.1:${proxy.port}`, noProxy: '' } },
  );
  const exchange = await wire.send(probe('http://a.example', { target: '/./x' }));
  expect(lastOf(exchange).response?.body).toBe('"by proxy"');
  expect(proxy.seen).toEqual([{ target: 'http://a.example/./x', authorization: undefined }]);
  expect(exchange.request.url).toBe('http://a.example/./x');
  await wire.close();
  await proxy.close();
});

test('a proxy that opens no tunnel makes the target unreachable, and is named', async () => {
  const asking = await connectProxy({ tunnel: 407 });
  const closing = await rawServer(() => undefined, { tls: false, onConnection: (socket) => socket.destroy() });
  const silent = await rawServer(() => undefined, { tls: false });
  const untrusted = await rawServer(() => undefined);
  for (const [url, said] of [
    [`http://127.0.0.1:${asking.port}`, /^the proxy answered CONNECT a.example:443 with 407: put user:password@ into/],
    [
      `http://me:s3cretword@127.0.0.1:${asking.port}`,
      /with 407: it does not take the user and password in HTTPS_PROXY$/,
    ],
    [`http://127.0.0.1:${closing.port}`, /^the proxy did not open a tunnel: /],
    [`http://127.0.0.1:${silent.port}`, /^the proxy 127.0.0.1:\d+ gave no connection within 300 ms/],
    [`https://127.0.0.1:${untrusted.port}`, /^the proxy 127.0.0.1:\d+ cannot be used: .*certificate/],
    ['http://127.0.0.1:1', /^the proxy 127.0.0.1:1 cannot be used: the connection was refused/],
  ] as const) {
    // Short for the one of whom nothing is expected.
    const timeoutMs = url.endsWith(`:${silent.port}`) ? 300 : 30_000;
    const wire = wireFor({ origin: 'https://a.example', ca: '' }, { proxy: { url, noProxy: '' }, timeoutMs });
    const { error } = lastOf(await wire.send(probe('https://a.example')));
    expect(error).toEqual({ code: 'unreachable', message: expect.stringMatching(said), atProxy: true });
    await wire.close();
  }
  await Promise.all([asking.close(), closing.close(), silent.close(), untrusted.close()]);
});

test('knows what NO_PROXY leaves out', () => {
  const yes = ['*', 'a.example', 'example', '.example', '*.example', 'x, a.example:443', 'A.EXAMPLE'];
  for (const entry of yes) expect(bypassesProxy(entry, 'a.example', 443), entry).toBe(true);
  for (const entry of ['', 'b.example', 'ple', 'a.example:80', '10.0.0.0/8']) {
    expect(bypassesProxy(entry, 'a.example', 443), entry).toBe(false);
  }
  expect(bypassesProxy('10.0.0.0/8', '10.1.2.3', 443)).toBe(true);
  expect(bypassesProxy('::1', '::1', 443)).toBe(true);
  expect(bypassesProxy('[::1]:443', '::1', 443)).toBe(true);
  expect(bypassesProxy('127.0.0.1', '127.0.0.1', 443)).toBe(true);
});

test('reads once over HTTP/2', async () => {
  const pems = await certificate();
  const server = http2.createSecureServer({ ...pems });
  const seen: http2.IncomingHttpHeaders[] = [];
  server.on('stream', (stream, headers) => {
    seen.push(headers);
    stream.respond({ ':status': 200, 'content-type': 'application/json', 'set-cookie': ['a=1; Path=/', 'b=2'] });
    stream.end(`{"key": "${testKey}"}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const origin = `https://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const wire = wireFor({ origin, ca: pems.cert });
  const exchange = await wire.send(probe(origin, { protocol: 'h2', target: '/a/./b?c=%2e', headers: withKey }));
  const { response, tls } = lastOf(exchange);
  expect(response).toMatchObject({ status: 200, httpVersion: '2.0', body: '{"key": "<API_KEY>"}' });
  expect(response?.headers).toContainEqual(['set-cookie', 'a=<cookie>; Path=/']);
  expect(tls?.alpn).toBe('h2');
  expect(seen[0]?.[':path']).toBe('/a/./b?c=%2e');
  expect(seen[0]?.authorization).toBe(`Token ${testKey}`);
  expect(exchange.connection.protocol).toBe('h2');
  await wire.close();
  server.close();
});

test('sends an unkeyed request over the HTTP/2 connection that has just carried the key, unless the server ends it', async () => {
  const pems = await certificate();
  const seen: [session: unknown, hasKey: boolean][] = [];
  const server = http2.createSecureServer({ ...pems });
  server.on('stream', (stream, { authorization, ':path': path }) => {
    seen.push([stream.session, authorization !== undefined]);
    stream.respond({ ':status': 200 });
    stream.end('{}', () => path === '/ends' && stream.session?.goaway());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const origin = `https://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const wire = wireFor({ origin, ca: pems.cert });
  const after = async (target: string) => {
    const keepFor = {};
    await wire.send(probe(origin, { protocol: 'h2', target, headers: withKey }), { keepFor });
    await setImmediate();
    return lastOf(await wire.send(probe(origin, { protocol: 'h2', target, connection: 'keyed' }), { after: keepFor }));
  };
  expect((await after('/stays')).response?.status).toBe(200);
  expect(seen.map(([session, hasKey]) => [session === seen[0]?.[0], hasKey])).toEqual([
    [true, true],
    [true, false],
  ]);
  expect((await after('/ends')).error?.code).toBe('no-keyed-connection');
  await wire.close();
  server.close();
});

test('says when there is no HTTP/2', async () => {
  const server = await rawServer(() => answer(200));
  const picky = await rawServer(() => answer(200), { tls: { ALPNProtocols: ['http/1.1'] } });
  for (const { origin, ca } of [server, picky]) {
    const wire = wireFor({ origin, ca });
    const exchange = await wire.send(probe(origin, { protocol: 'h2' }));
    expect(lastOf(exchange).error?.code).toBe('no-h2');
    await wire.close();
  }
  await Promise.all([server.close(), picky.close()]);
});

test('speaks HTTP/2 without TLS by prior knowledge', async () => {
  const seen: unknown[] = [];
  const server = http2.createServer((request, response) => {
    const { ':scheme': scheme, ':authority': authority } = request.headers;
    seen.push({ scheme, authority });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const authority = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const wire = wireFor({ origin: 'https://a.example', ca: '' }, { httpBaseUrl: `http://${authority}` });
  const exchange = await wire.send(probe(`http://${authority}`, { protocol: 'h2', connection: 'fresh' }));
  expect(lastOf(exchange).response?.status).toBe(200);
  expect(seen).toEqual([{ scheme: 'http', authority }]);
  await wire.close();
  server.close();
});

for (const [name, respond] of Object.entries<(socket: Socket) => unknown>({
  'answers over HTTP/1.1': (socket) => socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'),
  'closes the connection': (socket) => socket.destroy(),
  'says nothing': () => undefined,
}))
  test(`a server without TLS that ${name} speaks no HTTP/2, and is not asked for it for ever`, async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined).once('data', () => respond(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const wire = wireFor({ origin: 'https://a.example', ca: '' }, { httpBaseUrl: origin, timeoutMs: 300 });
    for (let round = 1; round < 6; round += 1) {
      const exchange = await wire.send(probe(origin, { protocol: 'h2', connection: 'fresh', round }));
      expect(exchange.attempts.map(({ error }) => error?.code)).toEqual(['no-h2']);
    }
    expect(connections).toBe(3);
    await wire.close();
    server.close();
  });

test('says when there is no HTTP/2 where a server aborts the handshake that offers nothing else', async () => {
  const hellos: string[][] = [];
  const server = await rawServer(() => answer(200), {
    tls: {
      ALPNCallback: ({ protocols }) => {
        hellos.push(protocols);
        if (protocols.includes('http/1.1')) return 'http/1.1';
        for (const socket of server.dialled) socket.destroy();
        return undefined;
      },
    },
  });
  const wire = wireFor(server);
  const exchange = await wire.send(probe(server.origin, { protocol: 'h2' }));
  expect(hellos).toEqual([['h2', 'http/1.1']]);
  expect(lastOf(exchange).error?.code).toBe('no-h2');
  expect(lastOf(exchange).tls?.alpn).toBe('http/1.1');
  expect(server.heads).toEqual([]);
  await wire.close();
  await server.close();
});

test('says when there is nothing but HTTP/2', async () => {
  const modern = await rawServer(() => answer(200), { tls: { ALPNProtocols: ['h2'] } });
  const wire = wireFor({ origin: modern.origin, ca: modern.ca });
  const exchange = await wire.send(probe(modern.origin));
  expect(lastOf(exchange).error).toEqual({
    code: 'tls',
    message: 'the server does not speak HTTP/1.1, which is what this suite judges',
  });
  await wire.close();
  await modern.close();
});
