import type { Attempt } from '../../../src/wire/types.js';
import { closing, data, goAway, headers, http2Server, reset, type Step } from '../support/raw-http2.js';
import { answer, rawServer } from '../support/raw-server.js';
import { expect, inCi, test } from '../support/test.js';
import { lastOf, probe, wireFor } from '../support/wires.js';

/** HTTP/2 over real sockets, frame by frame: it shows whatever HTTP/1.1 would show. */

const record = '{"name": "squat", "note": "after the long run", "weight": 81234}';
/** The beginning of a list of records. */
const part = `[${record}, `;
const json = ['content-type', 'application/json'] as const;
const head = headers([[':status', '200'], json]);

const over = async (
  server: Awaited<ReturnType<typeof rawServer>>,
  protocol: 'h2' | 'http/1.1',
  timeoutMs?: number,
): Promise<Attempt> => {
  const wire = wireFor(server, timeoutMs === undefined ? {} : { timeoutMs });
  const exchange = await wire.send(probe(server.origin, { protocol }));
  await wire.close();
  await server.close();
  return lastOf(exchange);
};

const overHttp2 = async (...frames: readonly Step[]): Promise<Attempt> => over(await http2Server(frames), 'h2');

const overHttp1 = async (bytes: string | Buffer): Promise<Attempt> =>
  over(await rawServer((_head, { socket }) => void socket.end(bytes)), 'http/1.1');

const withoutVersion = ({ partial, response }: Attempt) => {
  const { body, fields, shape, status } = partial ?? response ?? {};
  return { body, fields, shape, status };
};

const breaks: Readonly<Record<string, readonly Step[]>> = {
  'RST_STREAM with an error': [reset(2)],
  'RST_STREAM with CANCEL': [reset(8)],
  'RST_STREAM with NO_ERROR': [reset(0)],
  'the end of the connection': [closing],
  'GOAWAY with an error': [goAway(2), closing],
  'GOAWAY without one': [goAway(0), closing],
};

test('keeps what came of a body that breaks off', inCi, async () => {
  const broken = await overHttp1(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n${part}`,
  );
  expect(broken.partial?.body).toBe(part);
  await Promise.all(
    Object.entries(breaks).map(async ([name, steps]) => {
      const seen = await overHttp2(head, data(part), ...steps);
      expect(seen.response, name).toBeUndefined();
      expect(seen.error?.code, name).toBe('reset');
      expect(seen.partial?.httpVersion, name).toBe('2.0');
      expect(withoutVersion(seen), name).toEqual(withoutVersion(broken));
    }),
  );
});

test('sees no answer where nothing came of the body', async () => {
  await Promise.all(
    [[], [head]].flatMap((before) =>
      Object.entries(breaks).map(async ([name, steps]) => {
        const seen = await overHttp2(...before, ...steps);
        expect(seen.error?.code, name).toBe('reset');
        expect(seen.partial ?? seen.response, name).toBeUndefined();
      }),
    ),
  );
});

test('keeps what came of a body that does not end, and of one that is shorter than it says', inCi, async () => {
  const long = headers([[':status', '200'], json, ['content-length', '99999']]);
  const late = await over(await http2Server([long, data(part)]), 'h2', 1_000);
  expect(late.error?.code).toBe('body-timeout');
  expect(late.partial?.body).toBe(part);
  const short = await overHttp2(headers([[':status', '200'], json, ['content-length', '999']]), data(part, true));
  expect(short.error?.code).toBe('reset');
  expect(short.partial?.body).toBe(part);
});

test('reads an answer whose connection is closed behind it', async () => {
  const behinds: readonly (readonly Step[])[] = [[closing], [reset(0)], [goAway(0), closing]];
  for (const behind of behinds) {
    const { response, error } = await overHttp2(head, data(record, true), ...behind);
    expect(error).toBeUndefined();
    expect(response?.body).toBe(record);
  }
});

test('sees a record in interim answers and in trailers', async () => {
  const hinted = await overHttp2(
    headers([
      [':status', '103'],
      ['x-record', record],
    ]),
    head,
    data('{}', true),
  );
  expect(hinted.response?.fields).toHaveLength(1);
  expect(withoutVersion(hinted)).toEqual(
    withoutVersion(
      await overHttp1(
        Buffer.concat([Buffer.from(`HTTP/1.1 103 Early Hints\r\nX-Record: ${record}\r\n\r\n`), answer(200)]),
      ),
    ),
  );
  const trailed = await overHttp2(head, data('{}'), headers([['x-record', record]], true));
  expect(trailed.response?.fields).toHaveLength(1);
  expect(withoutVersion(trailed)).toEqual(
    withoutVersion(
      await overHttp1(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-Record: ${record}\r\n\r\n`,
      ),
    ),
  );
});

test('sees a record in an interim answer before a body that breaks off', inCi, async () => {
  const hint = `HTTP/1.1 103 Early Hints\r\nX-Record: ${record}\r\n\r\n`;
  const broken = await overHttp1(`${hint}HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[`);
  expect(broken.partial?.fields).toHaveLength(1);
  const seen = await overHttp2(
    headers([
      [':status', '103'],
      ['x-record', record],
    ]),
    headers([[':status', '200']]),
    data('['),
    reset(2),
  );
  expect(seen.partial?.fields).toEqual(broken.partial?.fields);
});

test('bounds interim answers and trailers', async () => {
  const hint = headers([[':status', '103']]);
  const endless = await overHttp2(...Array.from({ length: 33 }, () => hint), head, data('{}', true));
  expect(endless.error?.code).toBe('not-http');
  const fields = Array.from({ length: 7 }, (_, index) => [`x-${index}`, 'a'.repeat(2_000)] as const);
  const server = await http2Server([head, data(part), headers(fields, true)]);
  const wire = wireFor(server, { headerCap: 10_000 });
  const long = lastOf(await wire.send(probe(server.origin, { protocol: 'h2' })));
  expect(long.error?.code).toBe('too-large');
  expect(long.partial?.body).toBe(part);
  await wire.close();
  await server.close();
});
