import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { onRequest, overTls, type TestServerDefinition } from '../test-server.js';
import { answeringWith, head, jsonType, withBody } from './raw-responses.js';

/** Endless, oversized and very slow answers. */

/**
 * Writes what `next` makes until the client disconnects: every `everyMs`, or as fast as it is read.
 */
const pour = (socket: TLSSocket, next: (count: number) => string | Buffer, everyMs?: number): void => {
  let count = 0;
  if (everyMs !== undefined) {
    const timer = setInterval(() => socket.write(next(count++)), everyMs);
    socket.on('close', () => clearInterval(timer));
    return;
  }
  const more = (): void => {
    while (!socket.destroyed && socket.write(next(count++)));
  };
  socket.on('drain', more);
  more();
};

const pouring = (
  name: string,
  title: string,
  start: string,
  next: (count: number) => string | Buffer,
  everyMs?: number,
): TestServerDefinition => ({
  name,
  title,
  server: overTls(
    onRequest((socket) => {
      socket.write(start);
      pour(socket, next, everyMs);
    }),
  ),
});

export const floods: readonly TestServerDefinition[] = [
  pouring(
    'drips-headers',
    'Sends its header section one byte at a time, without end.',
    'HTTP/1.1 200 OK\r\nX-Drip: ',
    () => 'a',
    40,
  ),
  pouring(
    'drips-body',
    'Sends its body one byte at a time, without end.',
    head(jsonType, 'Content-Length: 1000000'),
    () => '[',
    40,
  ),
  pouring('endless-body', 'Sends a body without end as fast as it is read.', head(jsonType), () =>
    Buffer.alloc(65_536, '['),
  ),
  pouring(
    'endless-chunks',
    'Sends chunks without end.',
    head(jsonType, 'Transfer-Encoding: chunked'),
    () => `4000\r\n${' '.repeat(0x4000)}\r\n`,
  ),
  pouring(
    'endless-headers',
    'Sends header fields without end.',
    'HTTP/1.1 200 OK\r\n',
    (count) => `X-Field-${count}: ${'v'.repeat(1000)}\r\n`,
  ),
  pouring(
    'endless-trailers',
    'Sends trailer fields without end.',
    `${head('Transfer-Encoding: chunked')}2\r\n{}\r\n0\r\n`,
    (count) => `X-Trailer-${count}: ${'v'.repeat(1000)}\r\n`,
  ),
  pouring(
    'endless-chunk-extension',
    'Sends a chunk extension without end.',
    `${head('Transfer-Encoding: chunked')}2;x=`,
    () => 'e'.repeat(16_384),
  ),
  pouring('interim-flood', 'Sends interim responses without end.', '', () =>
    'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(100),
  ),
  pouring('continue-flood', 'Sends 100 Continue without end, slowly.', '', () => 'HTTP/1.1 100 Continue\r\n\r\n', 30),
  answeringWith('compression-bomb', 'Sends 100 MB of zeros compressed to 100 kB.', () =>
    withBody([jsonType, 'Content-Encoding: gzip'], gzipSync(Buffer.alloc(100 * 1024 * 1024), { level: 9 })),
  ),
  answeringWith('nested-compression', 'Compresses a small bomb twice.', () => {
    const inner = gzipSync(gzipSync(Buffer.alloc(64 * 1024 * 1024), { level: 9 }));
    return withBody([jsonType, 'Content-Encoding: gzip, gzip'], inner);
  }),
  {
    name: 'never-answers',
    title: 'Takes requests and never answers.',
    server: overTls((socket) => void socket.resume()),
  },
];
