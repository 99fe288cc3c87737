import { Patience } from '../../../src/wire/time-limits.js';
import { data, headers, http2Server } from '../support/raw-http2.js';
import { rawServer } from '../support/raw-server.js';
import { expect, inCi, test } from '../support/test.js';
import { lastOf, probe, wireFor } from '../support/wires.js';

/** Answers that have no end, and requests that get none. */

const event = 'data: {"name": "squat"}\n\n';
const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n';

/** Streams of HTTP/1.1 as servers send them. */
const streams: Readonly<Record<string, string>> = {
  chunked: `${head}Transfer-Encoding: chunked\r\n\r\n${event.length.toString(16)}\r\n${event}\r\n`,
  'until the connection closes': `${head}\r\n${event}`,
};

for (const [name, bytes] of Object.entries(streams))
  test(`what arrived of a stream is its answer, and is waited for in full once: ${name}`, inCi, async () => {
    const server = await rawServer(() => bytes);
    const wire = wireFor(server, { timeoutMs: 2_000 });
    const ask = async (target: string) => lastOf(await wire.send(probe(server.origin, { target })));
    const first = await ask('/events');
    const second = await ask('/events?again=1');
    await wire.close();
    await server.close();
    for (const { response } of [first, second])
      expect(response).toMatchObject({ status: 200, body: event, truncated: true, shape: { broken: true } });
    expect(first.timing.total).toBeGreaterThanOrEqual(1_900);
    expect(second.timing.total).toBeLessThan(1_000);
    expect(server.heads).toHaveLength(2);
  });

test('what arrived of a stream over HTTP/2 is its answer', inCi, async () => {
  const streamHead = headers([
    [':status', '200'],
    ['content-type', 'text/event-stream'],
  ]);
  const server = await http2Server([streamHead, data(event)]);
  const wire = wireFor(server, { timeoutMs: 1_000 });
  const { response } = lastOf(await wire.send(probe(server.origin, { protocol: 'h2' })));
  await wire.close();
  await server.close();
  expect(response).toMatchObject({ status: 200, body: event, truncated: true });
});

test('a field that a server answered with silence is waited for in full once', () => {
  const patience = new Patience(10_000);
  const upgrade = [['Upgrade', 'websocket']] as const;
  const expects = [['Expect', '100-continue']] as const;
  expect(patience.forHead(upgrade)).toBe(10_000);
  patience.noteUnanswered([['Accept', '*/*']]);
  patience.noteUnanswered(upgrade);
  expect(patience.forHead(upgrade)).toBe(1_000);
  expect(patience.forHead([...expects, ...upgrade])).toBe(1_000);
  expect(patience.forHead(expects)).toBe(10_000);
  expect(patience.forHead([])).toBe(10_000);
});

test('silence that is known is waited for no shorter than twice the longest answer', () => {
  const patience = new Patience(10_000);
  const upgrade = [['Upgrade', 'websocket']] as const;
  patience.noteUnanswered(upgrade);
  patience.noteAnswered(700);
  patience.noteAnswered(20);
  expect(patience.forHead(upgrade)).toBe(1_400);
  patience.noteAnswered(9_000);
  expect(patience.forHead(upgrade)).toBe(10_000);
});
