import { type GuestPlan, onRequest, overTls } from '../guest.js';

/** Answers written byte by byte. */

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

/** Says one thing to every request and closes; what has to be made is made once. */
export const saying = (name: string, title: string, bytes: string | Buffer | (() => string | Buffer)): GuestPlan => {
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
