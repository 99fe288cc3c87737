import { onRequest, overTls, type TestServerDefinition } from '../test-server.js';

/** Builds responses as bytes. */

export const head = (...fields: string[]): string =>
  `HTTP/1.1 200 OK\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`;

export const jsonType = 'Content-Type: application/json';

export const withBody = (fields: readonly string[], body: string | Buffer): Buffer => {
  const bytes = Buffer.from(body);
  return Buffer.concat([
    Buffer.from(head(...fields, `Content-Length: ${bytes.length}`, 'Connection: close'), 'latin1'),
    bytes,
  ]);
};

/** Answers every request with the same bytes and closes. The bytes are made once. */
export const answeringWith = (
  name: string,
  title: string,
  bytes: string | Buffer | (() => string | Buffer),
): TestServerDefinition => {
  let made: string | Buffer | undefined;
  return {
    name,
    title,
    server: overTls(
      onRequest((socket) => {
        made ??= typeof bytes === 'function' ? bytes() : bytes;
        socket.end(made);
      }),
    ),
  };
};
