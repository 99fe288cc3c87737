import { onRequest, overTls, type TestServerDefinition } from '../test-server.js';
import { answeringWith, head, jsonType } from './raw-responses.js';

/** Malformed or incomplete HTTP messages. */

export const framingAttacks: readonly TestServerDefinition[] = [
  answeringWith('malformed-status-line', 'Its status line is none.', 'HTTP/1.1 two hundred OK\r\n\r\n'),
  answeringWith('status-out-of-range', 'Its status is 999999.', 'HTTP/1.1 999999 Yes\r\nContent-Length: 0\r\n\r\n'),
  answeringWith(
    'long-reason',
    'Its reason phrase is a megabyte long.',
    () => `HTTP/1.1 200 ${'O'.repeat(1_000_000)}\r\n\r\n`,
  ),
  answeringWith(
    'malformed-field',
    'A header field has no colon.',
    'HTTP/1.1 200 OK\r\nthis is no field\r\nContent-Length: 2\r\n\r\n{}',
  ),
  answeringWith(
    'nul-in-field',
    'A header field holds NUL.',
    'HTTP/1.1 200 OK\r\nX-Nul: a\0b\r\nContent-Length: 2\r\n\r\n{}',
  ),
  answeringWith(
    'conflicting-lengths',
    'Sends two lengths that differ.',
    `${head('Content-Length: 2', 'Content-Length: 40')}{}`,
  ),
  answeringWith(
    'length-and-chunks',
    'Sends a length and chunks.',
    `${head('Content-Length: 4', 'Transfer-Encoding: chunked')}2\r\n{}\r\n0\r\n\r\n`,
  ),
  answeringWith('negative-length', 'Its length is below zero.', `${head('Content-Length: -1')}{}`),
  answeringWith('length-too-long', 'Promises more than it sends.', `${head(jsonType, 'Content-Length: 4000')}{"a":`),
  answeringWith(
    'huge-length',
    'Promises more bytes than there are.',
    `${head('Content-Length: 99999999999999999999')}{}`,
  ),
  answeringWith(
    'malformed-chunk',
    'Its chunk size is no number.',
    `${head('Transfer-Encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`,
  ),
  answeringWith(
    'huge-chunk',
    'Its chunk size is beyond every number.',
    `${head('Transfer-Encoding: chunked')}ffffffffffffffffffff\r\n{}`,
  ),
  answeringWith(
    'two-answers',
    'Sends two answers to one request.',
    `${head('Content-Length: 2')}{}${head('Content-Length: 2')}[]`,
  ),
  answeringWith('many-fields', 'Sends twenty thousand header fields.', () =>
    head(...Array.from({ length: 20_000 }, (_, index) => `F${index}: v`), 'Content-Length: 0'),
  ),
  {
    name: 'answers-unasked',
    title: 'Sends an answer before it was asked.',
    server: overTls((socket) => {
      socket.write(`${head('Content-Length: 2')}{}`);
      socket.resume();
    }),
  },
  {
    name: 'half-closed',
    title: 'Ends its side before it has answered and keeps the connection.',
    server: overTls(
      onRequest((socket) => socket.end(head('Content-Length: 10'))),
      { allowHalfOpen: true },
    ),
  },
  {
    name: 'resets-in-the-body',
    title: 'Breaks off in the middle of the body.',
    server: overTls(onRequest((socket) => socket.write(`${head('Content-Length: 100')}{"a":`, () => socket.destroy()))),
  },
  {
    name: 'upgrades',
    title: 'Answers 101 to everything.',
    server: overTls(
      onRequest((socket) =>
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\x81\x05hello',
        ),
      ),
    ),
  },
  {
    name: 'http2-unasked',
    title: 'Speaks HTTP/2 without having agreed on it.',
    // An empty SETTINGS frame (RFC 9113 section 6.5).
    server: overTls((socket) => socket.end(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]))),
  },
];
