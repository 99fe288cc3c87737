import zlib from 'node:zlib';
import type { WireOptions } from '../../../src/wire/attempt.js';
import { KeyRing } from '../../../src/wire/keyring.js';
import { withheldText } from '../../../src/wire/redaction.js';
import type { Probe, Response } from '../../../src/wire/types.js';
import { answer, type OnHead, rawServer } from '../support/raw-server.js';
import { expect, test } from '../support/test.js';
import { lastOf, probe, testKey, wireFor } from '../support/wires.js';

const read = async (
  onHead: OnHead,
  changes: Partial<Probe> = {},
  options: Partial<WireOptions> = {},
): Promise<Response> => {
  const server = await rawServer(onHead);
  const wire = wireFor(server, options);
  const { response, error } = lastOf(await wire.send(probe(server.origin, changes)));
  await wire.close();
  await server.close();
  if (!response) throw new Error(`${error?.code}: ${error?.message}`);
  return response;
};

const body = '{"name": "squat", "sets": 5}';
const chunked = (text: string): string =>
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n${[...text]
    .map((c) => `1\r\n${c}\r\n`)
    .join('')}0\r\n\r\n`;

const framings: Record<string, OnHead> = {
  'Content-Length': () => answer(200, body),
  chunks: () => chunked(body),
  'the end of the connection': (_head, { socket }) => void socket.end(`HTTP/1.1 200 OK\r\n\r\n${body}`),
  'HTTP/1.0': (_head, { socket }) => void socket.end(`HTTP/1.0 200 OK\r\n\r\n${body}`),
  'a few 1xx in front': () => `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${answer(200, body)}`,
};
for (const [name, onHead] of Object.entries(framings)) {
  test(`reads a body framed by ${name}`, async () => {
    const response = await read(onHead);
    expect(response.body).toBe(body);
    expect(response.shape.truncated).toBe(false);
  });
}

test('withholds a body that spells the key in other groups, and compares nothing of it but the whole', async () => {
  const groups = testKey.match(/.{1,5}/g)?.join('.') ?? '';
  const [one, other] = await Promise.all(
    ['squat', 'lunge'].map((name) => read(() => answer(200, JSON.stringify({ name, sets: 54_321, key: groups })))),
  );
  expect(one?.body).toBe(withheldText);
  expect(one?.shape).toMatchObject({ kind: 'text', capped: true, values: [] });
  expect(one?.shape.shape).toBeUndefined();
  expect(one?.shape.digest).not.toBe(other?.shape.digest);
});

const codings: Record<string, Buffer> = {
  gzip: zlib.gzipSync(body),
  'x-gzip': zlib.gzipSync(body),
  deflate: zlib.deflateSync(body),
  Deflate: zlib.deflateRawSync(body),
  br: zlib.brotliCompressSync(body),
  identity: Buffer.from(body),
  'gzip, br': zlib.brotliCompressSync(zlib.gzipSync(body)),
};
for (const [coding, bytes] of Object.entries(codings)) {
  test(`decodes ${coding}`, async () => {
    const response = await read(() => answer(200, bytes, [`Content-Encoding: ${coding}`]));
    expect(response.body).toBe(body);
    expect(response.note).toBeUndefined();
  });
}

for (const [coding, compress] of [
  ['gzip', (bytes: Buffer) => zlib.gzipSync(bytes, { level: 1 })],
  ['br', (bytes: Buffer) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 2 } })],
] as const) {
  test(`stops a ${coding} bomb at the cap`, async () => {
    const bomb = compress(Buffer.alloc(200 * 1024 * 1024));
    const before = process.memoryUsage.rss();
    const response = await read(() => answer(200, bomb, [`Content-Encoding: ${coding}`]), {}, { timeoutMs: 120_000 });
    expect(response.shape.truncated).toBe(true);
    expect(response.shape.size).toBe(4_194_304);
    expect(process.memoryUsage.rss() - before).toBeLessThan(150_000_000);
  });
}

test('uses what decoded of a broken coding, and says so', async () => {
  const broken = zlib.gzipSync(body);
  broken.fill(0xff, broken.length - 8);
  const response = await read(() => answer(200, broken, ['Content-Encoding: gzip']));
  expect(response.body).toBe(body);
  expect(response.note).toBe('the body is not the gzip that Content-Encoding says');
  const plain = await read(() => answer(200, body, ['Content-Encoding: gzip']));
  expect(plain.body).toBe(body);
  expect(plain.note).toBeDefined();
  const unknown = await read(() => answer(200, body, ['Content-Encoding: zstd']));
  expect(unknown.note).toBe('the content coding zstd is not known');
});

test('cuts a body at the cap, and a key that stands across it', async () => {
  const cap = 1000;
  const long = `${'.'.repeat(cap - 20)}${testKey}${'.'.repeat(5000)}`;
  const response = await read(() => answer(200, long), {}, { bodyCap: cap });
  expect(response.shape.truncated).toBe(true);
  expect(response.body).toBe(`${'.'.repeat(cap - 20)}<API_KEY:first-half>`);
  const endless = await read(
    (_head, { socket }) => {
      const pour = (): void => {
        if (!socket.destroyed) socket.write('x'.repeat(65_536), () => setImmediate(pour));
      };
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      pour();
      return undefined;
    },
    {},
    { bodyCap: cap },
  );
  expect(endless.shape.size).toBe(cap);
});

test('never waits for a body that does not come', async () => {
  const promised = ['Content-Length: 500', 'Content-Type: application/json'].join('\r\n');
  for (const [status, method] of [
    [200, 'HEAD'],
    [204, 'GET'],
    [304, 'GET'],
  ] as const) {
    const response = await read(() => `HTTP/1.1 ${status} X\r\n${promised}\r\n\r\n`, { method });
    expect(response.status).toBe(status);
    expect(response.shape.kind).toBe('empty');
  }
  const talkative = await read(() => `${answer(200, body)}more than was promised`);
  expect(talkative.body).toBe(body);
  const overridden = await read(() => answer(200, body), {
    method: 'HEAD',
    headers: [['X-HTTP-Method-Override', 'GET']],
  });
  expect(overridden.body).toBeUndefined();
});

test('keeps 16,384 characters of text, and none of what is no text', async () => {
  const long = await read(() => answer(200, 'a'.repeat(100_000), ['Content-Type: text/plain']));
  expect(long.body).toHaveLength(16_384);
  expect(long.truncated).toBe(true);
  expect(long).toMatchObject({ size: 100_000, shape: { size: 100_000, truncated: false } });
  const binary = await read(() => answer(200, Buffer.from([0, 255, 254, 1]), ['Content-Type: image/png']));
  expect(binary.body).toBeUndefined();
  const repeated = Buffer.from('{"path":"/\xc1\xb7x"}', 'latin1');
  expect((await read(() => answer(200, repeated, ['Content-Type: application/json']))).shape.kind).toBe('json');
});

test('stores no key that stands in the media type, or that parsing a body brings to light', async () => {
  const letters = 'QmxKpLwZtRvBnHsDfGjkQwYc';
  const escaped = [...letters].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join('');
  const hidden = `{"${escaped}": 1, "list": [{"a": 2}]}`;
  const keys = new KeyRing({ keys: { API_KEY: letters } });
  for (const [type, said] of [
    [`application/${letters.toLowerCase()}`, '{}'],
    ['application/json', JSON.stringify({ state: Buffer.from(hidden).toString('base64') })],
    ['application/json', JSON.stringify({ state: btoa(btoa(hidden)) })],
    ['text/plain', `state=${encodeURIComponent(hidden)}`],
    ['text/plain', `state=${encodeURIComponent(encodeURIComponent(hidden))}`],
    ['text/plain', `no ${[...letters].join('\0')} ${'and so on '.repeat(100)}`],
  ] as const) {
    const { shape, ...response } = await read(() => answer(200, said, [`Content-Type: ${type}`]), {}, { keys });
    expect(JSON.stringify(shape).toLowerCase(), said).not.toContain(letters.toLowerCase());
    if (said.includes('\0')) expect(response.body).toBe(withheldText);
  }
});

const event = (row: object, at: number): string => `event: row\nid: ${at}\ndata: ${JSON.stringify(row)}\n\n`;
const rows = [
  { id: 5501, name: 'squat' },
  { id: 5502, name: 'lunge' },
];
const streams: Readonly<Record<string, string>> = {
  'with a name and a number for each event': rows.map(event).join(''),
  'with comments, and a mark at the end': `: ping\n\n${rows.map(event).join(': ping\n\n')}data: [DONE]\n\n`,
  'with data in several lines that end in CRLF': rows
    .map((row) => JSON.stringify(row, undefined, 2).replace(/^/gm, 'data: ').replaceAll('\n', '\r\n'))
    .join('\r\n\r\n'),
  'that breaks off in an event': `${rows.map(event).join('')}data: {"id": 5503, "na`,
};
for (const [name, stream] of Object.entries(streams))
  test(`reads an event stream ${name} as rows`, async () => {
    const typed = (type: string, text: string): string =>
      `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
    const [seen, json] = await Promise.all([
      read(() => typed('text/event-stream', stream)),
      read(() => typed('application/json', JSON.stringify(rows))),
    ]);
    expect(seen.shape.kind).toBe('json');
    if (name.includes('breaks off')) expect(seen.shape).toMatchObject({ broken: true });
    else expect(seen.shape.shape).toEqual(json.shape.shape);
  });

const escapes: Readonly<Record<string, (code: number) => string>> = {
  'with \\u, as Django’s escapejs writes it': (code) => `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`,
  'with \\x': (code) => `\\x${code.toString(16).padStart(2, '0')}`,
};
for (const [how, escaped] of Object.entries(escapes))
  test(`finds JSON in a string of a script that is escaped ${how}`, async () => {
    const literal = JSON.stringify(rows[0]).replace(/["'<>=&;{}-]/g, (character) => escaped(character.charCodeAt(0)));
    const page = (script: string): string =>
      `HTTP/1.1 401 -\r\nContent-Type: text/html\r\n\r\n<html><script>${script}</script></html>`;
    const at = async (script: string) =>
      (await read((_head, { socket }) => void socket.end(page(script)))).shape.embedded;
    const plain = await at(`load(${JSON.stringify(rows[0])})`);
    expect(plain).toHaveLength(1);
    expect(await at(`load('${literal}')`)).toEqual(plain);
  });
