import http2 from 'node:http2';
import type { Socket } from 'node:net';
import { brokenOff, failureOf, timedOut, WireFailure } from './failure.js';
import type { Limits, RawAnswer, RequestHead, SendHooks } from './http1.js';
import { deadline } from './line.js';
import { maxInformational, tooManyInformational } from './response-head.js';
import type { HeaderPair } from './types.js';

/** Fields that HTTP/2 forbids (RFC 9113, section 8.2.2); Host becomes `:authority`. */
const hopByHop = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'host']);

/** The fields of a probe as HTTP/2 sends them. */
export const http2Fields = (fields: readonly HeaderPair[]): HeaderPair[] =>
  fields
    .map(([name, value]): HeaderPair => [name.toLowerCase(), value])
    .filter(([name]) => name === 'host' || !hopByHop.has(name));

const requestHeaders = (origin: string, { method, target, headers }: RequestHead): http2.OutgoingHttpHeaders => {
  const [scheme = '', authority = ''] = origin.split('://', 2);
  const made: Record<string, string | string[]> = {
    ':method': method,
    ':scheme': scheme,
    ':authority': authority,
    ':path': target,
  };
  for (const [field, value] of headers) {
    const name = field.toLowerCase();
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

type FinalHead = Pick<RawAnswer, 'status' | 'httpVersion' | 'rawHeaders' | 'firstByte'>;

/**
 * Returns a function that says whether the server has ended its answer (END_STREAM). Node ends a
 * stream that was reset without an error, or whose connection was closed, as it ends a complete
 * one, but marks it as closed first.
 */
const endWatch = (stream: http2.ClientHttp2Stream): (() => boolean) => {
  const push = stream.push.bind(stream);
  let isEnded = false;
  stream.push = (chunk, encoding) => {
    isEnded ||= chunk === null && !stream.closed;
    return push(chunk, encoding);
  };
  return () => isEnded;
};

/** The session on a connection whose ALPN chose h2, or on one without TLS. */
export const http2SessionOn = (socket: Socket, origin: string): http2.ClientHttp2Session =>
  http2.connect(origin, { createConnection: () => socket, maxSessionMemory: 10 });

/** Sends one request over HTTP/2. The session stays open after a whole answer. */
export const sendHttp2 = (
  session: http2.ClientHttp2Session,
  origin: string,
  head: RequestHead,
  limits: Limits,
  { onSent, onBroken }: Pick<SendHooks, 'onSent' | 'onBroken'>,
): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    if (session.closed || session.destroyed) throw brokenOff();
    const start = performance.now();
    const aside: string[] = [];
    const chunks: Buffer[] = [];
    let size = 0;
    let informational = 0;
    let final: FinalHead | undefined;
    let isSettled = false;
    let cancelDeadline = (): void => undefined;

    const settle = (): void => {
      isSettled = true;
      cancelDeadline();
    };
    const answerOf = (known: FinalHead, truncated: boolean): RawAnswer => {
      const body = Buffer.concat(chunks).subarray(0, limits.bodyCap);
      return { ...known, aside, body, truncated };
    };
    // Without TLS, the server has not said yet that it speaks HTTP/2.
    let isHttp2 = session.alpnProtocol === 'h2';
    session.once('remoteSettings', () => {
      isHttp2 = true;
    });
    const fail = (error: unknown): void => {
      if (isSettled) return;
      settle();
      session.destroy();
      if (final && size > 0) onBroken({ ...answerOf(final, false), broken: true });
      reject(
        isHttp2 ? failureOf(error, 'answer') : new WireFailure('no-h2', 'the server does not speak HTTP/2 without TLS'),
      );
    };
    const finish = (known: FinalHead, truncated: boolean): void => {
      if (isSettled) return;
      settle();
      resolve(answerOf(known, truncated));
    };
    /** The fields of a section; `undefined` if it is over the cap. */
    const sectionOf = (headers: http2.IncomingHttpHeaders): readonly string[] | undefined => {
      const fields = flat(headers);
      if (fields.join('').length <= limits.headerCap) return fields;
      fail(new WireFailure('too-large', 'the header section is over the cap'));
      return undefined;
    };

    session.on('error', fail);
    session.on('close', () => fail(brokenOff()));
    const stream = session.request(requestHeaders(origin, head), { endStream: true });
    const isWhole = endWatch(stream);
    onSent();
    const turn = limits.turns.start(limits.timeoutMs, () =>
      fail(timedOut('headers-timeout', 'header section', limits.timeoutMs)),
    );
    cancelDeadline = turn.cancel;
    stream.on('error', fail);
    stream.on('close', () => fail(brokenOff()));
    stream.on('headers', (headers) => {
      aside.push(...(sectionOf(headers) ?? []));
      informational += 1;
      if (informational > maxInformational) fail(tooManyInformational());
    });
    stream.on('response', (headers) => {
      const rawHeaders = sectionOf(headers);
      if (!rawHeaders || isSettled) return;
      const firstByte = performance.now() - start;
      final = { status: headers[':status'] ?? 0, httpVersion: '2.0', rawHeaders, firstByte };
      turn.answered();
      const hasLength = headers['content-length'] !== undefined;
      const bodyMs = limits.patience.forBody(head.target);
      cancelDeadline = deadline(bodyMs, () => {
        if (!final || size === 0 || hasLength) return fail(timedOut('body-timeout', 'body', bodyMs));
        limits.patience.noteEndless(head.target);
        finish(final, true);
      });
    });
    stream.on('trailers', (headers) => aside.push(...(sectionOf(headers) ?? [])));
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (final && size > limits.bodyCap) finish(final, true);
    });
    stream.on('end', () => (final && isWhole() ? finish(final, size > limits.bodyCap) : fail(brokenOff())));
  });
