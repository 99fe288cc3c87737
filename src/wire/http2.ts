import http2 from 'node:http2';
import type { Socket } from 'node:net';
import { deadline } from './deadline.js';
import { failureOf, WireFailure } from './failure.js';
import type { Limits, RawAnswer, RequestHead } from './http1.js';
import type { HeaderPair } from './types.js';

/** Fields that HTTP/2 forbids (RFC 9113, section 8.2.2); Host becomes `:authority`. */
const hopByHop = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'host']);

/** The fields of a probe as HTTP/2 sends them. */
export const http2Fields = (fields: readonly HeaderPair[]): HeaderPair[] =>
  fields
    .map(([name, value]): HeaderPair => [name.toLowerCase(), value])
    .filter(([name]) => name === 'host' || !hopByHop.has(name));

const requestHeaders = (origin: string, { method, target, headers }: RequestHead): http2.OutgoingHttpHeaders => {
  const made: Record<string, string | string[]> = {
    ':method': method,
    ':scheme': 'https',
    ':authority': origin.replace(/^https:\/\//, ''),
    ':path': target,
  };
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = (headers[index] ?? '').toLowerCase();
    const value = headers[index + 1] ?? '';
    if (name === 'host') made[':authority'] = value;
    if (hopByHop.has(name)) continue;
    const before = made[name];
    made[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value];
  }
  return made;
};

const flat = (headers: http2.IncomingHttpHeaders): string[] =>
  Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith(':') || value === undefined
      ? []
      : (Array.isArray(value) ? value : [value]).flatMap((one) => [name, String(one)]),
  );

/** Sends one request over HTTP/2 on its own connection, whose ALPN chose h2, and closes it. */
export const sendHttp2 = (socket: Socket, origin: string, head: RequestHead, limits: Limits): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const start = performance.now();
    const session = http2.connect(origin, { createConnection: () => socket, maxSessionMemory: 10 });
    let cancelDeadline = (): void => undefined;
    const end = (): void => {
      cancelDeadline();
      session.destroy();
      socket.destroy();
    };
    const fail = (error: unknown): void => {
      end();
      reject(failureOf(error, 'answer'));
    };
    cancelDeadline = deadline(limits.timeoutMs, () =>
      fail(new WireFailure('headers-timeout', `no full header section within ${limits.timeoutMs} ms`)),
    );
    session.on('error', fail);
    session.on('close', () => fail(new WireFailure('reset', 'the connection was closed before a full answer')));
    const stream = session.request(requestHeaders(origin, head), { endStream: true });
    stream.on('error', fail);
    stream.on('response', (headers) => {
      const firstByte = performance.now() - start;
      const chunks: Buffer[] = [];
      let size = 0;
      const rawHeaders = flat(headers);
      cancelDeadline();
      if (rawHeaders.join('').length > limits.headerCap) {
        return fail(new WireFailure('too-large', 'the header section is over the cap'));
      }
      cancelDeadline = deadline(limits.timeoutMs, () =>
        fail(new WireFailure('body-timeout', `no full body within ${limits.timeoutMs} ms`)),
      );
      const finish = (truncated: boolean): void => {
        const body = Buffer.concat(chunks).subarray(0, limits.bodyCap);
        resolve({ status: headers[':status'] ?? 0, httpVersion: '2.0', rawHeaders, body, truncated, firstByte });
        end();
      };
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > limits.bodyCap) finish(true);
      });
      stream.on('end', () => finish(false));
    });
  });
