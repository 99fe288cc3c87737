import type { Socket } from 'node:net';
import { failureOf, WireFailure } from './failure.js';
import { fieldName, outsideFieldValue } from './fields.js';
import { ResponseParser } from './response-parser.js';

export interface Limits {
  /** Milliseconds for the headers and for the body, each. */
  readonly timeoutMs: number;
  /** Bytes of a header section. */
  readonly headerCap: number;
  /** Bytes of a body. */
  readonly bodyCap: number;
}

/** An answer as it came, nothing redacted or decoded. */
export interface RawAnswer {
  readonly status: number;
  readonly httpVersion: string;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly truncated: boolean;
  /** Milliseconds from the request to the end of the final answer's header section. */
  readonly firstByte: number;
}

export interface Head {
  readonly method: string;
  readonly target: string;
  /** Names and values in turn, ready for the socket. */
  readonly headers: readonly string[];
}

export interface SendHooks {
  /** The request is about to be written. */
  onSent(): void;
  /** The answer is complete and the socket may be used again; not called where it may not. */
  onFree(answer: RawAnswer): void;
}

/**
 * A request without content, one character a byte.
 * @throws TypeError for what would end its part of the message early
 */
const messageOf = ({ method, target, headers }: Head): string => {
  if (!fieldName.test(method) || /[^!-\xff]/.test(target)) throw new TypeError('the request line is none');
  let message = `${method} ${target} HTTP/1.1\r\n`;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const [name = '', value = ''] = [headers[index], headers[index + 1]];
    if (!fieldName.test(name) || outsideFieldValue.test(value))
      throw new TypeError('a header field of the request is none');
    message += `${name}: ${value}\r\n`;
  }
  return `${message}\r\n`;
};

/**
 * Sends one request over an open connection and reads the answer.
 * @throws WireFailure
 */
export const sendHttp1 = (socket: Socket, head: Head, limits: Limits, hooks: SendHooks): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const message = messageOf(head);
    const parser = new ResponseParser(head.method, limits);
    const start = performance.now();
    let firstByte = 0;
    const late = (code: 'headers-timeout' | 'body-timeout', what: string) =>
      setTimeout(
        () => settle(new WireFailure(code, `no full ${what} within ${limits.timeoutMs} ms`)),
        limits.timeoutMs,
      );
    let timer = late('headers-timeout', 'header section');
    const settle = (failure?: WireFailure): void => {
      clearTimeout(timer);
      socket.off('data', read);
      socket.off('end', end);
      socket.off('error', fail);
      socket.off('close', close);
      const answered = failure ? undefined : parser.head;
      if (!answered) {
        socket.destroy();
        reject(failure);
        return;
      }
      const answer: RawAnswer = { ...answered, body: parser.body(), truncated: parser.truncated, firstByte };
      if (parser.reusable) hooks.onFree(answer);
      else socket.destroy();
      resolve(answer);
    };
    const fail = (error: unknown): void => settle(failureOf(error, 'answer'));
    const step = (advance: () => void): void => {
      const before = parser.head;
      try {
        advance();
      } catch (error) {
        fail(error);
        return;
      }
      if (!before && parser.head) firstByte = performance.now() - start;
      if (parser.complete) settle();
      else if (!before && parser.head) {
        clearTimeout(timer);
        timer = late('body-timeout', 'body');
      }
    };
    const read = (bytes: Buffer): void => step(() => parser.push(bytes));
    const end = (): void => step(() => parser.end());
    const close = (): void => settle(new WireFailure('reset', 'the connection was closed before a full answer'));
    if (socket.destroyed) {
      close();
      return;
    }
    socket.on('data', read);
    socket.on('end', end);
    socket.on('error', fail);
    socket.on('close', close);
    hooks.onSent();
    socket.write(message, 'latin1');
  });
