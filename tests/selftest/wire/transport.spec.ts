import type { HeaderPair, WireErrorCode } from '../../../src/wire/types.js';
import { certificate } from '../support/certificates.js';
import { atSomeDeadline } from '../support/deadlines.js';
import { headers, http2Server } from '../support/raw-http2.js';
import { answer, type OnHead, type RawServerOptions, rawServer } from '../support/raw-server.js';
import { expect, inCi, test } from '../support/test.js';
import { lastOf, probe, testKey, wireFor, withKey } from '../support/wires.js';

interface Case {
  readonly code: WireErrorCode;
  readonly attempts: number;
  readonly onHead?: OnHead;
  readonly options?: RawServerOptions;
  readonly sent?: readonly HeaderPair[];
  readonly message?: RegExp;
}

const reset: OnHead = (_head, { socket }) => void socket.destroy();

const cases: Record<string, Case> = {
  'closed without an answer': { code: 'reset', attempts: 6, onHead: reset },
  'closed in the head': {
    code: 'reset',
    attempts: 6,
    onHead: (_head, { socket }) => void socket.end('HTTP/1.1 200 OK\r\nContent-'),
  },
  'closed in the body': {
    code: 'reset',
    attempts: 6,
    onHead: (_head, { socket }) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'),
  },
  'closed in a chunk': {
    code: 'reset',
    attempts: 6,
    onHead: (_head, { socket }) => void socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc'),
  },
  'never answered': { code: 'headers-timeout', attempts: 2, onHead: () => undefined },
  // The server may wait for the other protocol.
  'never answered, with Upgrade': {
    code: 'headers-timeout',
    attempts: 1,
    onHead: () => undefined,
    sent: [['Upgrade', 'websocket']],
  },
  // The server may wait for the content.
  'told to continue, and never answered': {
    code: 'headers-timeout',
    attempts: 1,
    onHead: () => 'HTTP/1.1 100 Continue\r\n\r\n',
    sent: [['Expect', '100-continue']],
  },
  'a head that never ends': {
    code: 'headers-timeout',
    attempts: 2,
    onHead: () => 'HTTP/1.1 200 OK\r\nX-A: b\r\n',
  },
  'a body that never ends': {
    code: 'body-timeout',
    attempts: 2,
    onHead: () => 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc',
  },
  'a body that drips': {
    code: 'body-timeout',
    attempts: 2,
    onHead: (_head, { socket }) => {
      const drip = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(drip));
      return 'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n';
    },
  },
  'a body of which nothing comes': {
    code: 'body-timeout',
    attempts: 2,
    onHead: () => 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n',
  },
  'no HTTP': { code: 'not-http', attempts: 1, onHead: () => 'SSH-2.0-OpenSSH_9.6\r\n' },
  'a broken chunk size': {
    code: 'not-http',
    attempts: 1,
    onHead: () => 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n',
  },
  'a huge header section': {
    code: 'too-large',
    attempts: 1,
    onHead: () => `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(70_000)}\r\n\r\n`,
  },
  'a flood of 1xx': {
    code: 'not-http',
    attempts: 1,
    onHead: () => 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000),
    message: /informational/,
  },
  'TLS that is none': { code: 'tls', attempts: 1, options: { tls: false } },
};

for (const [name, { code, attempts, onHead = () => answer(200), options = {}, sent = [], message }] of Object.entries(
  cases,
)) {
  test(`${name} is ${code} after ${attempts}`, async () => {
    const server = await rawServer(onHead, {
      onConnection: options.tls === false ? (socket) => void socket.write('HTTP/1.1 400 no\r\n\r\n') : () => undefined,
      ...options,
    });
    const within = async (limits: { timeoutMs?: number }): Promise<void> => {
      const wire = wireFor(server, limits);
      const origin = server.origin.replace('http:', 'https:');
      const exchange = await wire.send(probe(origin, { connection: 'fresh', headers: sent }));
      await wire.close();
      expect(exchange.attempts.map(({ error }) => error?.code)).toEqual(Array(attempts).fill(code));
      if (code.endsWith('timeout'))
        expect(lastOf(exchange).error?.message).toMatch(/^no full .* within \d+ ms, which TIMEOUT_MS extends$/);
      if (message) expect(lastOf(exchange).error?.message).toMatch(message);
      expect(wire.requestsSent).toBe(code === 'tls' ? 0 : attempts);
    };
    // The connection, and for some the header section, has to come before the deadline.
    await (code.endsWith('timeout') ? atSomeDeadline((timeoutMs) => within({ timeoutMs })) : within({}));
    await server.close();
  });
}

