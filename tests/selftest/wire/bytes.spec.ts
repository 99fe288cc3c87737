import { tool } from '../../../src/package.js';
import type { HeaderPair, Probe } from '../../../src/wire/types.js';
import { answer, type RawServer, rawServer } from '../support/raw-server.js';
import { expect, test } from '../support/test.js';
import { lastOf, probe, testKey, wireFor, withKey } from '../support/wires.js';

let server: RawServer;
test.beforeEach(async () => {
  server = await rawServer(() => answer(200));
});
test.afterEach(() => server.close());

const headOf = async (changes: Partial<Probe>): Promise<string> => {
  const wire = wireFor(server);
  const exchange = await wire.send(probe(server.origin, changes));
  await wire.close();
  expect(lastOf(exchange).error).toBeUndefined();
  return server.heads.at(-1) ?? '';
};

test('sends the fields that every request has, and no others', async () => {
  expect(await headOf({})).toBe(
    `GET /api/v2/workout/ HTTP/1.1\r\nHost: ${server.origin.slice(8)}\r\nUser-Agent: access-conformance/${tool.version}\r\n` +
      'Accept: application/json, */*;q=0.8\r\nAccept-Encoding: gzip, deflate, br\r\nConnection: keep-alive\r\n\r\n',
  );
});

test('says close on a connection of its own', async () => {
  expect(await headOf({ connection: 'fresh' })).toContain('\r\nConnection: close\r\n');
});

test('leaves out a User-Agent without a value', async () => {
  expect(await headOf({ headers: [['User-Agent', '']] })).toBe(
    `GET /api/v2/workout/ HTTP/1.1\r\nHost: ${server.origin.slice(8)}\r\n` +
      'Accept: application/json, */*;q=0.8\r\nAccept-Encoding: gzip, deflate, br\r\nConnection: keep-alive\r\n\r\n',
  );
});

test('speaks HTTP/1.0, without the Host that it does not need', async () => {
  expect(await headOf({ protocol: 'http/1.0', connection: 'fresh', headers: [['Host', '']] })).toBe(
    `GET /api/v2/workout/ HTTP/1.0\r\nUser-Agent: access-conformance/${tool.version}\r\n` +
      'Accept: application/json, */*;q=0.8\r\nAccept-Encoding: gzip, deflate, br\r\nConnection: close\r\n\r\n',
  );
});

const targets = [
  '/./api/v2/workout/',
  '/api/../api/v2/workout/',
  '/api/v2/x/../workout/',
  '/api/v2/%2e%2E/workout/',
  '/api%2fv2%2Fworkout/',
  '//api//v2/workout/',
  '/api/v2/workout/..;/',
  '/api/v2/workout;x=1/',
  '/api/v2/%77orkout/',
  '/api/v2/%2577orkout/',
  '/API/V2/WORKOUT/',
  '/api/v2/workout',
  '/api/v2/workout/?format=json&a=%',
  '/api/v2/workout/?q[]={"a":"b|c"}^`',
  'http://127.0.0.1/api/v2/workout/',
  '*',
  '/api/v2/\\workout/#x',
];
for (const target of targets) {
  test(`sends the target ${target} as it is`, async () => {
    expect(await headOf({ target, method: target === '*' ? 'OPTIONS' : 'GET' })).toContain(` ${target} HTTP/1.1\r\n`);
  });
}

test('sends what is not ASCII as UTF-8', async () => {
  const head = await headOf({ target: '/é', headers: [['X-Name', 'ü']] });
  expect(Buffer.from(head, 'latin1').toString('utf8')).toContain('GET /é HTTP/1.1');
  expect(Buffer.from(head, 'latin1').toString('utf8')).toContain('X-Name: ü\r\n');
});

const fields: Record<string, readonly HeaderPair[]> = {
  'two Authorization fields in order': [
    ['Authorization', 'Token a'],
    ['Authorization', 'Token b'],
  ],
  'two spaces': [['Authorization', 'Token  a']],
  'a tab': [['Authorization', 'Token\ta']],
  'spaces around': [['Authorization', '  Token a  ']],
  'an empty value': [['Authorization', '']],
  'odd case and order': [
    ['x-B', '1'],
    ['AUTHORIZATION', 'tOKEN a'],
    ['x-A', '2'],
    ['X-b', '3'],
  ],
  'fields that Node knows': [
    ['Content-Type', 'application/json'],
    ['Cookie', 'a=1'],
    ['Cookie', 'b=2'],
    ['If-None-Match', '"x"'],
    ['Expect', ''],
  ],
};
for (const [name, headers] of Object.entries(fields)) {
  test(`sends ${name} byte for byte`, async () => {
    const head = await headOf({ headers });
    expect(head.endsWith(`${headers.map(([field, value]) => `${field}: ${value}\r\n`).join('')}\r\n`)).toBe(true);
    expect(head.split('\r\n').length).toBe(1 + 5 + headers.length + 2);
  });
}

test('lets a probe name the usual fields itself', async () => {
  const headers: HeaderPair[] = [
    ['accept', 'text/html'],
    ['User-Agent', 'Mozilla/5.0'],
    ['Host', 'other.example'],
    ['Accept-Encoding', 'identity'],
    ['Connection', 'close'],
  ];
  expect(await headOf({ headers })).toBe(
    'GET /api/v2/workout/ HTTP/1.1\r\naccept: text/html\r\nUser-Agent: Mozilla/5.0\r\nHost: other.example\r\n' +
      'Accept-Encoding: identity\r\nConnection: close\r\n\r\n',
  );
});

test('puts the key on the socket and its placeholder into the exchange', async () => {
  const wire = wireFor(server);
  const exchange = await wire.send(probe(server.origin, { headers: withKey }));
  await wire.close();
  expect(server.heads.at(-1)).toContain(`\r\nAuthorization: Token ${testKey}\r\n`);
  expect(exchange.request.headers.at(-1)).toEqual(['Authorization', 'Token <API_KEY>']);
  expect(exchange.id).toMatch(/^[0-9a-f]{12}$/);
  expect(JSON.stringify(exchange)).not.toContain(testKey);
});

test('sends HEAD and OPTIONS without content, POST with an empty one', async () => {
  expect(await headOf({ method: 'OPTIONS' })).not.toMatch(/content-length|transfer-encoding/i);
  const wire = wireFor(server, { unsafeMethods: true });
  await wire.send(probe(server.origin, { method: 'POST' }));
  await wire.close();
  expect(server.heads.at(-1)).toMatch(/^POST .*\r\nContent-Length: 0\r\n/s);
  expect(server.heads.at(-1)).not.toMatch(/transfer-encoding/i);
});
