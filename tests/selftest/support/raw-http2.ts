import { rawServer } from './raw-server.js';

/** Frames of HTTP/2 on stream 1 (RFC 9113, section 6), for servers that break off on purpose. */

const frame = (type: number, flags: number, stream: number, payload: Buffer): Buffer => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};

const numbers = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
};

const endStream = 0x1;
const endHeaders = 0x4;

/** An integer with a prefix of 7 bits (RFC 7541, section 5.1). */
const length = (value: number): readonly number[] => {
  if (value < 127) return [value];
  const bytes = [127];
  let rest = value - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return [...bytes, rest];
};

const text = (value: string): Buffer =>
  Buffer.concat([Buffer.from(length(value.length)), Buffer.from(value, 'latin1')]);

/** A literal field that is not indexed (RFC 7541, section 6.2.2). */
const field = ([name, value]: readonly [string, string]): Buffer =>
  Buffer.concat([Buffer.from([0]), text(name), text(value)]);

export const headers = (fields: readonly (readonly [string, string])[], end = false): Buffer =>
  frame(1, endHeaders + (end ? endStream : 0), 1, Buffer.concat(fields.map(field)));

export const data = (content: string, end = false): Buffer => frame(0, end ? endStream : 0, 1, Buffer.from(content));

/** RST_STREAM. */
export const reset = (code: number): Buffer => frame(3, 0, 1, numbers(code));

export const goAway = (code: number): Buffer => frame(7, 0, 0, numbers(1, code));

/** The end of the connection, where a frame would be. */
export const closing = 'the end of the connection';

/** A frame, or the end of the connection. */
export type Step = Buffer | typeof closing;

const settings = (flags: number): Buffer => frame(4, flags, 0, Buffer.alloc(0));

/** A server that answers the first request of each connection with these frames. */
export const http2Server = (frames: readonly Step[]) =>
  rawServer(() => undefined, {
    tls: { ALPNProtocols: ['h2'] },
    onConnection: (socket) => {
      let isAnswered = false;
      let seen = Buffer.alloc(0);
      socket.write(settings(0));
      socket.on('data', (bytes: Buffer) => {
        seen = Buffer.concat([seen, bytes]);
        if (isAnswered || !hasHeaders(seen)) return;
        isAnswered = true;
        socket.write(Buffer.concat([settings(1), ...frames.filter((one) => one !== closing)]), () => {
          if (frames.includes(closing)) socket.end();
        });
      });
    },
  });

const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'.length;

/** Whether a whole HEADERS frame has arrived. */
const hasHeaders = (bytes: Buffer): boolean => {
  for (let at = preface; at + 9 <= bytes.length; ) {
    const end = at + 9 + bytes.readUIntBE(at, 3);
    if (bytes.readUInt8(at + 3) === 1) return end <= bytes.length;
    at = end;
  }
  return false;
};