test('a defect is no reset: it is not sent again, and says what it is without the key', async () => {
  const server = await rawServer(() => answer(200));
  let isSound = false;
  const wire = wireFor(server, {
    concurrency: 1,
    inspect: () => {
      if (isSound) return undefined;
      throw new TypeError(`${testKey} is no function`);
    },
  });
  const broken: unknown = await wire.send(probe(server.origin)).catch((error: unknown) => error);
  expect(broken).toBeInstanceOf(TypeError);
  expect(broken).toMatchObject({ message: '<API_KEY> is no function' });
  expect(broken instanceof Error ? broken.stack : '').not.toContain(testKey);
  expect(server.heads).toHaveLength(1);
  // Its place in the line is free again.
  isSound = true;
  expect(lastOf(await wire.send(probe(server.origin))).response?.status).toBe(200);
  await wire.close();
  await server.close();
});

test('a defect is seen over HTTP/2 too', async () => {
  const server = await http2Server([headers([[':status', '200']], true)]);
  const wire = wireFor(server);
  // Node sends some fields once only.
  const twice = probe(server.origin, {
    protocol: 'h2',
    headers: [
      ['Range', 'bytes=0-1'],
      ['Range', 'bytes=0-2'],
    ],
  });
  await expect(wire.send(twice)).rejects.toThrow(TypeError);
  expect(lastOf(await wire.send(probe(server.origin, { protocol: 'h2' }))).response?.status).toBe(200);
  await wire.close();
  await server.close();
});

test('nobody listens: refused after 2', async () => {
  const server = await rawServer(() => undefined);
  await server.close();
  const wire = wireFor(server);
  const exchange = await wire.send(probe(server.origin));
  expect(exchange.attempts.map(({ error }) => error?.code)).toEqual(['refused', 'refused']);
  expect(wire.requestsSent).toBe(0);
  await wire.close();
});

test('a name that does not exist is unreachable', async () => {
  const wire = wireFor({ origin: 'https://nowhere.invalid', ca: '' });
  const exchange = await wire.send(probe('https://nowhere.invalid', { headers: withKey }));
  expect(lastOf(exchange).error?.code).toBe('unreachable');
  await wire.close();
});

test('a handshake that never ends is connect-timeout', async () => {
  const server = await rawServer(() => undefined, { tls: false });
  // Short, since nothing has to happen within it.
  const wire = wireFor(server, { timeoutMs: 200 });
  const exchange = await wire.send(probe(server.origin.replace('http:', 'https:')));
  expect(exchange.attempts.map(({ error }) => error?.code)).toEqual(['connect-timeout', 'connect-timeout']);
  expect(lastOf(exchange).error?.message).toBe(
    'the connection is taken, and no TLS handshake ends within 200 ms, which TIMEOUT_MS extends',
  );
  await wire.close();
  await server.close();
});

test('where no connection was opened in time twice, none is attempted again', async () => {
  const server = await rawServer(() => undefined, { tls: false });
  const wire = wireFor(server, { timeoutMs: 200 });
  const origin = server.origin.replace('http:', 'https:');
  await wire.send(probe(origin));
  const [attempt, ...more] = (await wire.send(probe(origin, { round: 2 }))).attempts;
  expect(attempt?.error).toMatchObject({ code: 'connect-timeout', earlierMs: expect.any(Number) });
  expect(attempt?.error?.earlierMs).toBeGreaterThanOrEqual(199);
  expect(more).toEqual([]);
  await wire.close();
  await server.close();
});

test('an endpoint that was reached before is tried again after timeouts', async () => {
  let isSilent = false;
  const server = await rawServer(() => (isSilent ? undefined : answer(200)), { tls: false });
  const wire = wireFor(server, { timeoutMs: 200 });
  expect(lastOf(await wire.send(probe(server.origin))).response?.status).toBe(200);
  isSilent = true;
  const attempts: number[] = [];
  for (const round of [2, 3, 4]) {
    const exchange = await wire.send(probe(server.origin, { round }));
    expect(lastOf(exchange).error?.code).toBe('headers-timeout');
    attempts.push(exchange.attempts.length);
  }
  // Over plain HTTP, silence in a row is taken for an answer.
  expect(attempts).toEqual([2, 2, 1]);
  isSilent = false;
  expect(lastOf(await wire.send(probe(server.origin, { round: 5 }))).response?.status).toBe(200);
  await wire.close();
  await server.close();
});

test('plain HTTP to the TLS port is an answer or an error, never a hang', async () => {
  const server = await rawServer(() => answer(200));
  const wire = wireFor(server);
  const exchange = await wire.send(probe(server.origin.replace('https:', 'http:')));
  expect(['not-http', 'reset']).toContain(lastOf(exchange).error?.code);
  expect(server.heads).toHaveLength(0);
  await wire.close();
  await server.close();
});

test('plain HTTP works, keep-alive too', async () => {
  const server = await rawServer(() => answer(200), { tls: false });
  const wire = wireFor({ origin: 'https://127.0.0.1', ca: '' });
  await wire.send(probe(server.origin));
  const second = await wire.send(probe(server.origin, { round: 2 }));
  expect(lastOf(second).response?.status).toBe(200);
  expect(lastOf(second).tls).toBeUndefined();
  expect(second.connection.reused).toBe(true);
  await wire.close();
  await server.close();
});

for (const status of [502, 503, 504]) {
  test(`${status} is tried three times, then stands`, async () => {
    const server = await rawServer(() => answer(status));
    const wire = wireFor(server);
    const exchange = await wire.send(probe(server.origin));
    expect(exchange.attempts.map(({ response }) => response?.status)).toEqual([status, status, status]);
    await wire.close();
    await server.close();
  });
}

test('a reset that passes is forgiven, and recorded', async () => {
  const server = await rawServer((head, peer) => (peer.connection <= 2 ? reset(head, peer) : answer(200)));
  const wire = wireFor(server);
  const exchange = await wire.send(probe(server.origin));
  expect(exchange.attempts.map(({ error, response }) => error?.code ?? response?.status)).toEqual([
    'reset',
    'reset',
    200,
  ]);
  await wire.close();
  await server.close();
});

test('whom a server resets each time is tried six times for three requests, and then twice', inCi, async () => {
  const server = await rawServer((head, peer) => (head.includes('nobody') ? answer(200) : reset(head, peer)));
  const wire = wireFor(server);
  const attempts = async (round: number, target = '/'): Promise<number> =>
    (await wire.send(probe(server.origin, { round, target }))).attempts.length;
  for (const [round, expected] of [6, 6, 6, 2, 2].entries()) expect(await attempts(round + 1)).toBe(expected);
  expect(await attempts(6, '/nobody')).toBe(1);
  // The first try finds the idle connection closed.
  expect(await attempts(7), 'answered at once, so no other attempt has helped').toBe(3);
  await wire.close();
  await server.close();
});

test('plain HTTP that resets is tried twice for two requests, and then once', async () => {
  const server = await rawServer(reset, { tls: false });
  const wire = wireFor(server);
  const attempts = [1, 2, 3, 4, 5].map(
    (round) => () => wire.send(probe(server.origin, { round })).then((exchange) => exchange.attempts.length),
  );
  const seen: number[] = [];
  for (const attempt of attempts) seen.push(await attempt());
  expect(seen).toEqual([2, 2, 1, 1, 1]);
  await wire.close();
  await server.close();
});

test('an idle connection that the server closed meanwhile is not an answer', async () => {
  const server = await rawServer((head, peer) => (peer.request === 2 ? reset(head, peer) : answer(200)));
  const wire = wireFor(server);
  await wire.send(probe(server.origin));
  const exchange = await wire.send(probe(server.origin, { round: 2 }));
  expect(exchange.attempts.map(({ error, response }) => error?.code ?? response?.status)).toEqual(['reset', 200]);
  expect(exchange.connection.reused).toBe(false);
  await wire.close();
  await server.close();
});

test('bytes that nobody asked for never become the next answer', async () => {
  let sendStray = (): unknown => undefined;
  const server = await rawServer((_head, { request, socket }) => {
    if (request === 1) sendStray = () => socket.write(answer(500, '"stray"'));
    return answer(200);
  });
  const wire = wireFor(server);
  await wire.send(probe(server.origin));
  sendStray();
  await expect.poll(() => server.open.size).toBe(0);
  const exchange = await wire.send(probe(server.origin, { round: 2 }));
  expect(lastOf(exchange).response?.status).toBe(200);
  expect(server.connections).toBe(2);
  await wire.close();
  await server.close();
});

test('a standstill of this process is no lateness of the server', async () => {
  await atSomeDeadline(async (timeoutMs) => {
    const server = await rawServer(() => {
      if (server.heads.length === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * timeoutMs);
      return answer(200);
    });
    const wire = wireFor(server, { timeoutMs });
    const exchange = await wire.send(probe(server.origin));
    await Promise.all([wire.close(), server.close()]);
    expect(exchange.attempts.map(({ error, response }) => error?.code ?? response?.status)).toEqual([200]);
  });
});

test('abort ends everything at once', async () => {
  const server = await rawServer(() => undefined);
  const stop = new AbortController();
  // Longer than a test may take: what does not end by the signal does not end.
  const wire = wireFor(server, { signal: stop.signal, timeoutMs: 3_600_000, concurrency: 2 });
  const sent = [1, 2, 3, 4].map((round) => wire.send(probe(server.origin, { round })));
  await expect.poll(() => server.heads.length).toBe(2);
  stop.abort();
  for (const exchange of await Promise.all(sent)) expect(lastOf(exchange).error?.code).toBe('aborted');
  expect(lastOf(await wire.send(probe(server.origin, { round: 9 }))).error?.code).toBe('aborted');
  await server.close();
});

test('RESOLVE sends a name to an address, with its own name in SNI and Host', async () => {
  let servername: string | undefined;
  const pems = await certificate({ names: ['api.example'], addresses: [] });
  const server = await rawServer(() => answer(200), {
    tls: {
      certificate: pems,
      SNICallback: (name, done) => {
        servername = name;
        done(null);
      },
    },
  });
  const origin = `https://api.example:${server.port}`;
  const wire = wireFor(
    { origin, ca: pems.cert },
    { resolve: [{ host: 'api.example', port: server.port, address: '127.0.0.1' }] },
  );
  const exchange = await wire.send(probe(origin, { headers: withKey }));
  expect(lastOf(exchange).response?.status).toBe(200);
  expect(server.heads[0]).toContain(`Host: api.example:${server.port}\r\n`);
  expect(servername).toBe('api.example');
  await wire.close();
  await server.close();
});

test('IPv6 literals work', async () => {
  const server = await rawServer(() => answer(200), { host: '::1' });
  const wire = wireFor(server);
  const exchange = await wire.send(probe(server.origin, { headers: withKey }));
  expect(lastOf(exchange).response?.status).toBe(200);
  expect(server.heads[0]).toContain(`Host: [::1]:${server.port}\r\n`);
  expect(exchange.connection.address).toBe(`[::1]:${server.port}`);
  await wire.close();
  await server.close();
});

test('messages, header names and status lines that carry the key are redacted', async () => {
  const server = await rawServer(() =>
    answer(200, JSON.stringify({ [testKey]: `you sent ${testKey}` }), [
      `X-${testKey}: ${testKey.toUpperCase()}`,
      `Set-Cookie: sid=${testKey}-secret; Path=/; HttpOnly`,
      `Location: /?key=${testKey}`,
    ]),
  );
  const wire = wireFor(server);
  const exchange = await wire.send(probe(server.origin, { headers: withKey }));
  expect(JSON.stringify(exchange).toLowerCase()).not.toContain(testKey);
  const headers = lastOf(exchange).response?.headers ?? [];
  expect(headers).toContainEqual(['Set-Cookie', 'sid=<cookie>; Path=/; HttpOnly']);
  expect(headers).toContainEqual(['Location', '/?key=<API_KEY>']);
  expect(lastOf(exchange).response?.body).toBe('{"<API_KEY>":"you sent <API_KEY>"}');
  await wire.close();
  await server.close();
});

test(
  'resets that no other attempt ever helped count as on purpose, whatever is answered in between',
  inCi,
  async () => {
    let flaws = 0;
    const server = await rawServer((head, peer) => {
      if (head.includes('/odd')) return reset(head, peer);
      if (!head.includes('/flawed') || flaws === 0) return answer(200);
      flaws -= 1;
      return reset(head, peer);
    });
    const wire = wireFor(server);
    const attempts = async (target: string, round: number) =>
      (await wire.send(probe(server.origin, { target, round, connection: 'fresh' }))).attempts.length;
    const seen: number[] = [];
    for (const round of [1, 2, 3, 4]) {
      seen.push(await attempts('/odd', round));
      await attempts('/', round);
    }
    expect(seen).toEqual([6, 6, 6, 2]);
    flaws = 1;
    expect(await attempts('/flawed', 1)).toBe(2);
    expect(await attempts('/odd', 5), 'once another attempt has helped').toBe(6);
    await wire.close();
    await server.close();
  },
);
